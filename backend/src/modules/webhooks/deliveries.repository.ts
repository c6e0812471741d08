import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { AttemptDto, DeliveryStatus } from './delivery.dto.js';
import { KEPT } from './retention.js';
import { IS_SERVED } from './subscriptions.repository.js';

/** A delivery as the log shows it. */
export interface DeliveryRow {
  readonly id: string;
  readonly seq: string;
  readonly status: DeliveryStatus;
  readonly type: string;
  /** An int64, so a string. */
  readonly chat_id: string | null;
  readonly at: Date;
  readonly attempts: number;
  readonly due_at: Date | null;
  readonly decided_at: Date | null;
  readonly log: readonly AttemptDto[];
}

/** What a stream gives: the update is the JSON that TDLib wrote. */
export interface EventRow {
  readonly id: string;
  readonly seq: string;
  readonly at: Date;
  readonly payload: string;
}

/** An update to be stored. */
export interface NewUpdate {
  readonly id: string;
  readonly sessionId: string;
  readonly type: string;
  readonly payload: string;
}

/** For whom it is stored. */
export interface NewDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  readonly status: 'pending' | 'stored';
}

const COLUMNS = `d.id, d.seq, d.status, u.type, d.chat_id, u.at, d.attempts, d.due_at, d.decided_at, d.log`;
const FROM = `FROM deliveries d JOIN updates u ON u.part = d.part AND u.id = d.update_id
  WHERE d.subscription_id = $1 AND d.created_at > now() - ${KEPT}`;
/** Of a delivery that begins anew. */
const ANEW = `status = 'pending', attempts = 0, due_at = now(), claim_epoch = NULL, was_probe = false, decided_at = NULL`;

/** The log of deliveries, and the events of streams. What the lanes do is in lanes.repository.ts. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** The newest first. @param before a delivery's number */
  page(
    subscriptionId: string,
    status: DeliveryStatus | undefined,
    before: number | undefined,
    limit: number,
  ): Promise<readonly DeliveryRow[]> {
    return this.unitOfWork.rows<DeliveryRow>(
      `SELECT ${COLUMNS} ${FROM} AND ($2::text IS NULL OR d.status = $2) AND ($3::bigint IS NULL OR d.seq < $3)
        ORDER BY d.seq DESC LIMIT $4`,
      [subscriptionId, status ?? null, before ?? null, limit],
    );
  }

  async find(subscriptionId: string, id: string): Promise<(DeliveryRow & { readonly payload: string }) | undefined> {
    const [row] = await this.unitOfWork.rows<DeliveryRow & { readonly payload: string }>(
      `SELECT ${COLUMNS}, u.payload ${FROM} AND d.id = $2`,
      [subscriptionId, id],
    );
    return row;
  }

  /** Puts one in line again, whatever became of it; one that is under way goes on. @returns false when there is none */
  async retry(subscriptionId: string, id: string): Promise<boolean> {
    await this.unitOfWork.rows(
      `UPDATE deliveries SET ${ANEW} WHERE subscription_id = $1 AND id = $2 AND claim_epoch IS NULL`,
      [subscriptionId, id],
    );
    const found = await this.unitOfWork.rows('SELECT 1 FROM deliveries WHERE subscription_id = $1 AND id = $2', [
      subscriptionId,
      id,
    ]);
    return found.length > 0;
  }

  /** Stores an update for one subscription, in its place in the order of the session's updates. */
  async insertOne(update: NewUpdate, delivery: NewDelivery): Promise<void> {
    await this.unitOfWork.rows(
      `WITH session AS (SELECT id FROM sessions WHERE id = $1 FOR NO KEY UPDATE),
       stored AS (
         INSERT INTO updates (part, id, session_id, type, at, payload)
         SELECT update_part(now()), $2, id, $3, now(), $4 FROM session RETURNING part)
       INSERT INTO deliveries (part, id, subscription_id, update_id, status, due_at)
       SELECT part, $5, $6, $2, $7, now() FROM stored`,
      [update.sessionId, update.id, update.type, update.payload, delivery.id, delivery.subscriptionId, delivery.status],
    );
  }

  /** Puts in line again what was given up of the updates since then. @returns how many */
  async recover(subscriptionId: string, since: Date): Promise<number> {
    const [row] = await this.unitOfWork.rows<{ count: number }>(
      `WITH again AS (
         UPDATE deliveries SET ${ANEW}
          WHERE subscription_id = $1 AND status = 'failed' AND created_at >= $2 AND created_at > now() - ${KEPT}
         RETURNING id)
       SELECT count(*)::int AS count FROM again`,
      [subscriptionId, since],
    );
    return row?.count ?? 0;
  }

  /**
   * What came after a number, oldest first.
   * @returns undefined when there is no such subscription, or its token is off or does not cover the session
   */
  async events(subscriptionId: string, after: number, limit: number): Promise<readonly EventRow[] | undefined> {
    const rows = await this.unitOfWork.rows<EventRow | { readonly id: null }>(
      `SELECT e.* FROM subscriptions s JOIN sessions x ON x.id = s.session_id
         LEFT JOIN LATERAL (SELECT d.id, d.seq, u.at, u.payload ${FROM} AND d.seq > $2 ORDER BY d.seq LIMIT $3) e ON true
        WHERE s.id = $1 AND ${IS_SERVED} ORDER BY e.seq`,
      [subscriptionId, after, limit],
    );
    return rows.length === 0 ? undefined : rows.filter((row) => row.id !== null);
  }

  /** The number after which everything is still to come. */
  async newest(subscriptionId: string): Promise<number> {
    const [row] = await this.unitOfWork.rows<{ seq: string | null }>(
      'SELECT max(seq) AS seq FROM deliveries WHERE subscription_id = $1',
      [subscriptionId],
    );
    return Number(row?.seq ?? 0);
  }
}
