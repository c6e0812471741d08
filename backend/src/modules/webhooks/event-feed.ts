import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { Notifications } from '../../common/db/notifications.js';
import { Wakes } from '../../common/db/wakes.js';

/** Tells those who wait for events of a subscription that there are new ones; every process hears of them by NOTIFY. */
@Injectable()
export class EventFeed implements OnModuleInit, BeforeApplicationShutdown {
  private readonly wakes = new Wakes();

  constructor(private readonly notifications: Notifications) {}

  onModuleInit(): void {
    this.notifications.subscribe('events_stored', (ids) => {
      if (ids === undefined) this.wakes.wakeAll();
      else for (const id of ids.split(',')) this.wakes.wake(id);
    });
    // What a reader may see can have changed.
    this.notifications.subscribe('subscriptions_changed', () => this.wakes.wakeAll());
    this.notifications.subscribe('token_changed', () => this.wakes.wakeAll());
  }

  /** Whether the process ends, and with it every stream. */
  get isStopping(): boolean {
    return this.wakes.isStopped;
  }

  /** @see Wakes.listen */
  listen(subscriptionId: string, timeoutMs: number): ReturnType<Wakes['listen']> {
    return this.wakes.listen(subscriptionId, timeoutMs);
  }

  beforeApplicationShutdown(): void {
    this.wakes.stop();
  }
}
