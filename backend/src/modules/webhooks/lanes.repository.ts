import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { AttemptDto } from './delivery.dto.js';
import type { LaneItem, Loaded, LoadRequest, Settled } from './lane-host.js';
import { KEPT, THIS_HOUR } from './retention.js';
import type { Subscriber } from './subscriber.js';

/** What became of an attempt, with whose it was. */
export interface SettledOf {
  readonly settled: Settled;
  readonly of: Subscriber;
}

interface DueRow {
  readonly id: string;
  readonly part: number;
  readonly seq: string;
  readonly chat_id: string | null;
  readonly attempts: number;
  readonly payload: string;
}

/** Waits for its lane: not claimed, or by an owner that is no more. $2 is the lane's epoch. */
const UNCLAIMED = `d.subscription_id = $1 AND d.status = 'pending' AND d.claim_epoch IS DISTINCT FROM $2
  AND d.created_at > now() - ${KEPT}`;
/** $3 are chats that wait; in order, those wait too of which an older delivery is to be tried again later. */
const NOT_EXCEPTED = `(d.chat_id IS NULL OR d.chat_id <> ALL($3::bigint[]))`;
const BLOCKED = `SELECT DISTINCT b.chat_id FROM deliveries b WHERE b.subscription_id = $1 AND b.status = 'pending'
  AND b.due_at > now() AND b.chat_id IS NOT NULL AND b.created_at > now() - ${KEPT}`;
/**
 * Delivery d of row r, by its index. A plain equality, or a join with another table, would let the planner read a whole part, of
 * any size, to find a few rows in it: it takes each look into an index for a read from a disk.
 */
const BY_ID = `d.part = r.part AND d.id = ANY(ARRAY[r.id])`;
/** Of an attempt log, the newest that are kept. */
const LOG_LENGTH = 20;
const OUT_AFTER = `interval '24 hours'`;

