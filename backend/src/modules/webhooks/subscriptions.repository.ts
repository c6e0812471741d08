import { Injectable } from '@nestjs/common';
import { keysetPage } from '../../common/db/keyset.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { Page, PageRequest } from '../../common/http/index.js';
import { HOURS_KEPT, KEPT, THIS_HOUR } from './retention.js';
import { SubscriptionEntity } from './subscription.entity.js';

/** How a subscription's deliveries go, beside what its row says. */
export interface SubscriptionProgress {
  readonly tokenName: string | undefined;
  /** Whether its token is on and covers the session. */
  readonly isServed: boolean;
  readonly pending: number;
  readonly oldestPendingAt: Date | undefined;
  readonly failed: number;
  readonly nextRetryAt: Date | undefined;
  /** Within the last day. */
  readonly attempts: number;
  readonly succeeded: number;
  readonly sessionKind: 'bot' | 'user';
}

/** Whose subscriptions are meant; undefined for everybody's. */
export type Owner = string | undefined;

/** A condition on `subscriptions s` and its session `x`: the token that made it is on, may read and covers the session. */
export const IS_SERVED = `(s.token_id IS NULL OR EXISTS (
  SELECT 1 FROM api_tokens t WHERE t.id = s.token_id AND t.enabled AND 'read' = ANY(t.classes)
     AND (t.expires_at IS NULL OR t.expires_at > now()) AND (
    t.all_sessions
    OR EXISTS (SELECT 1 FROM api_token_sessions o WHERE o.token_id = t.id AND o.session_id = s.session_id)
    OR EXISTS (SELECT 1 FROM api_token_apps a WHERE a.token_id = t.id AND a.app_id = x.app_id))))`;

interface ProgressRow {
  readonly id: string;
  readonly token_name: string | null;
  readonly is_served: boolean;
  readonly pending: number;
  readonly oldest: Date | null;
  readonly failed: number;
  readonly next_retry: Date | null;
  readonly attempts: number;
  readonly succeeded: number;
  readonly session_kind: 'bot' | 'user';
}

/** A stored update as a preview looks at it. */
export interface StoredUpdate {
  readonly type: string;
  readonly payload: string;
}

