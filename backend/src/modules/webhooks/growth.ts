const FIRST = 4;
/** A receiver that takes longer does not keep up with more. */
const SLOW_MS = 2_000;

/**
 * How many deliveries may be under way. It begins with four and grows with each success; after an outage with one, and then by
 * one for each round of successes, so that a receiver which is just back is not knocked down again.
 */
export class Growth {
  private value: number;
  private isCareful = false;

  constructor(private maximum: number) {
    this.value = Math.min(FIRST, maximum);
  }

  get limit(): number {
    return Math.floor(this.value);
  }

  limitTo(maximum: number): void {
    this.maximum = maximum;
    this.value = Math.min(this.value, maximum);
  }

  succeeded(durationMs: number): void {
    if (durationMs > SLOW_MS) return;
    this.value = Math.min(this.maximum, this.value + (this.isCareful ? 1 / this.value : 1));
    if (this.value === this.maximum) this.isCareful = false;
  }

  failed(): void {
    this.value = Math.max(Math.min(FIRST, this.maximum, this.value), this.value / 2);
  }

  /** The receiver is away. */
  restart(): void {
    this.value = 1;
    this.isCareful = true;
  }
}
