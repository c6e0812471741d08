import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { sweepAll } from '../../common/db/sweep-all.js';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import { FLOODS_SWEPT_AT_ONCE, FloodsRepository } from './floods.repository.js';
import { COUNTERS_SWEPT_AT_ONCE, LimitsRepository } from './limits.repository.js';

/** Removes floods and lifts after FLOOD_TTL, and what was counted in windows that are over. */
@Injectable()
export class LimitsSweep {
  private readonly logger: AppLogger;

  constructor(
    private readonly config: AppConfig,
    private readonly limits: LimitsRepository,
    private readonly floods: FloodsRepository,
    logger: AppLogger,
  ) {
    this.logger = logger.for(LimitsSweep.name);
  }

  @Cron(CronExpression.EVERY_10_MINUTES)
  async sweep(): Promise<void> {
    try {
      await sweepAll(() => this.limits.sweepCounters(), COUNTERS_SWEPT_AT_ONCE);
      await this.limits.sweepCooldowns(this.config.floodTtlMs);
      await sweepAll(() => this.floods.sweep(this.config.floodTtlMs), FLOODS_SWEPT_AT_ONCE);
    } catch (error) {
      this.logger.warn(`old limits were not removed, the next sweep tries again: ${messageOf(error)}`);
    }
  }
}
