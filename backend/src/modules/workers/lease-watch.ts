/** An unrenewed lease ends the process this long before it ends itself, in milliseconds. */
export const KILL_BEFORE_MS = 500;
/** By then it must be known whether the database can be reached. Connecting may take as long. */
const ASK_BEFORE_MS = 1_500;
const ASK_AGAIN_MS = 250;
const IDLE_MS = 1_000;

/** What the watch looks at, and what it may do. */
export interface WatchedLease {
  /** How long the lease still holds, in milliseconds; undefined while there is none. */
  leftMs(): number | undefined;
  /** Whether others can reach the database, and so may claim what this process holds. */
  canOthersClaim(): Promise<boolean>;
  /** Ends the process on the spot. @param leftMs as above */
  kill(leftMs: number): void;
}

/**
 * Ends a process whose lease nobody renews, before others may take its sessions: its event loop is frozen, or it was stopped. While
 * nobody can reach the database nobody can take anything, and the process goes on.
 */
export class LeaseWatch {
  constructor(private readonly lease: WatchedLease) {}

  /** Looks once. @returns after how many milliseconds to look again; undefined when the process has been ended */
  async look(): Promise<number | undefined> {
    const left = this.lease.leftMs();
    if (left === undefined) return IDLE_MS;
    if (left > ASK_BEFORE_MS) return left - ASK_BEFORE_MS;
    if (!(await this.lease.canOthersClaim())) return ASK_AGAIN_MS;
    const stillLeft = this.lease.leftMs();
    if (stillLeft === undefined) return IDLE_MS;
    if (stillLeft > KILL_BEFORE_MS) return Math.min(stillLeft - KILL_BEFORE_MS, ASK_AGAIN_MS);
    this.lease.kill(stillLeft);
    return undefined;
  }
}
