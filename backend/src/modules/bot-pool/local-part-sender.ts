import { Injectable } from '@nestjs/common';
import PQueue from 'p-queue';
import { AppError, messageOf, TdlibError } from '../../common/errors/index.js';
import {
  ClientClosedError,
  loadChatQuery,
  numberMember,
  objectMember,
  parseTdObject,
  stringMember,
  supergroupChatId,
  type TdClient,
  type TdObject,
} from '../../telegram/index.js';
import { OpenSessions } from '../sessions/index.js';
import { SendError, type StoredPart } from './dispatcher/part.js';
import { documentOf } from './message-document.js';
import { findMessages, type FoundMessage, type MessageSearch } from './message-search.js';
import { type BotMessage, type BotSend, PartSender } from './pool-part.js';

/** How long TDLib may take to say what became of a message that was taken back. */
const TAKE_BACK_MS = 10_000;
/** How long nothing of a send may leave. TDLib sits out floods of up to 8 s on its own. */
const STALL_MS = 60_000;

/**
 * Sends parts over the bots of this process. Each bot has its queue here, with the worker that holds it, so that it sends one part
 * at a time even while a pool changes hands and two dispatchers ask.
 */
@Injectable()
export class LocalPartSender extends PartSender {
  private readonly queues = new Map<string, PQueue>();

  constructor(private readonly sessions: OpenSessions) {
    super();
  }

  override async send(send: BotSend): Promise<StoredPart> {
    const { botId, signal } = send;
    const queue = this.queues.get(botId) ?? new PQueue({ concurrency: 1 });
    this.queues.set(botId, queue);
    try {
      return await queue.add(async () => {
        if (signal.aborted) throw new SendError('the send was taken back before it began');
        const client = await this.clientOf(botId);
        await makeKnown(client, send.chatId);
        return new OneSend(this.sessions, client, send).run();
      });
    } catch (error) {
      throw toSendError(error);
    } finally {
      if (queue.size === 0 && queue.pending <= 1) this.queues.delete(botId);
    }
  }

  override async erase({ botId, chatId, messageId }: BotMessage): Promise<void> {
    const client = await this.clientOf(botId);
    // TDLib deletes no message that it has not seen.
    await client.request({ '@type': 'getMessage', chat_id: chatId, message_id: messageId });
    await client.request({ '@type': 'deleteMessages', chat_id: chatId, message_ids: [messageId], revoke: true });
  }

  override async find(botId: string, search: MessageSearch): Promise<readonly FoundMessage[]> {
    const client = await this.clientOf(botId);
    await makeKnown(client, search.chatId);
    return findMessages((query) => client.request(query), search);
  }

  private clientOf(botId: string): Promise<TdClient> {
    return this.sessions.client('bot', botId);
  }
}

/** What of an error tells whose fault it is. */
function toSendError(error: unknown): SendError {
  if (error instanceof SendError) return error;
  if (error instanceof TdlibError) return new SendError(error.message, error.tdCode);
  if (error instanceof ClientClosedError) return new SendError(error.message, undefined, 'answer_lost');
  return absenceOf(error);
}

/**
 * What it means for a send that the bot's session cannot be asked: a fault of the bot where somebody has to do something about the
 * session, and nothing lasting where a worker is opening it, or logs it in again by itself, or could not be found out or reached.
 */
export function absenceOf(error: unknown): SendError {
  const status = error instanceof AppError ? error.details?.['status'] : undefined;
  const isOnItsWay = status === 'authorized' || status === 'connecting';
  return error instanceof AppError && (error.status === 404 || error.status === 409) && !isOnItsWay
    ? new SendError(`the session is not authorized: ${error.message}`)
    : new SendError(messageOf(error), undefined, 'connection');
}

/** TDLib sends to chats only that it has loaded. */
async function makeKnown(client: TdClient, chatId: number): Promise<void> {
  const known = await client.request({ '@type': 'getChat', chat_id: chatId }).catch(() => undefined);
  const load = loadChatQuery(chatId);
  if (known === undefined && load !== undefined) await client.request(load);
}

/** One message on its way, from the request to what Telegram decides. */
class OneSend {
  private temporaryId: number | undefined;
  private fileId: number | undefined;
  /** What came before the answer that tells which message it is about. */
  private readonly early: TdObject[] = [];
  private isTakenBack = false;
  private stall: NodeJS.Timeout | undefined;
  private settle: { resolve: (stored: StoredPart) => void; reject: (error: Error) => void } | undefined;

  constructor(
    private readonly sessions: OpenSessions,
    private readonly client: TdClient,
    private readonly send: BotSend,
  ) {}

