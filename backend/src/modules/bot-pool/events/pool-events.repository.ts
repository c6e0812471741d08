import { Injectable } from '@nestjs/common';
import { Notifications } from '../../../common/db/notifications.js';
import { UnitOfWork } from '../../../common/db/unit-of-work.js';

/** What has happened in a pool. */
export interface NewPoolEvent {
  readonly type:
    'chunks' | 'bot' | 'object.stored' | 'object.deleted' | 'upload.begun' | 'upload.aborted' | 'upload.failed';
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event with its place: numbers of a pool follow each other without gaps. */
export interface StoredPoolEvent {
  readonly seq: number;
  readonly type: string;
  /** JSON. */
  readonly data: string;
  readonly at: Date;
}

const KEPT = '1 day';
/** Of one pool, however young. */
const KEPT_COUNT = 10_000;

/** The events of pools. What is written in a transaction is there with it, or not at all. */
@Injectable()
export class PoolEventsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly notifications: Notifications,
  ) {}

  /** Also within a transaction: nobody else writes an event of the pool until it ends. */
  async add(poolId: string, events: readonly NewPoolEvent[]): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.unitOfWork.rows(
        `WITH head AS (
           INSERT INTO pool_event_heads (pool_id, seq) VALUES ($1, $2)
           ON CONFLICT (pool_id) DO UPDATE SET seq = pool_event_heads.seq + $2 RETURNING seq)
         INSERT INTO pool_events (pool_id, seq, type, data)
         SELECT $1, head.seq - $2 + e.n, e.event->>'type', e.event->'data'
           FROM head, jsonb_array_elements($3::jsonb) WITH ORDINALITY AS e (event, n)`,
        [poolId, events.length, JSON.stringify(events)],
      );
      await this.notifications.publish('pool_events', poolId);
    });
  }

  /** The number of the newest; 0 before the first. */
  async newest(poolId: string): Promise<number> {
    const [row] = await this.unitOfWork.rows<{ seq: string }>('SELECT seq FROM pool_event_heads WHERE pool_id = $1', [
      poolId,
    ]);
    return Number(row?.seq ?? 0);
  }

  /** Those after a number, in their order; the first has another number than the next one when some are not kept any more. */
  async after(poolId: string, seq: number, limit: number): Promise<StoredPoolEvent[]> {
    const rows = await this.unitOfWork.rows<{ seq: string; type: string; data: string; at: Date }>(
      `SELECT seq, type, data::text AS data, at FROM pool_events WHERE pool_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
      [poolId, seq, limit],
    );
    return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
  }

  /** Forgets what is older than a day, or too much. */
  async forgetOld(): Promise<void> {
    await this.unitOfWork.rows(
      `DELETE FROM pool_events e USING pool_event_heads h
        WHERE h.pool_id = e.pool_id AND (e.at < now() - interval '${KEPT}' OR e.seq <= h.seq - ${KEPT_COUNT})`,
    );
  }
}
