import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { sweepAll } from '../../../common/db/sweep-all.js';
import { messageOf } from '../../../common/errors/index.js';
import { IdempotencyRepository, KEYS_SWEPT_AT_ONCE } from '../../../common/idempotency/index.js';
import { AppLogger } from '../../../common/log/app-logger.js';
import { SENDS_SWEPT_AT_ONCE, SendsRepository } from './sends.repository.js';

/** Gives up lost sends, forgets all of them after SEND_TTL and Idempotency-Keys after a day, in portions that lock nobody out. */
@Injectable()
export class SendSweep {
  constructor(
    private readonly sends: SendsRepository,
    private readonly keys: IdempotencyRepository,
    private readonly logger: AppLogger,
  ) {}

  @Cron(CronExpression.EVERY_10_MINUTES)
  async sweep(): Promise<void> {
    try {
      await this.sends.giveUpLost();
      await sweepAll(() => this.sends.sweep(), SENDS_SWEPT_AT_ONCE);
      await sweepAll(() => this.keys.sweep(), KEYS_SWEPT_AT_ONCE);
    } catch (error) {
      this.logger.warn(`old sends were not removed, the next sweep tries again: ${messageOf(error)}`);
    }
  }
}
