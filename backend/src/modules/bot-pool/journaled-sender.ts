import { setTimeout as sleep } from 'node:timers/promises';
import { databaseFailure } from '../../common/db/database-failure.js';
import { messageOf } from '../../common/errors/index.js';
import { DEFAULT_SETTINGS } from './dispatcher/dispatcher.js';
import { faultOf } from './dispatcher/fault.js';
import { SendError, type SendPort, type SendRequest, type StoredPart } from './dispatcher/part.js';
import type { PartSender, PoolPart } from './pool-part.js';
import type { PoolSendsRepository, StartedSend } from './pool-sends.repository.js';

/** A pause while the database is away. */
const AWAY_PAUSE_MS = 500;
/** Bots that are asked for a message, at most: that of the send may have gone with its worker. */
const ASKED_BOTS = 3;

/**
 * The senders as a dispatcher sees them. Each send is written down before it begins, and its message before it counts as stored; while
 * the database is away both wait. What is unknown stays written down, and is looked for in the chat.
 */
export class JournaledSender implements SendPort<PoolPart> {
  /** By bot, which sends one at a time. */
  private readonly started = new Map<string, StartedSend>();

  /** @param others the bots that could be asked for a message that another one has sent */
  constructor(
    private readonly poolId: string,
    private readonly sender: PartSender,
    private readonly journal: PoolSendsRepository,
    private readonly others: () => readonly string[],
  ) {}

  async send(request: SendRequest<PoolPart>): Promise<StoredPart> {
    const { botId, part, signal } = request;
    const started = await patiently(() => this.journal.begin(this.poolId, request), signal);
    this.started.set(botId, started);
    const stored = await this.sender.send(request).catch(async (error: unknown) => {
      // A row too many is looked for in vain.
      if (faultOf(error).class !== 'unknown') await this.journal.end(started.id).catch(() => undefined);
      // Its message may be there, and is TDLib's to delete: no object may be made of it.
      if (error instanceof SendError && error.trouble === 'taken_back') this.started.delete(botId);
      throw error;
    });
    if (stored.messageId > 0 && stored.sizeBytes === part.sizeBytes) await this.keep(started, part, stored);
    return stored;
  }

  async find({
    botId,
    chatId,
    part,
  }: Pick<SendRequest<PoolPart>, 'botId' | 'chatId' | 'part'>): Promise<StoredPart | undefined> {
    const started = this.started.get(botId);
    if (started === undefined) return undefined;
    const { fileName, afterMessageId } = started;
    const bots = [botId, ...this.others().filter((id) => id !== botId)].slice(0, ASKED_BOTS);
    for (const bot of bots) {
      try {
        const search = { chatId, fileNames: [fileName], afterMessageId };
        const found = (await this.sender.find(bot, search)).find(({ sizeBytes }) => sizeBytes === part.sizeBytes);
        if (found === undefined) return undefined;
        const stored = { botId, chatId, messageId: found.messageId, sizeBytes: found.sizeBytes };
        await this.keep(started, part, stored);
        return stored;
      } catch {
        // The next one may be there.
      }
    }
    return undefined;
  }

  private async keep(started: StartedSend, part: PoolPart, stored: StoredPart): Promise<void> {
    await patiently(() => this.journal.stored(started, part, stored));
    this.started.delete(stored.botId);
  }
}

/** Writes, and waits for the database while it is away: for as long as a part may take. @throws SendError */
async function patiently<T>(write: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const deadline = performance.now() + DEFAULT_SETTINGS.partMs;
  for (;;) {
    if (signal?.aborted === true) throw new SendError('the send was taken back before it began');
    try {
      return await write();
    } catch (error) {
      if (databaseFailure(error) === undefined || performance.now() >= deadline) {
        throw new SendError(`it was not written down: ${messageOf(error)}`, undefined, 'connection');
      }
      await sleep(AWAY_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
