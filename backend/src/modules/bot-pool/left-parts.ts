import { Injectable } from '@nestjs/common';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { BotCalls } from './bot-calls.js';
import { findMessages, type FoundMessage, type MessageSearch } from './message-search.js';
import { PoolSendsRepository } from './pool-sends.repository.js';
import { PoolsRepository } from './pools.repository.js';

/** Bots may delete for 48 hours: what was not found by then stays where it is. */
const LOOKED_FOR_MS = 48 * 3_600_000;

/** Looks for the messages of sends whose end nobody has written down: the process had died, or the answer was lost. */
@Injectable()
export class LeftParts {
  private readonly logger: AppLogger;

  constructor(
    private readonly journal: PoolSendsRepository,
    private readonly pools: PoolsRepository,
    private readonly bots: BotCalls,
    logger: AppLogger,
  ) {
    this.logger = logger.for(LeftParts.name);
  }

  /**
   * Notes what is in the chats as blobs that no object refers to. TDLib may send again when a bot's next worker opens it, so that
   * what is not there yet is looked for again.
   * @param olderThanMs so long after its beginning no send can go on
   */
  async look(poolId: string, olderThanMs: number): Promise<void> {
    const left = await this.journal.left(poolId, olderThanMs);
    for (const chatId of new Set(left.map((send) => send.chatId))) {
      const sends = left.filter((send) => send.chatId === chatId);
      const byName = new Map(sends.map((send) => [send.fileName, send]));
      const afterMessageId = Math.min(...sends.map((send) => send.afterMessageId));
      for (const message of await this.find(poolId, { chatId, fileNames: [...byName.keys()], afterMessageId })) {
        const send = byName.get(message.fileName);
        if (send !== undefined) await this.journal.noteFound(send, message);
      }
    }
    await this.journal.forgetLeft(poolId, LOOKED_FOR_MS);
  }

  /** As one bot of the pool sees the chat; whichever answers. */
  private async find(poolId: string, search: MessageSearch): Promise<readonly FoundMessage[]> {
    for (const { sessionId } of await this.pools.bots(poolId)) {
      try {
        return await findMessages(
          ({ '@type': method, ...params }) => this.bots.call(sessionId, method, params),
          search,
        );
      } catch (error) {
        this.logger.warn(`messages were not looked for: ${messageOf(error)}`, { poolId, sessionId });
      }
    }
    return [];
  }
}
