import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { ChatView, type MethodClass } from '../../telegram/index.js';
import { CompiledFilters, type UpdateFilters } from './filters.js';
import { KEPT } from './retention.js';
import { LocalSecretSealer } from './secret-sealer.js';
import type { Subscriber } from './subscriber.js';
import type { DeliveryOrder, SubscriptionKind } from './subscription.entity.js';
import { IS_SERVED } from './subscriptions.repository.js';

interface SubscriberRow {
  readonly id: string;
  readonly session_id: string;
  readonly session_kind: 'bot' | 'user';
  readonly kind: SubscriptionKind;
  readonly filters: UpdateFilters;
  /** Null for the master's. */
  readonly token_classes: readonly MethodClass[] | null;
  /** Null for all chats. */
  readonly token_chats: readonly string[] | null;
  readonly enabled: boolean;
  readonly is_served: boolean;
  readonly url: string | null;
  readonly secret_sealed: string | null;
  readonly former_secret_sealed: string | null;
  readonly former_is_young: boolean | null;
  readonly delivery_order: DeliveryOrder;
  readonly max_connections: number;
  readonly lane_epoch: number;
  readonly failing_since: Date | null;
  readonly updated_at: Date;
}

const COLUMNS = `s.id, s.session_id, x.kind AS session_kind, s.kind, s.filters, s.enabled,
  ${IS_SERVED} AS is_served, s.url, s.secret_sealed, s.former_secret_sealed, s.former_secret_until > now() AS former_is_young,
  s.delivery_order, s.max_connections, s.failing_since, s.updated_at,
  (SELECT t.classes FROM api_tokens t WHERE t.id = s.token_id) AS token_classes,
  (SELECT t.chats FROM api_tokens t WHERE t.id = s.token_id) AS token_chats`;

/** Whose worker is alive, by its lease on the database's clock. */
const ALIVE = `expires_at > clock_timestamp()`;

function viewFor({ token_classes: classes, token_chats: chats }: SubscriberRow): ChatView | undefined {
  return classes === null ? undefined : new ChatView({ classes, ...(chats !== null && { chats: chats.map(Number) }) });
}

