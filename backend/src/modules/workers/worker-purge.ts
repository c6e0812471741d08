import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { WorkersRepository } from './workers.repository.js';

/** Every hour one worker forgets those that have long been dead, so that the list stays one of machines that matter. */
@Injectable()
export class WorkerPurge {
  constructor(
    private readonly repository: WorkersRepository,
    private readonly logger: AppLogger,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  async purge(): Promise<void> {
    try {
      const count = await this.repository.purge();
      if (count) this.logger.info('forgot dead workers', { count });
    } catch (error) {
      this.logger.warn(`dead workers were not forgotten, the next hour tries again: ${messageOf(error)}`);
    }
  }
}
