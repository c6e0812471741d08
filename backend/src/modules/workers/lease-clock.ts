const NS_PER_MS = 1_000_000n;
const NOT_HELD = 0n;

/**
 * When the lease of this process ends if nothing renews it, in memory that its threads share. Counted by the machine's monotonic
 * clock, which goes on while the process is stopped.
 */
export class LeaseClock {
  private readonly end: BigInt64Array;

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.end = new BigInt64Array(memory);
  }

  /** The moment to count a lease from: before the database is asked for it. */
  static now(): bigint {
    return process.hrtime.bigint();
  }

  /** @param askedAt the moment before the database was asked */
  renewed(askedAt: bigint, leaseMs: number): void {
    Atomics.store(this.end, 0, askedAt + BigInt(leaseMs) * NS_PER_MS);
  }

  /** There is no lease any more, by our own doing. */
  released(): void {
    Atomics.store(this.end, 0, NOT_HELD);
  }

  /** How long it still holds, in milliseconds; below zero since it has ended, undefined while there is none. */
  get leftMs(): number | undefined {
    const end = Atomics.load(this.end, 0);
    return end === NOT_HELD ? undefined : Number((end - LeaseClock.now()) / NS_PER_MS);
  }
}
