import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { BudgetLimits } from './dispatcher/send-budget.js';

/** What of a pool its owner sets. */
export interface PoolSettings {
  readonly name: string;
  readonly chunkBytes: number;
  readonly budget: BudgetLimits;
  readonly isPaused: boolean;
  /** The user session that deletes what bots may not any more. */
  readonly janitorId: string | undefined;
  /** How often it is scrubbed by itself; undefined for never. */
  readonly scrub: { readonly everyHours: number; readonly sample: number } | undefined;
}

/** A pool as it is registered. */
export interface PoolRow extends PoolSettings {
  readonly id: string;
  /** Where its messages are; new ones go to the last. */
  readonly chatIds: readonly number[];
  /** The worker that runs its dispatcher; undefined while none does. */
  readonly owner: { readonly id: string; readonly addr: string } | undefined;
  readonly objects: number;
  readonly bytes: number;
  readonly createdAt: Date;
}

export type RegisteredBotState = 'active' | 'paused' | 'quarantined';

/** A bot of a pool as it is registered. */
export interface PoolBotRow {
  readonly sessionId: string;
  readonly state: RegisteredBotState;
  readonly reason: string | undefined;
  readonly cooldownUntil: Date | undefined;
  /** Rises with every change that somebody asked for, so that the dispatcher follows those and not its own. */
  readonly revision: number;
}

interface RawPool {
  readonly id: string;
  readonly name: string;
  readonly chunk_bytes: number;
  readonly budget_max: number;
  readonly budget_window_ms: number;
  readonly budget_gap_ms: number;
  readonly is_paused: boolean;
  readonly janitor_id: string | null;
  readonly scrub_every_hours: number | null;
  readonly scrub_sample: number;
  readonly chat_ids: readonly string[];
  readonly owner_id: string | null;
  readonly owner_addr: string | null;
  readonly objects: string;
  readonly bytes: string;
  readonly created_at: Date;
}

interface RawBot {
  readonly session_id: string;
  readonly state: RegisteredBotState;
  readonly reason: string | null;
  readonly cooldown_until: Date | null;
  readonly revision: number;
}

const SELECT = `
  SELECT p.*, w.id AS owner_id, w.addr AS owner_addr,
         array(SELECT c.chat_id FROM pool_chats c WHERE c.pool_id = p.id ORDER BY c.seq) AS chat_ids,
         o.objects, o.bytes
    FROM pools p
    LEFT JOIN workers w ON w.id = p.owner_worker AND w.expires_at > now()
   CROSS JOIN LATERAL (SELECT count(*) AS objects, coalesce(sum(size_bytes), 0) AS bytes
                         FROM pool_objects WHERE pool_id = p.id) AS o`;

