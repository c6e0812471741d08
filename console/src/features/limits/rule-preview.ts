import type { LimitRule, SessionSummary, Token } from '@/lib/types';

/** What a rule says, whether it is stored or only typed. */
export type RuleDraft = Pick<LimitRule, 'kind' | 'session_id' | 'token_id' | 'methods' | 'per' | 'enabled'> & {
  /** Absent while it is not stored. */
  readonly id?: string;
};

/** What a rule does among the others. */
export interface RulePreview {
  /** The sessions that it counts for, each on its own. */
  readonly bound: readonly SessionSummary[];
  /** Sessions that it would be about, but that have a closer rule of their own. */
  readonly exempt: readonly SessionSummary[];
  /** Rules in whose place it stands. */
  readonly replaces: readonly LimitRule[];
  /** Rules that stand in its place, for some of its sessions or for the calls of a token. */
  readonly yieldsTo: readonly LimitRule[];
  /** The same rule for the same target: there can be only one. */
  readonly twin: LimitRule | undefined;
}

/** Rules for the same methods and the same time: the closest counts, the others do not. */
const placeOf = ({ per, methods }: Pick<LimitRule, 'per' | 'methods'>): string =>
  `${per} ${[...new Set(methods)].sort().join(' ')}`;

/** That of a session is closer than that of its kind, and that of a token is closer than both. */
function closeness({ session_id, token_id }: RuleDraft): number {
  if (token_id !== undefined) return 2;
  return session_id === undefined ? 0 : 1;
}

/** True when a token opens the session. */
function covers(token: Token, { id, app_id }: SessionSummary): boolean {
  return token.all_sessions || token.session_ids.includes(id) || token.app_ids.includes(app_id);
}

function isAbout(rule: RuleDraft, session: SessionSummary, tokens: readonly Token[]): boolean {
  if (rule.token_id !== undefined) return tokens.some((token) => token.id === rule.token_id && covers(token, session));
  return rule.session_id === undefined ? rule.kind === session.kind : rule.session_id === session.id;
}

/** Whom a rule binds, and what stands in whose place. A rule that is off counts nothing and replaces none. */
export function previewRule(
  draft: RuleDraft,
  rules: readonly LimitRule[],
  sessions: readonly SessionSummary[],
  tokens: readonly Token[],
): RulePreview {
  const rivals = rules.filter((rule) => rule.id !== draft.id && placeOf(rule) === placeOf(draft));
  const about = sessions.filter((session) => isAbout(draft, session, tokens));
  const shared = rivals.filter((rule) => rule.enabled && about.some((session) => isAbout(rule, session, tokens)));
  const closer = shared.filter((rule) => closeness(rule) > closeness(draft));
  // A token's rule takes only that token's calls away; the others of the session go on to be counted.
  const exempt = about.filter((session) =>
    closer.some((rule) => rule.token_id === undefined && isAbout(rule, session, tokens)),
  );
  return {
    bound: draft.enabled ? about.filter((session) => !exempt.includes(session)) : [],
    exempt,
    replaces: draft.enabled ? shared.filter((rule) => closeness(rule) < closeness(draft)) : [],
    yieldsTo: closer,
    twin: rivals.find(
      (rule) => rule.kind === draft.kind && rule.session_id === draft.session_id && rule.token_id === draft.token_id,
    ),
  };
}
