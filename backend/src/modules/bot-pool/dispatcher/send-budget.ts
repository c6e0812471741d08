/** How many messages one bot may send to one chat. */
export interface BudgetLimits {
  /** Messages in any window of `windowMs`. */
  readonly max: number;
  readonly windowMs: number;
  /** From the end of one message to the start of the next. */
  readonly gapMs: number;
}

/**
 * What Telegram's bots observe: 20 messages a minute in one chat, and one a second
 * (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this). Nothing promises these numbers, so
 * {@link SendBudget} learns.
 */
export const DEFAULT_LIMITS: BudgetLimits = { max: 20, windowMs: 60_000, gapMs: 1_000 };

/**
 * What a bot may still send to a chat in the running window. A refusal halves what is thought to be allowed, and every whole
 * window without one adds a message, up to what was configured.
 *
 * Messages count from their end, because Telegram counts when a message is posted, at the end of an upload that may take long:
 * counted from the start, a slow message would leave the window too early.
 */
export class SendBudget {
  private readonly sentAt: number[] = [];
  private allowed: number;
  private changedAt = -Infinity;

  constructor(private limits: BudgetLimits) {
    this.allowed = limits.max;
  }

  /** Messages that are allowed in a window at the moment. */
  limit(now: number): number {
    const windows = Math.floor((now - this.changedAt) / this.limits.windowMs);
    if (this.allowed < this.limits.max && windows > 0) {
      this.allowed = Math.min(this.limits.max, this.allowed + windows);
      this.changedAt += windows * this.limits.windowMs;
    }
    return this.allowed;
  }

  /** Messages of the running window. */
  used(now: number): number {
    this.forget(now);
    return this.sentAt.length;
  }

  /** When the next message may start; in the past when it may now. */
  freeAt(now: number): number {
    const limit = this.limit(now);
    this.forget(now);
    const last = this.sentAt.at(-1);
    const afterGap = last === undefined ? -Infinity : last + this.limits.gapMs;
    const oldest = this.sentAt.at(-limit);
    return oldest === undefined ? afterGap : Math.max(afterGap, oldest + this.limits.windowMs);
  }

  /** A message has been sent, or may have been. */
  spend(now: number): void {
    this.sentAt.push(now);
  }

  /** Telegram refused a message for coming too soon. */
  refused(now: number): void {
    this.allowed = Math.max(1, Math.floor(this.limit(now) / 2));
    this.changedAt = now;
  }

  /** Other limits from now on; what was learnt stays where it is lower. */
  configure(limits: BudgetLimits): void {
    const isAtLimit = this.allowed === this.limits.max;
    this.limits = limits;
    this.allowed = isAtLimit ? limits.max : Math.min(this.allowed, limits.max);
  }

  private forget(now: number): void {
    const from = now - this.limits.windowMs;
    while (this.sentAt[0] !== undefined && this.sentAt[0] <= from) this.sentAt.shift();
  }
}
