import type { UpdateEntry } from './update-entry.js';
import { factsOf, NEW_MESSAGE } from './update-facts.js';

interface Numbered {
  readonly entry: UpdateEntry;
  readonly messageId: number;
}

/**
 * Brings new messages forward, before the first one of their chat that has a higher number. What a killed process had not handed over
 * is found after younger messages have come, and a process that is killed then leaves both as they came.
 */
export function inOrder(entries: readonly UpdateEntry[]): UpdateEntry[] {
  const numbers = entries.map(messageIn);
  const byChat = new Map<number, Numbered[]>();
  for (const [index, entry] of entries.entries()) {
    const { chatId, messageId } = numbers[index] ?? {};
    if (chatId === undefined || messageId === undefined) continue;
    const ofChat = byChat.get(chatId) ?? [];
    ofChat.push({ entry, messageId });
    byChat.set(chatId, ofChat);
  }
  for (const ofChat of byChat.values()) ofChat.sort((a, b) => a.messageId - b.messageId);
  return entries.flatMap((entry, index) => {
    const { chatId, messageId } = numbers[index] ?? {};
    const waiting = chatId === undefined ? undefined : byChat.get(chatId);
    if (waiting === undefined || messageId === undefined) return [entry];
    const later = waiting.findIndex((each) => each.messageId > messageId);
    return waiting.splice(0, later < 0 ? waiting.length : later).map((each) => each.entry);
  });
}

function messageIn({ type, payload }: UpdateEntry): { chatId?: number | undefined; messageId?: number | undefined } {
  return type === NEW_MESSAGE ? factsOf(type, payload) : {};
}
