import { createHash } from 'node:crypto';
import { numberMember, objectMember, parseTdObject, stringMember, type TdObject } from '../../telegram/index.js';

/** What is to be known of an update beside its text. */
export interface UpdateFacts {
  /** `chat_id`, else that of the message in it. */
  readonly chatId: number | undefined;
  /** The same when TDLib repeats the update after a restart; undefined for updates that have nothing of that kind. */
  readonly identity: string | undefined;
  /** Of a new message, its number as the server has given it; undefined for everything else. */
  readonly messageId: number | undefined;
}

/** The last 20 bits of an id that the server has given are zero (MessageId::SERVER_ID_SHIFT); others are used again. */
const isServerId = (messageId: number): boolean => messageId !== 0 && messageId % 2 ** 20 === 0;

export const NEW_MESSAGE = 'updateNewMessage';

/** Queries of bots: Telegram gives each an id of its own. */
const QUERIES = new Set([
  'updateNewCallbackQuery',
  'updateNewInlineCallbackQuery',
  'updateNewBusinessCallbackQuery',
  'updateNewInlineQuery',
  'updateNewShippingQuery',
  'updateNewPreCheckoutQuery',
  'updateNewCustomQuery',
]);

/** Reads an update. @param text as TDLib wrote it */
export function factsOf(type: string, text: string): UpdateFacts {
  const update = parseTdObject(text);
  return {
    chatId: chatIn(update),
    identity: identityOf(type, update, text),
    messageId: type === NEW_MESSAGE ? serverIdIn(update) : undefined,
  };
}

/** The chat of an update. */
export function chatOf(text: string): number | undefined {
  return chatIn(parseTdObject(text));
}

function chatIn(update: TdObject): number | undefined {
  const chatId = numberMember(update, 'chat_id') || numberMember(objectMember(update, 'message') ?? update, 'chat_id');
  return chatId === 0 ? undefined : chatId;
}

function serverIdIn(update: TdObject): number | undefined {
  const id = numberMember(objectMember(update, 'message') ?? update, 'id');
  return isServerId(id) ? id : undefined;
}

function identityOf(type: string, update: TdObject, text: string): string | undefined {
  if (type === NEW_MESSAGE) {
    const id = serverIdIn(update);
    return id === undefined ? undefined : `${type} ${chatIn(update)} ${id}`;
  }
  if (type === 'updateMessageEdited') {
    const [chat, id, date] = ['chat_id', 'message_id', 'edit_date'].map((name) => numberMember(update, name));
    // Two edits may be of one second: what differs is no repetition.
    return id !== undefined && isServerId(id)
      ? `${type} ${chat} ${id} ${date} ${hashOf(text).toString('hex')}`
      : undefined;
  }
  const queryId = QUERIES.has(type) ? stringMember(update, 'id') : '';
  return queryId === '' ? undefined : `${type} ${queryId}`;
}

function hashOf(text: string): Buffer {
  return createHash('sha1').update(text).digest();
}

/** An id made of a name: the same name gives the same id in every process (a UUID of version 8). */
export function idOf(name: string): string {
  const hash = hashOf(name);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** The id of an update's delivery to a subscription: who sees the update again sees the same. */
export function deliveryIdOf(updateId: string, subscriptionId: string): string {
  return idOf(`${updateId} ${subscriptionId}`);
}
