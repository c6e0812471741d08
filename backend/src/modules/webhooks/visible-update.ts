import type { Caller } from '../../common/http/index.js';
import { type ChatView, parseTdObject, viewOf } from '../../telegram/index.js';
import { SYSTEM_PREFIX } from './filters.js';
import { chatOf } from './update-facts.js';

/** An update, and what has been found out of it. */
export interface SeenUpdate {
  readonly type: string;
  readonly chatId: number | undefined;
  /** As TDLib wrote it. */
  readonly text: string;
}

/**
 * An update as somebody with such a view may have it. Who has some chats only gets nothing of what has no chat, but the product's own
 * events, which are of the session.
 * @returns undefined when nothing is left to tell; the text itself when nothing is hidden
 */
export function visibleUpdate(view: ChatView, { type, chatId, text }: SeenUpdate): string | undefined {
  if (type.startsWith(SYSTEM_PREFIX)) return text;
  if (view.isLimited && (chatId === undefined || !view.has(chatId))) return undefined;
  return view.textOf(text);
}

/** What a caller may see of an account's chats; undefined for the master, who sees all. */
export function viewOfCaller(caller: Caller): ChatView | undefined {
  return caller.kind === 'token' ? viewOf(caller.rights) : undefined;
}

/**
 * A stored update as its reader may have it now: its token may have lost chats since it was stored.
 * @returns as {@link visibleUpdate}
 */
export function visibleStored(view: ChatView | undefined, payload: string): string | undefined {
  if (view === undefined) return payload;
  return view.isLimited
    ? visibleUpdate(view, { type: parseTdObject(payload)['@type'], chatId: chatOf(payload), text: payload })
    : view.textOf(payload);
}

/** Whether a reader may know of a stored update that there is one. */
export function isKnowable(view: ChatView | undefined, type: string, chatId: number | undefined): boolean {
  if (view === undefined || type.startsWith(SYSTEM_PREFIX)) return true;
  return chatId === undefined ? !view.isLimited : view.has(chatId);
}