  async run(): Promise<StoredPart> {
    const { botId, chatId, part, signal } = this.send;
    const stopListening = this.sessions.listen(botId, (type, update) => {
      if (TYPES.has(type)) this.take(parseTdObject(update));
    });
    const takeBack = (): void => this.takeBack();
    signal.addEventListener('abort', takeBack);
    const outcome = new Promise<StoredPart>((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    outcome.catch(() => undefined);
    void this.client.closed.then(() =>
      this.settle?.reject(new SendError('the client was closed', undefined, 'answer_lost')),
    );
    try {
      this.watch();
      const message = await this.client.request({
        '@type': 'sendMessage',
        chat_id: chatId,
        input_message_content: {
          '@type': 'inputMessageDocument',
          document: { '@type': 'inputFileLocal', path: part.path },
          disable_content_type_detection: true,
        },
      });
      this.temporaryId = numberMember(message, 'id');
      this.fileId = documentOf(message)?.id;
      for (const update of this.early.splice(0)) this.take(update);
      if (signal.aborted) this.takeBack();
      return await outcome;
    } finally {
      clearTimeout(this.stall);
      stopListening();
      signal.removeEventListener('abort', takeBack);
    }
  }

  private take(update: TdObject): void {
    if (this.temporaryId === undefined) {
      this.early.push(update);
      return;
    }
    switch (update['@type']) {
      case 'updateFile':
        this.progressed(objectMember(update, 'file'));
        break;
      case 'updateMessageSendSucceeded':
        if (this.isOurs(update)) this.succeeded(objectMember(update, 'message'));
        break;
      case 'updateMessageSendFailed':
        if (this.isOurs(update)) this.failed(objectMember(update, 'error'));
        break;
      case 'updateSupergroup':
        this.looked(objectMember(update, 'supergroup'));
        break;
      case 'updateDeleteMessages':
        if (this.isTakenBack && numbersOf(update['message_ids']).includes(this.temporaryId)) {
          this.settle?.reject(new SendError('the send was taken back'));
        }
        break;
      default:
        break;
    }
  }

  private isOurs(update: TdObject): boolean {
    const message = objectMember(update, 'message');
    return (
      numberMember(update, 'old_message_id') === this.temporaryId &&
      message !== undefined &&
      numberMember(message, 'chat_id') === this.send.chatId
    );
  }

  private succeeded(message: TdObject | undefined): void {
    this.settle?.resolve({
      botId: this.send.botId,
      chatId: this.send.chatId,
      messageId: message === undefined ? 0 : numberMember(message, 'id'),
      sizeBytes: (message && documentOf(message)?.size) ?? 0,
    });
  }

  private failed(error: TdObject | undefined): void {
    // TDLib keeps a message that failed; nobody will send it again.
    void this.forget();
    const { code, text } =
      error === undefined
        ? { code: 0, text: 'the send failed' }
        : { code: numberMember(error, 'code'), text: stringMember(error, 'message') };
    this.settle?.reject(new SendError(text, code));
  }

  private progressed(file: TdObject | undefined): void {
    if (file === undefined || numberMember(file, 'id') !== this.fileId) return;
    const remote = objectMember(file, 'remote');
    this.watch();
    if (remote !== undefined) this.send.onProgress(numberMember(remote, 'uploaded_size'));
  }

  /** Of a chat that the bot is not in any more TDLib hears nothing, not even what became of a message. */
  private looked(supergroup: TdObject | undefined): void {
    if (supergroup === undefined || supergroupChatId(numberMember(supergroup, 'id')) !== this.send.chatId) return;
    const status = objectMember(supergroup, 'status')?.['@type'];
    if (status !== 'chatMemberStatusBanned' && status !== 'chatMemberStatusLeft') return;
    this.settle?.reject(new SendError('the bot is not in the chat any more', undefined, 'answer_lost'));
  }

  private watch(): void {
    clearTimeout(this.stall);
    this.stall = setTimeout(() => this.takeBack(), STALL_MS);
  }

  private takeBack(): void {
    if (this.temporaryId === undefined || this.isTakenBack) return;
    this.isTakenBack = true;
    void this.forget();
    clearTimeout(this.stall);
    // A message whose end nobody tells may still arrive.
    this.stall = setTimeout(
      () =>
        this.settle?.reject(new SendError('the send was taken back, and its end is unknown', undefined, 'taken_back')),
      TAKE_BACK_MS,
    );
  }

  private async forget(): Promise<void> {
    const { chatId } = this.send;
    const query = { '@type': 'deleteMessages', chat_id: chatId, message_ids: [this.temporaryId], revoke: true };
    await this.client.request(query).catch(() => undefined);
  }
}

const TYPES: ReadonlySet<string> = new Set([
  'updateFile',
  'updateMessageSendSucceeded',
  'updateMessageSendFailed',
  'updateSupergroup',
  'updateDeleteMessages',
]);

function numbersOf(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'number') : [];
}
