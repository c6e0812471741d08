import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { Notifications } from '../../common/db/notifications.js';

type Wake = () => void;

/** Tells those who wait for events of a subscription that there are new ones; every process hears of them by NOTIFY. */
@Injectable()
export class EventFeed implements OnModuleInit, BeforeApplicationShutdown {
  private readonly waiting = new Map<string, Set<Wake>>();
  private stopping = false;

  constructor(private readonly notifications: Notifications) {}

  onModuleInit(): void {
    this.notifications.subscribe('events_stored', (ids) => {
      if (ids === undefined) this.wakeAll();
      else for (const id of ids.split(',')) this.wake(id);
    });
    // What a reader may see can have changed.
    this.notifications.subscribe('subscriptions_changed', () => this.wakeAll());
    this.notifications.subscribe('token_changed', () => this.wakeAll());
  }

  /** Whether the process ends, and with it every stream. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /**
   * To be called before one looks for events, so that none comes in between unnoticed.
   * @returns `arrived` settles when there may be some, or when the time is over; `leave` ends it at once
   */
  listen(subscriptionId: string, timeoutMs: number): { readonly arrived: Promise<void>; readonly leave: () => void } {
    let leave: Wake = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      const wakes = this.waiting.get(subscriptionId) ?? new Set();
      this.waiting.set(subscriptionId, wakes);
      const timer = setTimeout(() => leave(), timeoutMs);
      leave = (): void => {
        clearTimeout(timer);
        wakes.delete(leave);
        if (wakes.size === 0 && this.waiting.get(subscriptionId) === wakes) this.waiting.delete(subscriptionId);
        resolve();
      };
      wakes.add(leave);
      if (this.stopping) leave();
    });
    return { arrived, leave };
  }

  beforeApplicationShutdown(): void {
    this.stopping = true;
    this.wakeAll();
  }

  private wake(subscriptionId: string): void {
    for (const wake of [...(this.waiting.get(subscriptionId) ?? [])]) wake();
  }

  private wakeAll(): void {
    for (const id of [...this.waiting.keys()]) this.wake(id);
  }
}
