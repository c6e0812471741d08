import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { Lease } from '../sessions/index.js';
import type { NewUpdate } from './deliveries.repository.js';
import { IS_SERVED } from './subscriptions.repository.js';
import type { UpdateEntry } from './update-entry.js';
import { deliveryIdOf } from './update-facts.js';

/** An entry with the lease under which it is stored. */
export interface LeasedEntry {
  readonly entry: UpdateEntry;
  readonly lease: Lease;
}

/** A delivery that is to be stored with its update. */
export interface WantedDelivery {
  readonly entry: UpdateEntry;
  readonly subscriptionId: string;
  /** Of the lane that tries it as soon as it is stored; undefined when it is to wait in the database. */
  readonly claimEpoch: number | undefined;
}

/** A delivery that was stored. */
export interface StoredDelivery {
  readonly id: string;
  readonly part: number;
  readonly seq: string;
  readonly subscription_id: string;
  readonly update_id: string;
  /** Set where the claim holds. */
  readonly claim_epoch: number | null;
}

/** What a portion of entries became. */
export interface Stored {
  readonly deliveries: readonly StoredDelivery[];
  /** The sessions that this worker still leases; nothing was stored of the others. */
  readonly leased: ReadonlySet<string>;
}

interface ResultRow {
  readonly id: string | null;
  readonly part: number;
  readonly seq: string;
  readonly subscription_id: string;
  readonly update_id: string;
  readonly claim_epoch: number | null;
  readonly session_id: string | null;
}

/**
 * Stores updates and who gets them, under the leases of their sessions. The rows of the sessions are locked meanwhile, so that
 * numbers are given in the order in which they become visible: a reader that has seen one has seen all before it.
 * Known updates are looked up by "= ANY(ARRAY[…])": a plain equality could be answered by hashing all that are stored.
 */
const INSERT = `
  WITH lease AS MATERIALIZED (
    SELECT s.id FROM unnest($1::uuid[], $2::int[]) AS l (id, epoch)
      JOIN sessions s ON s.id = l.id AND s.epoch = l.epoch AND s.worker_id = $3
     ORDER BY s.id FOR NO KEY UPDATE OF s),
  fresh AS (
    INSERT INTO updates (part, id, session_id, type, at, payload)
    SELECT update_part(now()), g.id, g.session_id, g.type, to_timestamp(g.at / 1000.0), g.payload
      FROM unnest($4::uuid[], $5::boolean[], $6::uuid[], $7::text[], $8::bigint[], $9::text[])
           AS g (id, is_named, session_id, type, at, payload)
      JOIN lease ON lease.id = g.session_id
     WHERE NOT g.is_named OR NOT EXISTS (SELECT 1 FROM updates u WHERE u.id = ANY(ARRAY[g.id]))
    ON CONFLICT DO NOTHING RETURNING part, id),
  made AS (
    INSERT INTO deliveries (part, id, subscription_id, update_id, chat_id, status, attempts, due_at, claim_epoch)
    SELECT part, id, subscription_id, update_id, chat_id, CASE kind WHEN 'stream' THEN 'stored' ELSE 'pending' END,
           CASE WHEN is_claimed THEN 1 ELSE 0 END, now(), CASE WHEN is_claimed THEN claim_epoch END
      FROM (SELECT fresh.part, w.id, w.update_id, w.subscription_id, w.chat_id, w.claim_epoch, s.kind,
                   coalesce(w.claim_epoch = s.lane_epoch AND s.kind = 'webhook', false) AS is_claimed
              FROM unnest($10::uuid[], $11::uuid[], $12::uuid[], $13::bigint[], $14::int[]) WITH ORDINALITY
                   AS w (id, update_id, subscription_id, chat_id, claim_epoch, number)
              JOIN fresh ON fresh.id = w.update_id
              JOIN subscriptions s ON s.id = w.subscription_id
             ORDER BY w.number) AS wanted
    ON CONFLICT DO NOTHING RETURNING id, part, seq, subscription_id, update_id, claim_epoch)
  SELECT id, part, seq, subscription_id, update_id, claim_epoch, NULL::uuid AS session_id FROM made
  UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, id FROM lease`;

/** How updates get into the database. */
@Injectable()
export class UpdatesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @param entries of each session in the order in which they came */
  async store(
    workerId: string,
    entries: readonly LeasedEntry[],
    deliveries: readonly WantedDelivery[],
  ): Promise<Stored> {
    const leases = [...new Map(entries.map(({ lease }) => [lease.sessionId, lease])).values()];
    const of = <Value>(read: (entry: UpdateEntry) => Value): Value[] => entries.map(({ entry }) => read(entry));
    const rows = await this.unitOfWork.rows<ResultRow>(INSERT, [
      leases.map(({ sessionId }) => sessionId),
      leases.map(({ epoch }) => epoch),
      workerId,
      of(({ id }) => id),
      of(({ isNamed }) => isNamed),
      entries.map(({ lease }) => lease.sessionId),
      of(({ type }) => type),
      of(({ at }) => at),
      of(({ payload }) => payload),
      deliveries.map(({ entry, subscriptionId }) => deliveryIdOf(entry.id, subscriptionId)),
      deliveries.map(({ entry }) => entry.id),
      deliveries.map(({ subscriptionId }) => subscriptionId),
      deliveries.map(({ entry }) => entry.chatId ?? null),
      deliveries.map(({ claimEpoch }) => claimEpoch ?? null),
    ]);
    return {
      deliveries: rows.flatMap(({ id, session_id: _none, ...row }) => (id === null ? [] : [{ id, ...row }])),
      leased: new Set(rows.flatMap(({ session_id }) => session_id ?? [])),
    };
  }

  /**
   * Stores an event of the product for the subscriptions of its session that name its type, whichever worker holds the session.
   * @returns these
   */
  async storeEvent({ id, sessionId, type, payload }: NewUpdate): Promise<readonly string[]> {
    const rows = await this.unitOfWork.rows<{ subscription_id: string }>(
      `WITH session AS (SELECT id FROM sessions WHERE id = $1 FOR NO KEY UPDATE),
       wanting AS (
         SELECT s.id, s.kind FROM subscriptions s JOIN sessions x ON x.id = s.session_id
          WHERE s.session_id = $1 AND s.enabled AND ${IS_SERVED} AND s.filters -> 'types' ? $3
            AND NOT coalesce(s.filters -> 'exclude_types' ? $3, false)),
       stored AS (
         INSERT INTO updates (part, id, session_id, type, at, payload)
         SELECT update_part(now()), $2, id, $3, now(), $4 FROM session WHERE EXISTS (SELECT FROM wanting) RETURNING part)
       INSERT INTO deliveries (part, id, subscription_id, update_id, status, due_at)
       SELECT part, gen_random_uuid(), wanting.id, $2, CASE kind WHEN 'stream' THEN 'stored' ELSE 'pending' END, now()
         FROM stored, wanting RETURNING subscription_id`,
      [sessionId, id, type, payload],
    );
    return rows.map(({ subscription_id }) => subscription_id);
  }

  /** Counts updates that were lost, by subscription. */
  async countDropped(dropped: ReadonlyMap<string, number>): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE subscriptions s SET dropped = s.dropped + d.count
         FROM unnest($1::uuid[], $2::int[]) AS d (id, count) WHERE s.id = d.id`,
      [[...dropped.keys()], [...dropped.values()]],
    );
  }
}