/** The registry of subscriptions. */
@Injectable()
export class SubscriptionsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @returns undefined when there is no such session */
  async kindOf(sessionId: string): Promise<'bot' | 'user' | undefined> {
    const [row] = await this.unitOfWork.rows<{ kind: 'bot' | 'user' }>('SELECT kind FROM sessions WHERE id = $1', [
      sessionId,
    ]);
    return row?.kind;
  }

  async find(sessionId: string, id: string, owner: Owner): Promise<SubscriptionEntity | undefined> {
    const found = await this.unitOfWork.manager.findOneBy(SubscriptionEntity, {
      id,
      sessionId,
      ...(owner !== undefined && { tokenId: owner }),
    });
    return found ?? undefined;
  }

  /** Oldest first. */
  page(sessionId: string, request: PageRequest, owner: Owner): Promise<Page<SubscriptionEntity>> {
    const query = this.unitOfWork.manager
      .createQueryBuilder(SubscriptionEntity, 'subscription')
      .where('subscription.sessionId = :sessionId', { sessionId });
    if (owner !== undefined) query.andWhere('subscription.tokenId = :owner', { owner });
    return keysetPage(query, request);
  }

  /** Of all sessions, oldest first. */
  pageOfAll(request: PageRequest): Promise<Page<SubscriptionEntity>> {
    return keysetPage(this.unitOfWork.manager.createQueryBuilder(SubscriptionEntity, 'subscription'), request);
  }

  async insert(subscription: Partial<SubscriptionEntity> & { readonly id: string }): Promise<void> {
    await this.unitOfWork.manager.insert(SubscriptionEntity, subscription);
  }

  /** How many the session has, how many of them this owner sees, and how many of those post to the same URL. Locks out other creations. */
  async neighbours(
    sessionId: string,
    url: string | null,
    owner: Owner,
  ): Promise<{ readonly count: number; readonly seen: number; readonly same: number }> {
    await this.unitOfWork.rows('SELECT 1 FROM sessions WHERE id = $1 FOR NO KEY UPDATE', [sessionId]);
    const [row] = await this.unitOfWork.rows<{ count: number; seen: number; same: number }>(
      `SELECT count(*)::int AS count,
              count(*) FILTER (WHERE $3::uuid IS NULL OR token_id = $3)::int AS seen,
              count(*) FILTER (WHERE url = $2 AND ($3::uuid IS NULL OR token_id = $3))::int AS same
         FROM subscriptions WHERE session_id = $1`,
      [sessionId, url, owner ?? null],
    );
    return row ?? { count: 0, seen: 0, same: 0 };
  }

  async change(id: string, change: Partial<SubscriptionEntity>): Promise<boolean> {
    return (await this.unitOfWork.manager.update(SubscriptionEntity, id, change)).affected === 1;
  }

  async remove(id: string): Promise<boolean> {
    return (await this.unitOfWork.manager.delete(SubscriptionEntity, id)).affected === 1;
  }

  /** Whether the worker that holds the session knows the subscription; true also where nobody holds it. */
  async isLive(id: string): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `SELECT 1 FROM subscriptions s JOIN sessions x ON x.id = s.session_id
         JOIN workers w ON w.id = x.worker_id AND w.expires_at > clock_timestamp()
        WHERE s.id = $1 AND s.lane_worker IS DISTINCT FROM x.worker_id`,
      [id],
    );
    return rows.length === 0;
  }

  async progress(ids: readonly string[]): Promise<ReadonlyMap<string, SubscriptionProgress>> {
    const rows = await this.unitOfWork.rows<ProgressRow>(
      `SELECT s.id, n.name AS token_name, ${IS_SERVED} AS is_served, p.pending, p.oldest, f.failed,
              CASE WHEN p.next_retry IS NOT NULL THEN greatest(p.next_retry, now()) END AS next_retry,
              h.attempts, h.succeeded, x.kind AS session_kind
         FROM subscriptions s JOIN sessions x ON x.id = s.session_id LEFT JOIN api_tokens n ON n.id = s.token_id
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS pending, min(d.created_at) AS oldest,
                 min(d.due_at) FILTER (WHERE d.attempts > 0 AND d.claim_epoch IS NULL) AS next_retry
            FROM deliveries d
           WHERE d.subscription_id = s.id AND d.status = 'pending' AND d.created_at > now() - ${KEPT}) p
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS failed FROM deliveries d
           WHERE d.subscription_id = s.id AND d.status = 'failed' AND d.created_at > now() - ${KEPT}) f
        CROSS JOIN LATERAL (
          SELECT coalesce(sum(attempts), 0)::int AS attempts, coalesce(sum(delivered), 0)::int AS succeeded
            FROM subscription_hours WHERE subscription_id = s.id AND hour > ${THIS_HOUR} - ${HOURS_KEPT}) h
        WHERE s.id = ANY($1::uuid[])`,
      [ids],
    );
    return new Map(rows.map((row) => [row.id, toProgress(row)]));
  }

  /** The newest that are stored of a session, whoever wanted them. */
  newestUpdates(sessionId: string, limit: number): Promise<readonly StoredUpdate[]> {
    return this.unitOfWork.rows<StoredUpdate>(
      `SELECT type, payload FROM updates WHERE session_id = $1 AND at > now() - ${KEPT} ORDER BY at DESC LIMIT $2`,
      [sessionId, limit],
    );
  }
}

function toProgress(row: ProgressRow): SubscriptionProgress {
  return {
    tokenName: row.token_name ?? undefined,
    isServed: row.is_served,
    pending: row.pending,
    oldestPendingAt: row.oldest ?? undefined,
    failed: row.failed,
    nextRetryAt: row.next_retry ?? undefined,
    attempts: row.attempts,
    succeeded: row.succeeded,
    sessionKind: row.session_kind,
  };
}
