import { randomUUID } from 'node:crypto';
import type { Subscriber } from './subscriber.js';
import { factsOf, idOf, type UpdateFacts } from './update-facts.js';
import { visibleUpdate } from './visible-update.js';

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
 * What of an update has to be stored, and for whom. An update that not everybody may have as it is becomes several.
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
  const subscribersOf = new Map<string, string[]>();
  for (const { id: subscriptionId, view } of matching) {
    const payload = view === undefined ? text : visibleUpdate(view, { type, chatId, text });
    if (payload === undefined) continue;
    const ids = subscribersOf.get(payload);
    if (ids === undefined) subscribersOf.set(payload, [subscriptionId]);
    else ids.push(subscriptionId);
  }
  return [...subscribersOf].map(([payload, subscriptionIds]) => ({
    ...entry,
    ...(payload !== text && { id: idOf(`${id} ${payload}`) }),
    subscriptionIds,
    payload,
  }));
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
