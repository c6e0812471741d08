import type { ChatView } from '../../telegram/index.js';
import { SYSTEM_PREFIX } from './filters.js';

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
