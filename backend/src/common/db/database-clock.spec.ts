import { DataSource } from 'typeorm';
import { DatabaseClock } from './database-clock.js';
import { UnitOfWork } from './unit-of-work.js';

/** A database whose clock is so many milliseconds ahead of ours; undefined while it is away. */
class OtherTime extends UnitOfWork {
  aheadMs: number | undefined = 0;

  constructor() {
    super(new DataSource({ type: 'postgres' }));
  }

  override rows<Row extends object>(): Promise<Row[]> {
    return this.aheadMs === undefined
      ? Promise.reject(new Error('away'))
      : Promise.resolve([{ now: Date.now() + this.aheadMs }] as unknown as Row[]);
  }
}

describe('the clock of the database', () => {
  it('is told though our own is minutes off, and followed when it changes', async () => {
    jest.useFakeTimers();
    const database = new OtherTime();
    const clock = new DatabaseClock(database);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
    try {
      database.aheadMs = 300_000;
      await clock.onModuleInit();
      expect(Math.abs(clock.now() - Date.now() - 300_000)).toBeLessThan(1_000);
      database.aheadMs = -60_000;
      await jest.advanceTimersByTimeAsync(10_000);
      expect(Math.abs(clock.now() - Date.now() + 60_000)).toBeLessThan(1_000);
      // Away, it goes on as it was.
      database.aheadMs = undefined;
      await jest.advanceTimersByTimeAsync(60_000);
      expect(Math.abs(clock.now() - Date.now() + 60_000)).toBeLessThan(1_000);
    } finally {
      await clock.onApplicationShutdown();
      jest.useRealTimers();
    }
  });
});
