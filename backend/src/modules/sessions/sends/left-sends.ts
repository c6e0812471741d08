import { loadChatQuery, numberMember, objectMember, type TdClient, type TdObject } from '../../../telegram/index.js';
import { pairResends } from './resend-pairing.js';
import { fingerprintOf, isServerId } from './send-reader.js';
import type { SendsRepository } from './sends.repository.js';
import type { SessionSends } from './session-sends.js';
import { type TrackedSend, untilDecided } from './tracked-send.js';

/** What is being sent in the same chat is waited for: it must not be taken for what is looked for. */
const OTHERS_TIMEOUT_MS = 30_000;
/** How far back history is read, in messages. */
const HISTORY_PAGES = 10;
const PAGE = 100;
/** How many messages after the last known one are looked at where there is no history to read. */
const WINDOW = 300;
const SERVER_ID = 2 ** 20;
/** How far our clock and Telegram's may be apart. */
const CLOCK_SKEW_SECONDS = 300;

interface Candidate {
  readonly messageId: number;
  readonly fingerprint: number;
}

/**
 * Looks for messages that a killed process had in flight and that the next client does not send again. Most were sent: TDLib had
 * noted it, and the process died before it read the update. Telegram has them, and they are found by their content.
 */
export class LeftSends {
  constructor(private readonly repository: SendsRepository) {}

  /**
   * Concludes each: sent, or unknown when Telegram does not have it.
   * @param flush stores what is known, so that no message is taken for two sends
   * @throws TdlibError, DatabaseUnavailableError when it could not be looked at; what is not concluded stays pending
   */
  async conclude(
    client: TdClient,
    sends: SessionSends,
    left: readonly TrackedSend[],
    flush: () => Promise<void>,
  ): Promise<void> {
    const chats = new Set(left.map(({ chatId }) => chatId));
    for (const chatId of chats) {
      await untilDecided(sends.inFlight(chatId), OTHERS_TIMEOUT_MS);
      await flush();
      const wanted = left.filter((send) => send.chatId === chatId && send.isPending);
      const candidates = await this.candidates(client, sends, wanted);
      const pairs = pairResends(wanted, candidates);
      for (const [index, send] of pairs.entries()) {
        const messageId = candidates[index]?.messageId;
        if (send !== undefined && messageId !== undefined) {
          sends.concludeLeft(send, { status: 'sent', messageId });
        }
      }
      for (const send of wanted) {
        sends.concludeLeft(send, { status: 'unknown' });
      }
    }
  }

  /** Messages that the account has sent to the chat since the first of the wanted ones, oldest first. */
  private async candidates(
    client: TdClient,
    { kind, lease: { sessionId } }: SessionSends,
    wanted: readonly TrackedSend[],
  ): Promise<readonly Candidate[]> {
    const [first] = wanted;
    if (first === undefined) {
      return [];
    }
    const { chatId } = first;
    const since = new Date(Math.min(...wanted.map(({ createdAt }) => createdAt.getTime())));
    await this.load(client, chatId);
    const messages =
      kind === 'user'
        ? await this.history(client, chatId, since)
        : await this.window(client, chatId, (await this.repository.lastSentBefore(sessionId, chatId, since)) ?? 0);
    const own = messages
      .filter((message) => message['is_outgoing'] === true && isServerId(numberMember(message, 'id')))
      .filter((message) => numberMember(message, 'date') >= since.getTime() / 1_000 - CLOCK_SKEW_SECONDS)
      .map((message) => ({
        messageId: numberMember(message, 'id'),
        fingerprint: fingerprintOf(objectMember(message, 'content')),
      }))
      .sort((a, b) => a.messageId - b.messageId);
    const ids = own.map(({ messageId }) => messageId);
    const taken = await this.repository.outcomesAmong(sessionId, chatId, ids);
    return own.filter(({ messageId }) => !taken.has(messageId));
  }

  /** A chat may have to be loaded before its messages can be read. */
  private async load(client: TdClient, chatId: number): Promise<void> {
    const query = loadChatQuery(chatId);
    if (query !== undefined) {
      await client.request({ '@type': 'getChat', chat_id: chatId }).catch(() => client.request(query));
    }
  }

  private async history(client: TdClient, chatId: number, since: Date): Promise<readonly TdObject[]> {
    const found: TdObject[] = [];
    let from = 0;
    for (let page = 0; page < HISTORY_PAGES; page += 1) {
      const messages = messagesIn(
        await client.request({
          '@type': 'getChatHistory',
          chat_id: chatId,
          from_message_id: from,
          offset: 0,
          limit: PAGE,
          only_local: false,
        }),
      );
      found.push(...messages);
      const last = messages.at(-1);
      if (last === undefined || numberMember(last, 'date') < since.getTime() / 1_000 - CLOCK_SKEW_SECONDS) {
        break;
      }
      from = numberMember(last, 'id');
    }
    return found;
  }

  /** Bots cannot read history, but they can read messages by their ids, which the server gives one after the other. */
  private async window(client: TdClient, chatId: number, after: number): Promise<readonly TdObject[]> {
    const found: TdObject[] = [];
    for (let offset = 0; offset < WINDOW; offset += PAGE) {
      const first = after / SERVER_ID + offset + 1;
      const message_ids = Array.from({ length: PAGE }, (_, index) => (first + index) * SERVER_ID);
      found.push(...messagesIn(await client.request({ '@type': 'getMessages', chat_id: chatId, message_ids })));
    }
    return found;
  }
}

function messagesIn(answer: TdObject): readonly TdObject[] {
  const messages = answer['messages'] as readonly (TdObject | null)[];
  return messages.filter((message): message is TdObject => message !== null);
}
