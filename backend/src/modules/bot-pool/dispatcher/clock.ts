/** Time, as the dispatcher needs it. In tests one that is moved by hand. */
export interface Clock {
  /** Milliseconds that only go forward, whatever is done to the machine's date. */
  now(): number;
  /** Unix milliseconds: for what outlives the process, and nothing else. */
  unixNow(): number;
  /** Calls when `now()` has reached `at`, never from within this call. @returns what takes that back */
  schedule(at: number, action: () => void): () => void;
}

/** The longest that Node's timers can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The process's own time. */
export const systemClock: Clock = {
  now: () => performance.now(),
  unixNow: () => Date.now(),
  schedule: (at, action) => {
    // Rounded up, because Node's timers may fire a fraction of a millisecond early.
    const waitMs = Math.min(Math.max(0, Math.ceil(at - performance.now())), MAX_TIMER_MS);
    const timer = setTimeout(action, waitMs);
    return () => clearTimeout(timer);
  },
};