/** What workers read of subscriptions, and how they take the right to deliver. */
@Injectable()
export class SubscribersRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sealer: LocalSecretSealer,
  ) {}

  /**
   * The subscriptions of a session that this worker holds. It takes their lanes: what a former worker writes of them changes
   * nothing from now on.
   * @param anew also those that are this worker's already: of its predecessor under the same id
   */
  async take(sessionId: string, workerId: string, anew: boolean): Promise<readonly Subscriber[]> {
    const rows = await this.unitOfWork.rows<SubscriberRow>(
      `WITH taken AS (
         UPDATE subscriptions SET lane_worker = $2, lane_epoch = lane_epoch + 1
          WHERE session_id = $1 AND ($3 OR lane_worker IS DISTINCT FROM $2) RETURNING id, lane_epoch)
       SELECT ${COLUMNS}, coalesce(taken.lane_epoch, s.lane_epoch) AS lane_epoch
         FROM subscriptions s JOIN sessions x ON x.id = s.session_id LEFT JOIN taken ON taken.id = s.id
        WHERE s.session_id = $1 ORDER BY s.created_at, s.id`,
      [sessionId, workerId, anew],
    );
    return rows.map((row) => this.toSubscriber(row));
  }

  /** The subscriptions of a session, before their lanes are taken. */
  async known(sessionId: string): Promise<readonly Subscriber[]> {
    const rows = await this.unitOfWork.rows<SubscriberRow>(
      `SELECT ${COLUMNS}, s.lane_epoch FROM subscriptions s JOIN sessions x ON x.id = s.session_id
        WHERE s.session_id = $1 ORDER BY s.created_at, s.id`,
      [sessionId],
    );
    return rows.map((row) => this.toSubscriber(row));
  }

  /** Of a session that this worker does not hold: those whose lanes it has taken, and nobody else since. */
  async kept(sessionId: string, workerId: string): Promise<readonly Subscriber[]> {
    const rows = await this.unitOfWork.rows<SubscriberRow>(
      `SELECT ${COLUMNS}, s.lane_epoch FROM subscriptions s JOIN sessions x ON x.id = s.session_id
        WHERE s.session_id = $1 AND s.lane_worker = $2 ORDER BY s.created_at, s.id`,
      [sessionId, workerId],
    );
    return rows.map((row) => this.toSubscriber(row));
  }

  /**
   * Takes the lanes of sessions that nobody will open, where something waits and no living worker delivers it.
   * @param own the lanes that this worker has; others under its id were its predecessor's
   * @returns the sessions
   */
  async takeAbandoned(workerId: string, own: readonly string[]): Promise<readonly string[]> {
    const rows = await this.unitOfWork.rows<{ session_id: string }>(
      `UPDATE subscriptions SET lane_worker = $1, lane_epoch = lane_epoch + 1
        WHERE id IN (
          SELECT s.id FROM subscriptions s JOIN sessions x ON x.id = s.session_id
           WHERE s.kind = 'webhook' AND s.enabled AND x.status IN ('stopped', 'logged_out', 'banned', 'expired', 'error')
             AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = x.worker_id AND ${ALIVE})
             AND CASE WHEN s.lane_worker = $1 THEN s.id <> ALL($2::uuid[])
                      ELSE NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = s.lane_worker AND ${ALIVE}) END
             AND EXISTS (SELECT 1 FROM deliveries d WHERE d.subscription_id = s.id AND d.status = 'pending'
                           AND d.created_at > now() - ${KEPT})
           LIMIT 100 FOR UPDATE OF s SKIP LOCKED)
      RETURNING session_id`,
      [workerId, own],
    );
    return [...new Set(rows.map(({ session_id }) => session_id))];
  }

  /** Gives lanes back: should nobody open their session, any worker may deliver what waits. */
  async release(sessionIds: readonly string[], workerId: string): Promise<void> {
    await this.unitOfWork.rows(
      'UPDATE subscriptions SET lane_worker = NULL WHERE session_id = ANY($1::uuid[]) AND lane_worker = $2',
      [sessionIds, workerId],
    );
  }

  /** By session: a text that is another as soon as anything about its subscriptions is. */
  async fingerprints(sessionIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.unitOfWork.rows<{ session_id: string; fingerprint: string }>(
      `SELECT s.session_id, string_agg(concat_ws(' ', s.id, s.lane_worker, s.lane_epoch, extract(epoch FROM s.updated_at),
                s.enabled, ${IS_SERVED}, s.former_secret_until > now(),
                (SELECT concat(t.classes, t.chats) FROM api_tokens t WHERE t.id = s.token_id)), ',' ORDER BY s.id) AS fingerprint
         FROM subscriptions s JOIN sessions x ON x.id = s.session_id
        WHERE s.session_id = ANY($1::uuid[]) GROUP BY s.session_id`,
      [sessionIds],
    );
    return new Map(rows.map((row) => [row.session_id, row.fingerprint]));
  }

  private toSubscriber(row: SubscriberRow): Subscriber {
    const { id } = row;
    const sealed = [row.secret_sealed, row.former_is_young === true ? row.former_secret_sealed : null];
    return {
      id,
      sessionId: row.session_id,
      sessionKind: row.session_kind,
      kind: row.kind,
      filters: new CompiledFilters(row.filters),
      view: viewFor(row),
      isServed: row.enabled && row.is_served,
      since: row.updated_at.getTime(),
      url: row.url ?? '',
      secrets: sealed.filter((each) => each !== null).map((each) => this.sealer.open(id, each)),
      order: row.delivery_order,
      maxConnections: row.max_connections,
      laneEpoch: row.lane_epoch,
      isFailing: row.failing_since !== null,
    };
  }
}
