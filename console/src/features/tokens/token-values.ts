import type { MethodClass, TdMethod, Token } from '@/lib/types';
import { readChatIds, words } from '@/lib/words';

/** What a token may reach and do, as the form gives it. */
export interface TokenValues {
  readonly name: string;
  readonly all_sessions: boolean;
  readonly app_ids: readonly string[];
  readonly session_ids: readonly string[];
  readonly classes: readonly MethodClass[];
  /** Null for all of its classes. */
  readonly methods: readonly string[] | null;
  /** Null for all chats. */
  readonly chats: readonly number[] | null;
  /** Null for never; undefined when it stays as it is. */
  readonly expires_at: string | null | undefined;
  readonly pool_ids: readonly string[];
  readonly pool_access: 'read' | 'write';
}

/** When a token ends: a choice of the form, a number of days from now, or the moment beside it. */
export type Expiry = 'keep' | 'never' | 'at' | '7' | '30' | '90' | '365';

/** What is typed and chosen beside the label. */
export interface TokenDraft {
  readonly all: boolean;
  readonly appIds: ReadonlySet<string>;
  readonly sessionIds: ReadonlySet<string>;
  readonly classes: ReadonlySet<MethodClass>;
  readonly someMethods: boolean;
  readonly methods: string;
  readonly someChats: boolean;
  readonly chats: string;
  readonly expiry: Expiry;
  /** As the browser's field for a time in the reader's zone gives it. */
  readonly expiresAt: string;
  readonly poolIds: ReadonlySet<string>;
  readonly poolAccess: 'read' | 'write';
}

/** What a new token is given unless something else is said, or what a token has. */
export function draftOf(token: Token | undefined): TokenDraft {
  return {
    all: token?.all_sessions ?? false,
    appIds: new Set(token?.app_ids),
    sessionIds: new Set(token?.session_ids),
    classes: new Set(token?.classes ?? ['read', 'send', 'manage']),
    someMethods: token?.methods !== undefined,
    methods: (token?.methods ?? []).join(' '),
    someChats: token?.chats !== undefined,
    chats: (token?.chats ?? []).join(' '),
    expiry: token?.expires_at === undefined ? 'never' : 'keep',
    expiresAt: '',
    poolIds: new Set(token?.pool_ids),
    poolAccess: token?.pool_access ?? 'read',
  };
}

/** What is wrong with a draft, by the field it is shown at. */
export interface TokenProblems {
  readonly reach?: string;
  readonly classes?: string;
  readonly methods?: string;
  readonly chats?: string;
  readonly expiry?: string;
}

const DAY_MS = 86_400_000;

/** @returns undefined when the moment is none, or has passed */
function momentOf({ expiry, expiresAt }: TokenDraft, now: number): string | null | undefined {
  if (expiry === 'never') return null;
  const at = expiry === 'at' ? new Date(expiresAt).getTime() : now + Number(expiry) * DAY_MS;
  return at > now ? new Date(at).toISOString() : undefined;
}

/**
 * Reads a draft.
 *
 * @param known the methods of td_api; while they are not loaded every name passes, and the server decides
 * @param now in milliseconds
 */
export function readDraft(
  draft: TokenDraft,
  known: readonly TdMethod[] | undefined,
  now: number,
): { readonly values: Omit<TokenValues, 'name'>; readonly problems: TokenProblems } {
  const methods = words(draft.methods);
  const { chats, problem: wrongChat } = readChatIds(draft.chats);
  const wrongMethod =
    known && methods.find((name) => !known.some((method) => method.name === name && !method.reserved));
  const keeps = draft.expiry === 'keep';
  const expiresAt = keeps ? undefined : momentOf(draft, now);
  const reachesNothing =
    !draft.all && draft.appIds.size === 0 && draft.sessionIds.size === 0 && draft.poolIds.size === 0;
  return {
    values: {
      all_sessions: draft.all,
      app_ids: draft.all ? [] : [...draft.appIds],
      session_ids: draft.all ? [] : [...draft.sessionIds],
      classes: [...draft.classes],
      methods: draft.someMethods ? methods : null,
      chats: draft.someChats ? chats : null,
      expires_at: expiresAt,
      pool_ids: [...draft.poolIds],
      pool_access: draft.poolAccess,
    },
    problems: {
      ...(reachesNothing && { reach: 'Choose at least one app or session: without any, the token opens nothing.' }),
      ...(draft.classes.size === 0 && { classes: 'Choose at least one: without any, the token may call nothing.' }),
      ...(draft.someMethods &&
        (methods.length === 0
          ? { methods: 'Name at least one method, or allow all of them.' }
          : wrongMethod !== undefined && { methods: `${wrongMethod} is no method of td_api that may be called.` })),
      ...(draft.someChats &&
        (chats.length === 0
          ? { chats: 'Name at least one chat, or allow all of them.' }
          : wrongChat !== undefined && { chats: wrongChat })),
      ...(!keeps && expiresAt === undefined && { expiry: 'Choose a moment that is still to come.' }),
    },
  };
}
