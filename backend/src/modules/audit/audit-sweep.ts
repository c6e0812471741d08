import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AuditRepository } from './audit.repository.js';

/** More than is written between two sweeps; what is left waits for the next one. */
const MAX_ROUNDS = 1_000;

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
      for (let round = 0; round < MAX_ROUNDS && (await this.events.sweep()); round += 1);
    } catch (error) {
      this.logger.warn(`old events of the audit log stay until the next sweep: ${messageOf(error)}`);
    }
  }
}
