import { numberMember, type TdObject } from '../../telegram/index.js';
import { documentOf } from './message-document.js';

/** What is looked for in a chat. */
export interface MessageSearch {
  readonly chatId: number;
  /** Files are sent with random names, which tell their messages. */
  readonly fileNames: readonly string[];
  /** None of them is older than this message. */
  readonly afterMessageId: number;
}

/** A message that has one of the files. */
export interface FoundMessage {
  readonly messageId: number;
  readonly fileName: string;
  readonly sizeBytes: number;
}

/** TDLib's ids of the messages that a server has numbered are multiples of this. */
const SERVER_ID = 2 ** 20;
/** As many as TDLib asks Telegram for at once. */
const PAGE = 100;
/** How many pages are read at most. */
const PAGES = 50;

/**
 * Looks for messages by the names of their files. Bots can neither search a chat nor read its history; but whoever is in a channel
 * can read its messages by their ids, which the server gives one after the other. It ends at a page that has none.
 * @param ask runs a query of a bot of the chat
 */
export async function findMessages(
  ask: (query: TdObject) => Promise<TdObject>,
  { chatId, fileNames, afterMessageId }: MessageSearch,
): Promise<readonly FoundMessage[]> {
  const wanted = new Set(fileNames);
  const found: FoundMessage[] = [];
  for (let page = 0; page < PAGES; page += 1) {
    const first = Math.floor(afterMessageId / SERVER_ID) + page * PAGE + 1;
    const message_ids = Array.from({ length: PAGE }, (_, index) => (first + index) * SERVER_ID);
    const messages = messagesIn(await ask({ '@type': 'getMessages', chat_id: chatId, message_ids }));
    if (messages.length === 0) break;
    for (const message of messages) {
      const document = documentOf(message);
      if (document === undefined || !wanted.has(document.name)) continue;
      found.push({ messageId: numberMember(message, 'id'), fileName: document.name, sizeBytes: document.size });
    }
  }
  return found;
}

function messagesIn(answer: TdObject): readonly TdObject[] {
  const messages = answer['messages'] as readonly (TdObject | null)[];
  return messages.filter((message) => message !== null);
}
