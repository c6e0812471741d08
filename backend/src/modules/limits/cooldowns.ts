import { RateLimitedError } from './limits.errors.js';

/** What keeps an account from writing to strangers, in place of a group's name. */
export const SPAM_LIMIT = 'spam_limit';

/** Something that Telegram has closed for a while. */
export interface Cooldown {
  /** A group, a method, {@link SPAM_LIMIT}, or `@send:` with a chat that is in slow mode. */
  readonly scope: string;
  readonly startedAt: Date;
  readonly until: Date;
  /** Telegram's own words. */
  readonly reason: string;
}

/** What ends at the same time but for so much is the same. */
const SAME_MS = 1_000;

interface Running extends Cooldown {
  /** On the clock that nobody sets. */
  readonly endsAt: number;
}

/** Both in milliseconds. */
export interface Clock {
  /** Runs evenly whatever is done to the computer's clock. */
  readonly steady: () => number;
  /** Since 1970. */
  readonly wall: () => number;
}

/** The clocks of this process. */
export const CLOCK: Clock = { steady: () => performance.now(), wall: Date.now };

/** What is closed on one session. The time that is left is measured, not computed from dates: a clock that is set changes nothing. */
export class Cooldowns {
  private readonly running = new Map<string, Running>();

  constructor(private readonly clock: Clock = CLOCK) {}

  /** Those that still run. */
  get all(): readonly Cooldown[] {
    return [...this.running.keys()].flatMap((scope) => this.find(scope) ?? []);
  }

  /** Undefined when it is over. */
  find(scope: string): Cooldown | undefined {
    const found = this.running.get(scope);
    if (found === undefined) return undefined;
    if (found.endsAt > this.clock.steady()) return found;
    this.running.delete(scope);
    return undefined;
  }

  /** In milliseconds; 0 when nothing runs. */
  leftOf(scope: string): number {
    return this.find(scope) === undefined
      ? 0
      : Math.max(0, (this.running.get(scope)?.endsAt ?? 0) - this.clock.steady());
  }

  /**
   * Closes a scope. One that is closed for as long already stays as it is.
   * @returns undefined when nothing has changed
   */
  start(scope: string, forMs: number, reason: string): Cooldown | undefined {
    const wall = this.clock.wall();
    return this.put({ scope, startedAt: new Date(wall), until: new Date(wall + forMs), reason }, forMs);
  }

  /** Goes on with one that was stored. @param leftMs on the clock of where it was stored */
  put(cooldown: Cooldown, leftMs: number): Cooldown | undefined {
    // The messages of an album are refused one after the other: that is one flood.
    const known = this.leftOf(cooldown.scope);
    if (leftMs <= 0 || (known > 0 && leftMs <= known + SAME_MS)) return undefined;
    this.running.set(cooldown.scope, { ...cooldown, endsAt: this.clock.steady() + leftMs });
    return cooldown;
  }

  /** @returns whether it ran */
  lift(scope: string): boolean {
    const runs = this.find(scope) !== undefined;
    this.running.delete(scope);
    return runs;
  }

  /** @throws RateLimitedError when the scope is closed */
  require(scope: string): void {
    if (this.running.size === 0) return;
    const found = this.find(scope);
    if (found === undefined) return;
    const { until, reason } = found;
    throw new RateLimitedError(
      `${scope} is cooling down: ${reason}`,
      { source: 'cooldown', scope, until, error: reason },
      this.leftOf(scope),
    );
  }
}
