import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { HOURS_KEPT, PARTS, THIS_HOUR } from './retention.js';

/** Readers wait behind a statement that waits for its lock: it gives up soon and tries again at its next time. */
const LOCK_TIMEOUT = '1s';

/**
 * Removes updates and deliveries that are older than a day, a part of the tables at a time: emptying one costs the same however
 * much is in it. Eight parts of four hours: the one that comes next has nothing in it that is younger than a day.
 */
@Injectable()
export class UpdateRetention implements OnApplicationBootstrap {
  private readonly logger: AppLogger;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    logger: AppLogger,
  ) {
    this.logger = logger.for(UpdateRetention.name);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.sweep();
  }

  @Cron(CronExpression.EVERY_30_MINUTES)
  async sweep(): Promise<void> {
    try {
      const [row] = await this.unitOfWork.rows<{ part: number }>('SELECT update_part(now()) AS part');
      await this.empty(((row?.part ?? 0) + 1) % PARTS);
      await this.unitOfWork.rows(`DELETE FROM subscription_hours WHERE hour <= ${THIS_HOUR} - ${HOURS_KEPT}`);
    } catch (error) {
      this.logger.warn(`old updates were not removed, the next sweep tries again: ${messageOf(error)}`);
    }
  }

  private async empty(part: number): Promise<void> {
    // Whoever was there before has left nothing: the lock that TRUNCATE needs is not even asked for.
    const [row] = await this.unitOfWork.rows<{ is_empty: boolean }>(
      `SELECT NOT EXISTS (SELECT 1 FROM updates_${part}) AND NOT EXISTS (SELECT 1 FROM deliveries_${part}) AS is_empty`,
    );
    if (row?.is_empty === true) return;
    await this.unitOfWork.run(async () => {
      await this.unitOfWork.rows(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      await this.unitOfWork.rows(`TRUNCATE updates_${part}, deliveries_${part}`);
    });
  }
}
