import { randomUUID } from 'node:crypto';
import { shownText } from './service-chat.js';
import type { Subscriber } from './subscriber.js';
import { factsOf, idOf, type UpdateFacts } from './update-facts.js';

/** An update that somebody wants, on its way to the database. */
export interface UpdateEntry {
  readonly id: string;
  /** Whether the id is made of what the update is: it may have been stored before. */
  readonly isNamed: boolean;
  readonly type: string;
  readonly chatId: number | undefined;
  /** When it came, in Unix milliseconds. */
  readonly at: number;
  readonly subscriptionIds: readonly string[];
  /** As TDLib wrote it. */
  readonly payload: string;
}

/**
 * What of an update has to be stored, and for whom. An update that not everybody may have as it is becomes two.
 * @param wanting subscriptions that want its type; others cost nothing
 * @param facts what `factsOf` says of it
 */
export function entriesOf(
  sessionId: string,
  type: string,
  text: string,
  wanting: readonly Subscriber[],
  at: number,
  { chatId, identity }: UpdateFacts = factsOf(type, text),
): readonly UpdateEntry[] {
  const matching = wanting.filter(({ filters }) => filters.wants({ type, chatId }));
  if (matching.length === 0) return [];
  const id = identity === undefined ? randomUUID() : idOf(`${sessionId} ${identity}`);
  const entry = { id, isNamed: identity !== undefined, type, chatId, at };
  const scoped = matching.filter(({ isScoped }) => isScoped);
  const shown = scoped.length === 0 ? undefined : shownText(text);
  if (scoped.length === 0 || shown === text) {
    return [{ ...entry, subscriptionIds: matching.map((each) => each.id), payload: text }];
  }
  const others = matching.filter(({ isScoped }) => !isScoped);
  return [
    ...(others.length > 0 ? [{ ...entry, subscriptionIds: others.map((each) => each.id), payload: text }] : []),
    ...(shown === undefined
      ? []
      : [{ ...entry, id: idOf(`${id} shown`), subscriptionIds: scoped.map((each) => each.id), payload: shown }]),
  ];
}

/** An entry as one line of the journal, with its line feed. TDLib's JSON has none. */
export function writeEntry({ id, isNamed, type, chatId, at, subscriptionIds, payload }: UpdateEntry): string {
  return `${id}\t${isNamed ? 1 : 0}\t${type}\t${chatId ?? ''}\t${at}\t${subscriptionIds.join()}\t${payload}\n`;
}

/** Reads what {@link writeEntry} wrote; undefined for a line that is not whole. */
export function parseEntry(line: string): UpdateEntry | undefined {
  const [, id, type, chat, at, subscriptions, payload] =
    /^([0-9a-f-]{36})\t[01]\t([^\t]+)\t(-?\d*)\t(\d+)\t([0-9a-f,-]+)\t(\{.*\})$/s.exec(line) ?? [];
  if (id === undefined || type === undefined || subscriptions === undefined || payload === undefined) return undefined;
  return {
    id,
    // What a journal holds may be stored already, whatever it is.
    isNamed: true,
    type,
    chatId: chat === undefined || chat === '' ? undefined : Number(chat),
    at: Number(at),
    subscriptionIds: subscriptions.split(','),
    payload,
  };
}
