import type { Clock } from '../rpc.js';

interface Alarm {
  readonly dueMs: number;
  readonly ring: () => void;
}

/** Longest delay `setTimeout` takes without firing at once (https://nodejs.org/api/timers.html). */
const MAX_TIMEOUT_MS = 2_147_483_647;

/**
 * The sandbox's time: the machine's time plus an offset that a test moves at will. Whatever expires (login codes, QR
 * links, flood windows, scheduled messages) asks this clock, so a day passes in one call.
 */
export class VirtualClock implements Clock {
  /** Milliseconds this clock is ahead of the machine; negative when it is behind. */
  offsetMs = 0;
  private readonly alarms = new Set<Alarm>();
  private timer: NodeJS.Timeout | undefined;

  now(): number {
    return Date.now() + this.offsetMs;
  }

  /** Unix seconds, the unit of every date in the API. */
  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** Jumps forward, or back when `seconds` is negative. Alarms that are due then ring before this returns. */
  advance(seconds: number): void {
    this.offsetMs += Math.round(seconds * 1000);
    this.ringDue();
  }

  /** Calls `ring` once the clock has reached `dueSeconds`. @returns a function that cancels it. */
  at(dueSeconds: number, ring: () => void): () => void {
    const alarm: Alarm = { dueMs: dueSeconds * 1000, ring };
    this.alarms.add(alarm);
    this.arm();
    return () => {
      this.alarms.delete(alarm);
      this.arm();
    };
  }

  /** Forgets all alarms, so that nothing rings after a reset or a stop. */
  clearAlarms(): void {
    this.alarms.clear();
    this.arm();
  }

  private ringDue(): void {
    const due = [...this.alarms].filter((alarm) => alarm.dueMs <= this.now()).sort((a, b) => a.dueMs - b.dueMs);
    for (const alarm of due) {
      if (this.alarms.delete(alarm)) alarm.ring();
    }
    this.arm();
  }

  private arm(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.alarms.size === 0) return;
    const next = Math.min(...[...this.alarms].map((alarm) => alarm.dueMs));
    const delay = Math.min(Math.max(next - this.now(), 0), MAX_TIMEOUT_MS);
    this.timer = setTimeout(() => {
      this.ringDue();
    }, delay);
    this.timer.unref();
  }
}
