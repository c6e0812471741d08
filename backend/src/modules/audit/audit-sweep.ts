import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { sweepAll } from '../../common/db/sweep-all.js';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AuditRepository, EVENTS_SWEPT_AT_ONCE } from './audit.repository.js';

/** Removes what is older than AUDIT_TTL, in portions that lock nobody out. */
@Injectable()
export class AuditSweep {
  private readonly logger: AppLogger;

  constructor(
    private readonly events: AuditRepository,
    logger: AppLogger,
  ) {
    this.logger = logger.for(AuditSweep.name);
  }

  @Cron(CronExpression.EVERY_HOUR)
  async sweep(): Promise<void> {
    try {
      await sweepAll(() => this.events.sweep(), EVENTS_SWEPT_AT_ONCE);
    } catch (error) {
      this.logger.warn(`old events of the audit log stay until the next sweep: ${messageOf(error)}`);
    }
  }
}
