const WINDOW_MS = 60_000;
/** Beyond so many addresses the oldest are forgotten: a flood of addresses must not fill the memory. */
const MAX_ADDRESSES = 10_000;

interface Window {
  readonly endsAt: number;
  failures: number;
}

/** Counts failed authentications of each address in windows of a minute. */
export class FailureThrottle {
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly perMinute: number,
    private readonly now: () => number = Date.now,
  ) {}

  /** Notes a failure; the seconds to wait when there were too many, else undefined. */
  fail(address: string): number | undefined {
    const now = this.now();
    let window = this.windows.get(address);
    if (!window || window.endsAt <= now) {
      window = { endsAt: now + WINDOW_MS, failures: 0 };
      this.windows.delete(address);
      this.windows.set(address, window);
      const oldest = this.windows.keys().next().value;
      if (this.windows.size > MAX_ADDRESSES && oldest !== undefined) this.windows.delete(oldest);
    }
    window.failures += 1;
    return window.failures > this.perMinute ? Math.ceil((window.endsAt - now) / 1000) : undefined;
  }
}
