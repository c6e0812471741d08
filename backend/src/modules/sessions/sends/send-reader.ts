import { crc32 } from 'node:zlib';
import { numberMember, objectMember, parseTdObject, stringMember, type TdObject } from '../../../telegram/index.js';
import type { SendError } from './send.entity.js';

/** A message that TDLib has taken and not sent yet. */
export interface PendingMessage {
  readonly chatId: number;
  readonly temporaryId: number;
  readonly fingerprint: number;
}

/** What became of a message. */
export type Outcome =
  | { readonly status: 'sent'; readonly messageId: number }
  | { readonly status: 'failed'; readonly error: SendError }
  | { readonly status: 'unknown' };

/** An outcome with the message it is about, named by the temporary id that TDLib's present client uses. */
export interface OutcomeOf {
  readonly chatId: number;
  readonly temporaryId: number;
  readonly outcome: Outcome;
}

const PENDING = '"messageSendingStatePending"';

/**
 * The messages in an answer or an update that are on their way. Scheduled ones are not: they wait for their time, and the end
 * of their sending state says that they are scheduled, not sent. Only texts that can hold one are parsed.
 */
export function pendingMessagesOf(text: string): readonly PendingMessage[] {
  if (!text.includes(PENDING)) {
    return [];
  }
  const object = parseTdObject(text);
  const messages = object['@type'] === 'messages' ? object['messages'] : [objectMember(object, 'message') ?? object];
  return (messages as readonly (TdObject | null)[]).filter(isPending).map((message) => ({
    chatId: numberMember(message, 'chat_id'),
    temporaryId: numberMember(message, 'id'),
    fingerprint: fingerprintOf(objectMember(message, 'content')),
  }));
}

function isPending(message: TdObject | null): message is TdObject {
  return (
    message?.['@type'] === 'message' &&
    objectMember(message, 'sending_state')?.['@type'] === 'messageSendingStatePending' &&
    !isScheduledId(numberMember(message, 'id'))
  );
}

/** td_api's ids of scheduled messages have the third bit set (MessageId::SCHEDULED_MASK). */
export function isScheduledId(messageId: number): boolean {
  return ((messageId % 8) & 4) !== 0;
}

/** The last 20 bits of an id that the server has given are zero (MessageId::SERVER_ID_SHIFT). */
export function isServerId(messageId: number): boolean {
  return messageId % 2 ** 20 === 0;
}

/** Reads updateMessageSendSucceeded and updateMessageSendFailed; undefined for scheduled messages. */
export function outcomeOf(update: string): OutcomeOf | undefined {
  const object = parseTdObject(update);
  const message = objectMember(object, 'message');
  const temporaryId = numberMember(object, 'old_message_id');
  if (message === undefined || isScheduledId(temporaryId)) {
    return undefined;
  }
  const error = objectMember(object, 'error');
  return {
    chatId: numberMember(message, 'chat_id'),
    temporaryId,
    outcome:
      error === undefined
        ? { status: 'sent', messageId: numberMember(message, 'id') }
        : {
            status: 'failed',
            error: { code: numberMember(error, 'code'), message: stringMember(error, 'message'), source: 'tdlib' },
          },
  };
}

/** The outcome of a message that was deleted while it waited. TDLib never sends it, and no other update tells so. */
export const DELETED: Outcome = {
  status: 'failed',
  error: { code: 'deleted', message: 'the message was deleted before it was sent', source: 'gateway' },
};

/** Reads updateDeleteMessages; nothing when messages only left TDLib's memory. */
export function deletedOf(update: string): { readonly chatId: number; readonly messageIds: readonly number[] } {
  const object = parseTdObject(update);
  const isForGood = object['is_permanent'] === true && object['from_cache'] !== true;
  return {
    chatId: numberMember(object, 'chat_id'),
    messageIds: isForGood ? (object['message_ids'] as readonly number[]) : [],
  };
}

/** Members that change while a message waits, or with each client: files and what is derived from them. */
const UNSTABLE = new Set(['link_preview', 'minithumbnail', 'thumbnail', 'cover', 'entities', 'sizes']);
/** Members of files, all of which change. */
const FILE = 'file';
const MAX_DEPTH = 8;

/**
 * A number that a message's content keeps over restarts of TDLib, and that says nothing about the content. It tells messages
 * of one chat apart when TDLib, started anew, sends them under other temporary ids.
 */
export function fingerprintOf(content: TdObject | undefined): number {
  return content === undefined ? 0 : crc32(stableText(content, 0)) | 0;
}

function stableText(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) {
    return String(value);
  }
  if (depth > MAX_DEPTH) {
    return '';
  }
  if (Array.isArray(value)) {
    return (value as readonly unknown[]).map((item) => stableText(item, depth + 1)).join('\n');
  }
  const object = value as Readonly<Record<string, unknown>>;
  if (object['@type'] === FILE) {
    return '';
  }
  let text = '';
  for (const member of Object.keys(object)) {
    if (!UNSTABLE.has(member)) {
      text += `${member}\t${stableText(object[member], depth + 1)}\n`;
    }
  }
  return text;
}
