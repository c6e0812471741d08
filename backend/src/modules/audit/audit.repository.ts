import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { type Page, pageOf, type PageRequest } from '../../common/http/index.js';
import { AppConfig } from '../../config/index.js';
import { AuditEventEntity } from './audit-event.entity.js';

/** Which events are asked for; each part that is given must fit. */
export interface AuditFilter {
  /** A kind of actor, or the id of a token. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** The id of an object, or of the session that it belongs to. */
  readonly object?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly requestId?: string | undefined;
}

const DEFAULT_LIMIT = 100;
/** How many old events one statement removes at most. */
export const EVENTS_SWEPT_AT_ONCE = 10_000;

/** The statements on the audit log. */
@Injectable()
export class AuditRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly config: AppConfig,
  ) {}

  async insert(events: readonly AuditEventEntity[]): Promise<void> {
    await this.unitOfWork.manager.insert(AuditEventEntity, [...events]);
  }

  /** Newest first. */
  async page(filter: AuditFilter, { limit = DEFAULT_LIMIT, after }: PageRequest): Promise<Page<AuditEventEntity>> {
    const query = this.unitOfWork.manager
      .createQueryBuilder(AuditEventEntity, 'event')
      .orderBy('event.createdAt', 'DESC')
      .addOrderBy('event.id', 'DESC')
      .limit(limit + 1);
    const { actor, action, object, from, to, requestId } = filter;
    if (actor !== undefined)
      query.andWhere('(event.actor = :actor OR CAST(event.tokenId AS text) = :actor)', { actor });
    if (action !== undefined) query.andWhere('event.action = :action', { action });
    if (object !== undefined) query.andWhere('(event.objectId = :object OR event.sessionId = :object)', { object });
    if (from !== undefined) query.andWhere('event.createdAt >= :from', { from });
    if (to !== undefined) query.andWhere('event.createdAt < :to', { to });
    if (requestId !== undefined) query.andWhere('event.requestId = :requestId', { requestId });
    if (after) query.andWhere('(event.createdAt, event.id) < (:createdAt, :id)', after);
    return pageOf(await query.getMany(), limit);
  }

  /** Removes some events that are older than AUDIT_TTL. @returns how many */
  async sweep(): Promise<number> {
    const gone = await this.unitOfWork.rows(
      `DELETE FROM audit_events WHERE id IN (
         SELECT id FROM audit_events WHERE created_at < now() - make_interval(secs => $1)
          ORDER BY created_at LIMIT ${EVENTS_SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED) RETURNING 1 AS gone`,
      [this.config.auditTtlMs / 1000],
    );
    return gone.length;
  }
}
