import type { Clock } from '../../../src/modules/bot-pool/dispatcher/clock.js';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly action: () => void;
}

/** Everything that promises have to do, done. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A clock that stands still until it is told to run, and then jumps from timer to timer. */
export class VirtualClock implements Clock {
  private time = 0;
  private wall = Date.UTC(2026, 0, 1);
  private order = 0;
  private readonly timers = new Set<Timer>();

  now(): number {
    return this.time;
  }

  unixNow(): number {
    return this.wall + this.time;
  }

  /** Somebody sets the machine's date. */
  shiftDate(ms: number): void {
    this.wall += ms;
  }

  schedule(at: number, action: () => void): () => void {
    const timer: Timer = { at: Math.max(at, this.time), order: this.order++, action };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(this.time + ms, resolve));
  }

  get pendingTimers(): number {
    return this.timers.size;
  }

  /** Lets so much time pass. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      await settled();
      const next = this.nextTimer();
      if (next === undefined || next.at > end) break;
      this.fire(next);
    }
    this.time = end;
  }

  /** Lets time pass until the work is done. @throws Error when nothing is left that could end it */
  async until<T>(work: Promise<T>, what = 'the work'): Promise<T> {
    const state = { isDone: false };
    const done = (): void => {
      state.isDone = true;
    };
    work.then(done, done);
    for (;;) {
      await settled();
      if (state.isDone) return work;
      const next = this.nextTimer();
      if (next === undefined) throw new Error(`${what} does not end, and no timer is left`);
      this.fire(next);
    }
  }

  private nextTimer(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.timers) {
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    }
    return next;
  }

  private fire(timer: Timer): void {
    this.timers.delete(timer);
    this.time = Math.max(this.time, timer.at);
    timer.action();
  }
}
