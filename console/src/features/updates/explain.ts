import { isRecord, numberOf, objectOf, textOf } from '@/lib/td';
import type { Subscription, UpdateFilters } from '@/lib/types';

/** An update as a stream gives it. */
export interface SeenEvent {
  readonly id: string;
  readonly cursor: string;
  /** When the update came: the same for every subscription that it was stored for. */
  readonly at: string;
  readonly update: Readonly<Record<string, unknown>>;
}

const OWN = 'tgcontrol.';

/** The `@type` of an update. */
export const typeOf = ({ update }: Pick<SeenEvent, 'update'>): string => textOf(update, '@type') ?? 'update';

/** The chat of an update, as filters see it: `chat_id`, else that of its message. */
export function chatOf({ update }: Pick<SeenEvent, 'update'>): number | undefined {
  const message = objectOf(update, 'message');
  return numberOf(update, 'chat_id') || (message && numberOf(message, 'chat_id')) || undefined;
}

/** An event out of what the API tells; undefined for what is none. */
export function toEvent(value: unknown): SeenEvent | undefined {
  if (!isRecord(value)) return undefined;
  const id = textOf(value, 'id');
  const cursor = textOf(value, 'cursor');
  const at = textOf(value, 'at');
  const update = objectOf(value, 'update');
  return id !== undefined && cursor !== undefined && at !== undefined && update
    ? { id, cursor, at, update }
    : undefined;
}

/** True when filters let everything pass. */
export function wantsAll({ types, exclude_types, chats }: UpdateFilters): boolean {
  return (types ?? []).length === 0 && (exclude_types ?? []).length === 0 && chats === undefined;
}

/** Why filters leave an update out, in words; undefined when they let it pass. The server's own rules, told. */
export function leftOutBy({ types, exclude_types, chats }: UpdateFilters, event: SeenEvent): string | undefined {
  const type = typeOf(event);
  if (exclude_types?.includes(type) === true) return `its filter leaves ${type} out`;
  if (types !== undefined && types.length > 0) {
    if (!types.includes(type)) return `its filter names only ${types.join(', ')}`;
  } else if (type.startsWith(OWN)) return `events of ${OWN}* come only when they are named`;
  if (chats === undefined || type.startsWith(OWN)) return undefined;
  const chat = chatOf(event);
  if (chat === undefined) return 'its filter wants certain chats, and this update has none';
  return chats.includes(chat) ? undefined : `its filter does not name chat ${chat}`;
}

/** Why a subscription has nothing of an update, as far as the subscription itself tells; undefined when it should have it. */
export function whyNotStored(subscription: Subscription, event: SeenEvent): string | undefined {
  const filtered = leftOutBy(subscription.filters, event);
  if (filtered !== undefined) return filtered;
  if (new Date(subscription.created_at) > new Date(event.at)) return 'it was made after this update came';
  return undefined;
}
