import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { BlobReads } from './blob-reads.js';
import { BlobsRepository } from './blobs.repository.js';
import { BotCalls, isGone, startingWith } from './bot-calls.js';
import { PoolsRepository } from './pools.repository.js';
import type { Blob } from './stored-object.js';

/** What became of messages that nothing refers to any more. */
export type Remote = 'deleted' | 'pending' | 'not_possible';

/** Of several: what is still to be done before what cannot be, and that before what is done. */
export function worstOf(ends: readonly Remote[]): Remote {
  if (ends.includes('pending')) return 'pending';
  return ends.includes('not_possible') ? 'not_possible' : 'deleted';
}

/** Bots may delete for 48 hours (https://core.telegram.org/bots/api#deletemessage); our clock may be a little behind. */
const DELETABLE_MS = 48 * 3_600_000 - 5 * 60_000;
/** Messages that are deleted at the same time. */
const ERASED_AT_ONCE = 8;

/** A session that may delete. */
interface Deleter {
  readonly kind: 'bot' | 'user';
  readonly id: string;
}

/** Deletes the messages of blobs: by the pool's bots while Telegram lets them, by its janitor after that. */
@Injectable()
export class BlobEraser {
  private readonly logger: AppLogger;
  private readonly erasing = pLimit(ERASED_AT_ONCE);

  constructor(
    private readonly blobs: BlobsRepository,
    private readonly reads: BlobReads,
    private readonly pools: PoolsRepository,
    private readonly calls: BotCalls,
    logger: AppLogger,
  ) {
    this.logger = logger.for(BlobEraser.name);
  }

  /** Never rejects: what cannot be deleted stays known. @returns the worst of what came of each */
  async erase(poolId: string, blobs: readonly Blob[]): Promise<Remote> {
    return worstOf(await this.eraseEach(poolId, blobs));
  }

  /** Never rejects. @returns what came of each, in their order */
  async eraseEach(poolId: string, blobs: readonly Blob[]): Promise<readonly Remote[]> {
    if (blobs.length === 0) return [];
    const bots = (await this.pools.bots(poolId).catch(() => [])).map(({ sessionId }) => sessionId);
    const janitor = await this.pools.janitor(poolId).catch(() => undefined);
    return Promise.all(blobs.map((blob) => this.erasing(() => this.eraseOne(bots, janitor, blob))));
  }

  private async eraseOne(bots: readonly string[], janitor: string | undefined, blob: Blob): Promise<Remote> {
    const { id } = blob;
    try {
      const isDeletable = Date.now() - blob.storedAt.getTime() <= DELETABLE_MS;
      if (!isDeletable && janitor === undefined) {
        await this.blobs.note(id, 'unlinked', 'bots may delete messages for 48 hours only');
        return 'not_possible';
      }
      if (await this.reads.isRead(id)) {
        // Whoever reads it deletes it then.
        await this.blobs.note(id, 'orphan', 'it is being read');
        return 'pending';
      }
      const deleters: Deleter[] = isDeletable
        ? startingWith(bots, blob.uploaderId).map((bot) => ({ kind: 'bot', id: bot }))
        : [];
      if (janitor !== undefined) deleters.push({ kind: 'user', id: janitor });
      let failure: unknown = 'the pool has no bot';
      for (const deleter of deleters) {
        try {
          await this.eraseBy(deleter, blob);
          await this.blobs.forget(id);
          return 'deleted';
        } catch (error) {
          failure = error;
        }
      }
      await this.blobs.note(id, 'orphan', messageOf(failure));
    } catch (error) {
      this.logger.warn(`a message was not deleted: ${messageOf(error)}`);
    }
    return 'pending';
  }

  private async eraseBy({ kind, id }: Deleter, { chatId, messageId }: Blob): Promise<void> {
    try {
      // TDLib deletes no message that it has not seen.
      await this.calls.callAs(kind, id, 'getMessage', { chat_id: chatId, message_id: messageId });
    } catch (error) {
      if (isGone(error)) return;
      throw error;
    }
    await this.calls.callAs(kind, id, 'deleteMessages', { chat_id: chatId, message_ids: [messageId], revoke: true });
  }
}
