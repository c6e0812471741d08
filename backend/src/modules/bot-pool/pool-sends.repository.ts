import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { Orphan, StoredPart } from './dispatcher/part.js';
import type { FoundMessage } from './message-search.js';
import type { PoolPart } from './pool-part.js';

/** A send of which nobody has written down yet what came of it. */
export interface StartedSend {
  readonly id: string;
  readonly poolId: string;
  readonly botId: string;
  readonly chatId: number;
  readonly fileName: string;
  /** The newest message of the pool in the chat when it began. */
  readonly afterMessageId: number;
}

interface RawSend {
  readonly id: string;
  readonly pool_id: string;
  readonly bot_id: string;
  readonly chat_id: string;
  readonly file_name: string;
  readonly after_message_id: string;
}

/**
 * What pools send, from before a send begins until it is known what came of it. Whatever of it outlives its process may be in the
 * chat without anybody knowing, and is looked for.
 */
@Injectable()
export class PoolSendsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async begin(
    poolId: string,
    { botId, chatId, part }: { readonly botId: string; readonly chatId: number; readonly part: PoolPart },
  ): Promise<StartedSend> {
    const [row] = await this.unitOfWork.rows<RawSend>(
      `INSERT INTO pool_sends (id, pool_id, bot_id, chat_id, file_name, size_bytes, after_message_id)
       SELECT $1, $2, $3, $4, $5, $6,
              coalesce((SELECT newest_message_id FROM pool_chats WHERE pool_id = $2 AND chat_id = $4), 0)
       RETURNING *`,
      [randomUUID(), poolId, botId, chatId, basename(part.path), part.sizeBytes],
    );
    if (row === undefined) throw new Error('no row was inserted');
    return toSend(row);
  }

  /** There is no message. */
  async end(id: string): Promise<void> {
    await this.unitOfWork.rows('DELETE FROM pool_sends WHERE id = $1', [id]);
  }

  /** There is a message: a blob, to which no object refers yet. */
  async stored({ id, poolId }: StartedSend, part: PoolPart, stored: StoredPart): Promise<void> {
    const { chatId, messageId, sizeBytes, botId } = stored;
    await this.unitOfWork.rows(
      `WITH ended AS (DELETE FROM pool_sends WHERE id = $1),
            newest AS (UPDATE pool_chats SET newest_message_id = greatest(newest_message_id, $5)
                        WHERE pool_id = $3 AND chat_id = $4)
       INSERT INTO pool_blobs (id, pool_id, chat_id, message_id, size_bytes, sha256, uploader_id, seal_head)
       VALUES ($2, $3, $4, $5, $6, $7, $8, decode($9, 'base64')) ON CONFLICT (id) DO NOTHING`,
      [id, part.id, poolId, chatId, messageId, sizeBytes, part.sha256 ?? null, botId, part.sealHead ?? null],
    );
  }

  /** The message of a part is gone again. */
  async forget(partId: string): Promise<void> {
    await this.unitOfWork.rows('DELETE FROM pool_blobs WHERE id = $1 AND refs = 0', [partId]);
  }

  /** A message that no object will refer to. */
  async noteOrphan(poolId: string, { botId, chatId, messageId, reason }: Orphan): Promise<void> {
    await this.unitOfWork.rows(
      `INSERT INTO pool_blobs (id, pool_id, chat_id, message_id, size_bytes, uploader_id, state, reason)
       VALUES (gen_random_uuid(), $1, $2, $3, 0, $4, 'orphan', $5)`,
      [poolId, chatId, messageId ?? null, botId, reason],
    );
  }

  /** Sends that have begun so long ago that they cannot go on, oldest first; at most 1000. */
  async left(poolId: string, olderThanMs: number): Promise<StartedSend[]> {
    const rows = await this.unitOfWork.rows<RawSend>(
      `SELECT * FROM pool_sends WHERE pool_id = $1 AND started_at < now() - $2 * interval '1 millisecond'
        ORDER BY started_at LIMIT 1000`,
      [poolId, olderThanMs],
    );
    return rows.map(toSend);
  }

  /** Notes the message of a send that was left, unless it is known: then another send of the same file was the one that counted. */
  async noteFound({ poolId, botId, chatId, id }: StartedSend, { messageId, sizeBytes }: FoundMessage): Promise<void> {
    await this.unitOfWork.rows(
      `INSERT INTO pool_blobs (id, pool_id, chat_id, message_id, size_bytes, uploader_id, state, reason, stored_at)
       SELECT gen_random_uuid(), $1, $2, $3, $4, $5, 'orphan', 'the answer was lost', s.started_at
         FROM pool_sends s
        WHERE s.id = $6 AND NOT EXISTS (SELECT 1 FROM pool_blobs b WHERE b.chat_id = $2 AND b.message_id = $3)`,
      [poolId, chatId, messageId, sizeBytes, botId, id],
    );
  }

  /** Those that have been looked for long enough: bots could not delete their messages any more. */
  async forgetLeft(poolId: string, olderThanMs: number): Promise<void> {
    await this.unitOfWork.rows(
      `DELETE FROM pool_sends WHERE pool_id = $1 AND started_at < now() - $2 * interval '1 millisecond'`,
      [poolId, olderThanMs],
    );
  }
}

function toSend(row: RawSend): StartedSend {
  return {
    id: row.id,
    poolId: row.pool_id,
    botId: row.bot_id,
    chatId: Number(row.chat_id),
    fileName: row.file_name,
    afterMessageId: Number(row.after_message_id),
  };
}
