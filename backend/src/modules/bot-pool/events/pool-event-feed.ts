import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { Notifications } from '../../../common/db/notifications.js';
import { Wakes } from '../../../common/db/wakes.js';
import { messageOf } from '../../../common/errors/index.js';
import { AppLogger } from '../../../common/log/app-logger.js';
import { PoolEventsRepository } from './pool-events.repository.js';

const FORGET_MS = 10 * 60_000;

/** Tells those who follow a pool that something has happened in it, and forgets what is old. */
@Injectable()
export class PoolEventFeed implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly wakes = new Wakes();
  private readonly logger: AppLogger;
  private timer: NodeJS.Timeout | undefined;
  private forgetting: Promise<void> = Promise.resolve();

  constructor(
    private readonly notifications: Notifications,
    private readonly events: PoolEventsRepository,
    logger: AppLogger,
  ) {
    this.logger = logger.for(PoolEventFeed.name);
  }

  onModuleInit(): void {
    this.notifications.subscribe('pool_events', (poolId) =>
      poolId === undefined ? this.wakes.wakeAll() : this.wakes.wake(poolId),
    );
    // What a reader may see can have changed.
    this.notifications.subscribe('token_changed', () => this.wakes.wakeAll());
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.forgetting = this.events.forgetOld().catch((error: unknown) => {
        this.logger.warn(`events of pools were not forgotten: ${messageOf(error)}`);
      });
    }, FORGET_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.wakes.stop();
    await this.forgetting;
  }
}