/** The registry of pools: their chats, their bots, and who runs them. */
@Injectable()
export class PoolsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async create(id: string, settings: PoolSettings, chatId: number): Promise<void> {
    await this.unitOfWork.rows(
      `WITH pool AS (
         INSERT INTO pools (id, name, chunk_bytes, budget_max, budget_window_ms, budget_gap_ms, is_paused, janitor_id,
                            scrub_every_hours, scrub_sample)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id, name)
       INSERT INTO pool_buckets (id, pool_id, name) SELECT id, id, name FROM pool`,
      columnsOf(id, settings),
    );
    await this.addChat(id, chatId);
  }

  async list(): Promise<PoolRow[]> {
    return (await this.unitOfWork.rows<RawPool>(`${SELECT} ORDER BY p.created_at, p.id`)).map(toPool);
  }

  /** By its id, or by its name. */
  async find(idOrName: string): Promise<PoolRow | undefined> {
    const [row] = await this.unitOfWork.rows<RawPool>(`${SELECT} WHERE p.id::text = $1 OR p.name = $1 LIMIT 1`, [
      idOrName,
    ]);
    return row && toPool(row);
  }

  async update(id: string, settings: PoolSettings): Promise<void> {
    await this.unitOfWork.rows(
      `WITH bucket AS (UPDATE pool_buckets SET name = $2 WHERE id = $1)
       UPDATE pools SET name = $2, chunk_bytes = $3, budget_max = $4, budget_window_ms = $5, budget_gap_ms = $6,
              is_paused = $7, janitor_id = $8, scrub_every_hours = $9, scrub_sample = $10 WHERE id = $1`,
      columnsOf(id, settings),
    );
  }

  /** The user that deletes for the pool, if it has one. */
  async janitor(id: string): Promise<string | undefined> {
    const [row] = await this.unitOfWork.rows<{ janitor_id: string | null }>(
      'SELECT janitor_id FROM pools WHERE id = $1',
      [id],
    );
    return row?.janitor_id ?? undefined;
  }

  /** Its chats, bots and blobs go with it; not while it has objects. */
  async remove(id: string): Promise<void> {
    await this.unitOfWork.rows('DELETE FROM pools WHERE id = $1', [id]);
  }

  /** New messages go there from now on. */
  async addChat(id: string, chatId: number): Promise<void> {
    await this.unitOfWork.rows('DELETE FROM pool_chats WHERE pool_id = $1 AND chat_id = $2', [id, chatId]);
    await this.unitOfWork.rows('INSERT INTO pool_chats (pool_id, chat_id) VALUES ($1, $2)', [id, chatId]);
  }

  async bots(poolId: string): Promise<PoolBotRow[]> {
    const rows = await this.unitOfWork.rows<RawBot>(
      'SELECT * FROM pool_bots WHERE pool_id = $1 ORDER BY added_at, session_id',
      [poolId],
    );
    return rows.map(toBot);
  }

  /** @returns false when the session is in a pool already, this one or another */
  async addBot(
    poolId: string,
    sessionId: string,
    state: RegisteredBotState,
    reason: string | undefined,
  ): Promise<boolean> {
    const added = await this.unitOfWork.rows(
      `INSERT INTO pool_bots (session_id, pool_id, state, reason) VALUES ($1, $2, $3, $4)
       ON CONFLICT (session_id) DO NOTHING RETURNING session_id`,
      [sessionId, poolId, state, reason ?? null],
    );
    return added.length > 0;
  }

  /** Somebody asked for it: the dispatcher follows. @returns whether the pool has the bot */
  async changeBot(
    poolId: string,
    sessionId: string,
    state: RegisteredBotState,
    reason: string | undefined,
  ): Promise<boolean> {
    const changed = await this.unitOfWork.rows(
      `UPDATE pool_bots SET state = $3, reason = $4, revision = revision + 1
        WHERE pool_id = $1 AND session_id = $2 RETURNING session_id`,
      [poolId, sessionId, state, reason ?? null],
    );
    return changed.length > 0;
  }

  /** @returns whether the pool has the bot */
  async liftCooldown(poolId: string, sessionId: string): Promise<boolean> {
    const changed = await this.unitOfWork.rows(
      `UPDATE pool_bots SET cooldown_until = NULL, revision = revision + 1
        WHERE pool_id = $1 AND session_id = $2 RETURNING session_id`,
      [poolId, sessionId],
    );
    return changed.length > 0;
  }

  /** @returns whether the pool had the bot */
  async removeBot(poolId: string, sessionId: string): Promise<boolean> {
    const removed = await this.unitOfWork.rows(
      'DELETE FROM pool_bots WHERE pool_id = $1 AND session_id = $2 RETURNING session_id',
      [poolId, sessionId],
    );
    return removed.length > 0;
  }

  /** Takes the pools that no living worker runs. @returns all that this worker runs now */
  async claim(workerId: string): Promise<readonly string[]> {
    await this.unitOfWork.rows(
      `UPDATE pools SET owner_worker = $1, owner_epoch = owner_epoch + 1 WHERE id IN (
         SELECT p.id FROM pools p
          WHERE p.owner_worker IS NULL
             OR NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = p.owner_worker AND w.expires_at > now())
          FOR UPDATE SKIP LOCKED)`,
      [workerId],
    );
    const rows = await this.unitOfWork.rows<{ id: string }>('SELECT id FROM pools WHERE owner_worker = $1', [workerId]);
    return rows.map(({ id }) => id);
  }

  async release(workerId: string): Promise<void> {
    await this.unitOfWork.rows('UPDATE pools SET owner_worker = NULL WHERE owner_worker = $1', [workerId]);
  }

  /** For the dispatcher: what it has learnt of a bot. A cooldown that is written later never ends earlier. */
  async noteCooldown(sessionId: string, until: Date): Promise<void> {
    await this.unitOfWork.rows(
      'UPDATE pool_bots SET cooldown_until = greatest(cooldown_until, $2) WHERE session_id = $1',
      [sessionId, until],
    );
  }

  /** For the dispatcher. */
  async noteQuarantine(sessionId: string, reason: string): Promise<void> {
    await this.unitOfWork.rows(`UPDATE pool_bots SET state = 'quarantined', reason = $2 WHERE session_id = $1`, [
      sessionId,
      reason,
    ]);
  }
}

function columnsOf(id: string, settings: PoolSettings): readonly unknown[] {
  const { name, chunkBytes, budget, isPaused, janitorId, scrub } = settings;
  return [
    id,
    name,
    chunkBytes,
    budget.max,
    budget.windowMs,
    budget.gapMs,
    isPaused,
    janitorId ?? null,
    scrub?.everyHours ?? null,
    scrub?.sample ?? 100,
  ];
}

function toPool(row: RawPool): PoolRow {
  return {
    id: row.id,
    name: row.name,
    chunkBytes: row.chunk_bytes,
    budget: { max: row.budget_max, windowMs: row.budget_window_ms, gapMs: row.budget_gap_ms },
    isPaused: row.is_paused,
    janitorId: row.janitor_id ?? undefined,
    scrub: row.scrub_every_hours === null ? undefined : { everyHours: row.scrub_every_hours, sample: row.scrub_sample },
    chatIds: row.chat_ids.map(Number),
    owner: row.owner_id === null || row.owner_addr === null ? undefined : { id: row.owner_id, addr: row.owner_addr },
    objects: Number(row.objects),
    bytes: Number(row.bytes),
    createdAt: row.created_at,
  };
}

function toBot(row: RawBot): PoolBotRow {
  return {
    sessionId: row.session_id,
    state: row.state,
    reason: row.reason ?? undefined,
    cooldownUntil: row.cooldown_until ?? undefined,
    revision: row.revision,
  };
}
