import { parseTdObject, type TdObject } from '../../telegram/index.js';

/** The chat in which Telegram sends login codes: who reads it can take the account over. */
const SERVICE_CHAT = 777_000;
const MARK = String(SERVICE_CHAT);

/** Members that hold chats, or users, by their ids. */
const CHAT_MEMBERS = new Set(['chat_id', 'from_chat_id', 'source_chat_id']);

/** Whether an update may go to somebody who has no right to the account itself. Costs a search in the text, nearly always. */
export function mayShow(text: string): boolean {
  return !text.includes(MARK) || !isAbout(parseTdObject(text));
}

/**
 * The update as such a subscriber may have it: lists lose the elements that are about the chat of the login codes.
 * @returns undefined when nothing is left to tell
 */
export function shownText(text: string): string | undefined {
  if (!text.includes(MARK)) return text;
  const update = parseTdObject(text);
  if (!isAbout(update)) return text;
  const reduced = withoutElements(update);
  return isAbout(reduced) ? undefined : JSON.stringify(reduced);
}

function isAbout(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isAbout);
  if (typeof value !== 'object' || value === null) return false;
  const object = value as TdObject;
  if (object['@type'] === 'chat' && object['id'] === SERVICE_CHAT) return true;
  return Object.entries(object).some(
    ([name, member]) => (CHAT_MEMBERS.has(name) && member === SERVICE_CHAT) || isAbout(member),
  );
}

function withoutElements(update: TdObject): TdObject {
  const members = Object.entries(update).map(([name, member]): [string, unknown] => [
    name,
    Array.isArray(member) ? member.filter((element) => !isAbout(element)) : member,
  ]);
  return Object.fromEntries(members) as TdObject;
}
