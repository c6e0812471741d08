import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import { FLOODS_SWEPT_AT_ONCE, FloodsRepository } from './floods.repository.js';
import { LimitsRepository } from './limits.repository.js';

/** Removes floods after FLOOD_TTL, and what was counted in windows that are over. */
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
      await this.limits.sweep();
      while ((await this.floods.sweep(this.config.floodTtlMs)) === FLOODS_SWEPT_AT_ONCE);
    } catch (error) {
      this.logger.warn(`old limits were not removed, the next sweep tries again: ${messageOf(error)}`);
    }
  }
}