/** The statements of lanes. Each carries the lane's epoch: of a lane that another worker has taken nothing changes. */
@Injectable()
export class LanesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Claims what is due, oldest first, and counts the attempt that comes. */
  async load({ id, laneEpoch, order }: Subscriber, request: LoadRequest): Promise<Loaded> {
    const { limit, isProbe } = request;
    const blocked = order === 'chat' && !isProbe ? await this.unitOfWork.rows<{ chat_id: string }>(BLOCKED, [id]) : [];
    const except = [...request.except.map(String), ...blocked.map(({ chat_id }) => chat_id)];
    const due = await this.unitOfWork.rows<DueRow>(
      `SELECT d.id, d.part, d.seq, d.chat_id, d.attempts, u.payload
         FROM (SELECT d.* FROM deliveries d WHERE ${UNCLAIMED} AND ${NOT_EXCEPTED} AND ($5 OR d.due_at <= now())
                ORDER BY d.seq LIMIT $4) AS d
        CROSS JOIN LATERAL (SELECT payload FROM updates u WHERE u.part = d.part AND u.id = d.update_id OFFSET 0) AS u
        ORDER BY d.seq`,
      [id, laneEpoch, except, limit, isProbe],
    );
    const claimed = await this.claim(id, laneEpoch, due);
    return {
      items: due.filter((row) => claimed.has(row.id)).map(toItem),
      blocked: blocked.map(({ chat_id }) => Number(chat_id)),
      nextDueInMs: due.length < limit && !isProbe ? await this.nextDueInMs(id, laneEpoch, except) : undefined,
    };
  }

  /** Writes down what became of attempts. */
  async settle(all: readonly SettledOf[]): Promise<void> {
    const of = <Value>(read: (each: SettledOf) => Value): Value[] => all.map(read);
    await this.unitOfWork.rows(
      `UPDATE deliveries d
          SET status = r.status, due_at = now() + r.due_in_ms * interval '1 millisecond', claim_epoch = NULL,
              was_probe = r.was_probe, decided_at = CASE WHEN r.status <> 'pending' THEN now() END,
              log = CASE WHEN jsonb_array_length(d.log) >= ${LOG_LENGTH} THEN d.log - 0 ELSE d.log END || r.attempt
         FROM unnest($1::smallint[], $2::uuid[], $3::int[], $4::text[], $5::float8[], $6::boolean[], $7::jsonb[])
              AS r (part, id, epoch, status, due_in_ms, was_probe, attempt)
        WHERE ${BY_ID} AND d.claim_epoch = r.epoch
          AND r.epoch = (SELECT s.lane_epoch FROM subscriptions s WHERE s.id = d.subscription_id)`,
      [
        of(({ settled }) => settled.item.part),
        of(({ settled }) => settled.item.id),
        of((each) => each.of.laneEpoch),
        of(({ settled }) => settled.status),
        of(({ settled }) => settled.dueInMs),
        of(({ settled }) => settled.wasProbe),
        of(({ settled }) => JSON.stringify(toAttempt(settled))),
      ],
    );
  }

  /** Counts the attempts. @returns the subscriptions that are switched off by it: a day without one success */
  async count(all: readonly SettledOf[]): Promise<readonly { readonly id: string; readonly session_id: string }[]> {
    const tried = all.filter(({ settled }) => settled.isWithheld !== true);
    if (tried.length === 0) return [];
    const counts = [...new Map(tried.map(({ of }) => [of.id, of])).values()].map((of) =>
      countOf(
        of,
        tried.filter((each) => each.of.id === of.id).map(({ settled }) => settled),
      ),
    );
    const column = <Key extends keyof Count>(key: Key): Count[Key][] => counts.map((count) => count[key]);
    return this.unitOfWork.rows<{ id: string; session_id: string }>(
      `WITH counted AS (
         UPDATE subscriptions s SET attempts = s.attempts + c.attempts, delivered = s.delivered + c.delivered,
                last_delivered_at = CASE WHEN c.delivered > 0 THEN now() ELSE s.last_delivered_at END,
                last_error = coalesce(c.error, s.last_error),
                last_error_at = CASE WHEN c.error IS NULL THEN s.last_error_at ELSE now() END,
                failing_since = CASE WHEN c.ends_well THEN NULL
                                     WHEN c.delivered > 0 THEN now() ELSE coalesce(s.failing_since, now()) END,
                enabled = s.enabled AND (c.delivered > 0 OR coalesce(s.failing_since > now() - ${OUT_AFTER}, true)),
                disabled_reason = CASE WHEN c.delivered = 0 AND s.enabled AND s.failing_since <= now() - ${OUT_AFTER}
                  THEN 'no delivery has succeeded for 24 hours' ELSE s.disabled_reason END
           FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::boolean[], $6::text[])
                AS c (id, epoch, attempts, delivered, ends_well, error),
                (SELECT id, enabled AS was_enabled FROM subscriptions WHERE id = ANY($1::uuid[])) AS before
          WHERE s.id = c.id AND s.lane_epoch = c.epoch AND before.id = s.id
         RETURNING s.id, s.session_id, c.attempts AS tried, c.delivered AS done,
                   before.was_enabled AND NOT s.enabled AS is_out),
       hours AS (
         INSERT INTO subscription_hours AS h (subscription_id, hour, attempts, delivered)
         SELECT id, ${THIS_HOUR}, tried, done FROM counted
         ON CONFLICT (subscription_id, hour) DO UPDATE
            SET attempts = h.attempts + excluded.attempts, delivered = h.delivered + excluded.delivered)
       SELECT id, session_id FROM counted WHERE is_out`,
      [column('id'), column('epoch'), column('attempts'), column('delivered'), column('endsWell'), column('error')],
    );
  }

  /** Gives claims back that were not used. */
  async release(items: readonly LaneItem[], { laneEpoch }: Subscriber): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE deliveries d SET claim_epoch = NULL, attempts = greatest(0, d.attempts - 1)
         FROM unnest($1::smallint[], $2::uuid[]) AS r (part, id)
        WHERE ${BY_ID} AND d.claim_epoch = $3`,
      [items.map(({ part }) => part), items.map((item) => item.id), laneEpoch],
    );
  }

  /** What was given up as a probe, and what waits for its time, is due now. */
  async recover({ id, laneEpoch }: Subscriber): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE deliveries d SET status = 'pending', due_at = now(), was_probe = false, decided_at = NULL,
              attempts = CASE d.status WHEN 'failed' THEN 0 ELSE d.attempts END
        WHERE d.subscription_id = $1 AND d.created_at > now() - ${KEPT} AND d.claim_epoch IS NULL
          AND ((d.status = 'failed' AND d.was_probe) OR (d.status = 'pending' AND d.due_at > now()))
          AND EXISTS (SELECT 1 FROM subscriptions s WHERE s.id = $1 AND s.lane_epoch = $2)`,
      [id, laneEpoch],
    );
  }

  /** @returns false when it was switched off before, or is another worker's */
  async disable({ id, laneEpoch }: Subscriber, reason: string): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `UPDATE subscriptions SET enabled = false, disabled_reason = $3
        WHERE id = $1 AND lane_epoch = $2 AND enabled RETURNING id`,
      [id, laneEpoch, reason],
    );
    return rows.length > 0;
  }

  private async claim(id: string, epoch: number, due: readonly DueRow[]): Promise<ReadonlySet<string>> {
    if (due.length === 0) return new Set();
    const taken = await this.unitOfWork.rows<{ id: string }>(
      `UPDATE deliveries d SET claim_epoch = $2, attempts = d.attempts + 1
         FROM unnest($3::smallint[], $4::uuid[]) AS r (part, id)
        WHERE ${BY_ID} AND d.status = 'pending' AND d.claim_epoch IS DISTINCT FROM $2
          AND EXISTS (SELECT 1 FROM subscriptions s WHERE s.id = $1 AND s.lane_epoch = $2)
      RETURNING d.id`,
      [id, epoch, due.map(({ part }) => part), due.map((row) => row.id)],
    );
    return new Set(taken.map((row) => row.id));
  }

  private async nextDueInMs(id: string, epoch: number, except: readonly string[]): Promise<number | undefined> {
    const [row] = await this.unitOfWork.rows<{ ms: number | null }>(
      `SELECT (extract(epoch FROM min(d.due_at) FILTER (WHERE d.due_at > now() OR ${NOT_EXCEPTED}) - now()) * 1000)::float8 AS ms
         FROM deliveries d WHERE ${UNCLAIMED}`,
      [id, epoch, except],
    );
    return row?.ms ?? undefined;
  }
}

function toItem({ id, part, seq, chat_id, attempts, payload }: DueRow): LaneItem {
  const chatId = chat_id === null ? undefined : Number(chat_id);
  return { id, part, seq: Number(seq), chatId, attempt: attempts + 1, payload };
}

function toAttempt({ item, outcome }: Settled): AttemptDto {
  const { at, durationMs, status, error, answer } = outcome;
  return {
    attempt: item.attempt,
    at: new Date(at).toISOString(),
    duration_ms: durationMs,
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(answer !== undefined && { answer }),
  };
}

interface Count {
  readonly id: string;
  readonly epoch: number;
  readonly attempts: number;
  readonly delivered: number;
  readonly endsWell: boolean;
  /** The last one. */
  readonly error: string | null;
}

function countOf({ id, laneEpoch }: Subscriber, settled: readonly Settled[]): Count {
  const delivered = settled.filter(({ status }) => status === 'delivered').length;
  return {
    id,
    epoch: laneEpoch,
    attempts: settled.length,
    delivered,
    endsWell: settled.at(-1)?.status === 'delivered',
    error: settled.findLast(({ outcome }) => outcome.error !== undefined)?.outcome.error ?? null,
  };
}
