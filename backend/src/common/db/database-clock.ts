import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from './unit-of-work.js';

/** So often it is compared anew: clocks drift, a machine sleeps, another server takes the database over. */
const EVERY_MS = 10_000;

/**
 * The time by PostgreSQL's clock, which all processes share. What one machine signs with a time and another one judges has to go by it:
 * a machine whose own clock is minutes off would refuse everybody, or be refused.
 */
@Injectable()
export class DatabaseClock implements OnModuleInit, OnApplicationShutdown {
  private offset: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private comparing: Promise<void> = Promise.resolve();

  constructor(private readonly unitOfWork: UnitOfWork) {}

  async onModuleInit(): Promise<void> {
    await this.compare();
    this.timer = setInterval(() => {
      this.comparing = this.compare();
    }, EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.comparing;
  }

  /** In Unix milliseconds. Goes on by this process's own clock while the database is away, and is no worse than that one before. */
  readonly now = (): number => (this.offset === undefined ? Date.now() : Math.round(performance.now() + this.offset));

  private async compare(): Promise<void> {
    const asked = performance.now();
    try {
      const [row] = await this.unitOfWork.rows<{ now: number }>(
        'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float AS now',
      );
      if (row !== undefined) this.offset = row.now - (asked + performance.now()) / 2;
    } catch {
      // Away: others say so.
    }
  }
}
