import { setTimeout as sleep } from 'node:timers/promises';
import { databaseFailure } from '../../common/db/database-failure.js';
import type { LimitWindow } from './limit-window.js';

/** What a call takes of one rule; negative to give it back. */
export interface ChargePart {
  readonly ruleId: string;
  readonly max: number;
  readonly window: LimitWindow;
  readonly weight: number;
}

/** What a call takes: all of it, or nothing. */
export type Charge = readonly ChargePart[];

/** The outcome: the part that had no room for it, `uncounted` when nobody could be asked. */
export type ChargeOutcome = 'charged' | 'uncounted' | ChargePart;

/**
 * Charges one session for several calls, one after the other.
 * @returns for each the part that refused it, or undefined
 */
export type ChargeStatement = (
  sessionId: string,
  charges: readonly Charge[],
) => Promise<readonly (ChargePart | undefined)[]>;

/** More would hold up what comes after them. */
const CALLS_AT_ONCE = 200;
/** A database that says nothing for so long counts as away; one that is only slow still counts. */
const PATIENCE_MS = 5_000;
/** How long it is not asked again then. */
const AWAY_MS = 1_000;

interface Waiting {
  readonly charge: Charge;
  readonly resolve: (outcome: ChargeOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Counts the calls of one session. While one statement is under way the next calls gather, and are then charged together: the
 * database gets a statement for many calls when there are many, and at once for one. With the database away calls pass.
 */
export class QuotaCharger {
  private readonly waiting: Waiting[] = [];
  private isRunning = false;
  private awayUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly sessionId: string,
    private readonly statement: ChargeStatement,
    private readonly away: (error: unknown) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes all of a charge, or nothing of it. @throws what the database said of a statement that is wrong */
  charge(charge: Charge): Promise<ChargeOutcome> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ charge, resolve, reject });
      if (!this.isRunning) void this.run();
    });
  }

  /** Gives back what was charged. What the database does not take is not given back: never is more let pass than may. */
  refund(charge: Charge): void {
    const back = charge.map((part) => ({ ...part, weight: -part.weight }));
    this.charge(back).catch((error: unknown) => this.away(error));
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    for (let batch = this.waiting.splice(0, CALLS_AT_ONCE); batch.length > 0;) {
      await this.settle(batch);
      batch = this.waiting.splice(0, CALLS_AT_ONCE);
    }
    this.isRunning = false;
  }

  private async settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.ask(batch.map(({ charge }) => charge));
      for (const [index, { resolve }] of batch.entries()) {
        resolve(outcomes === undefined ? 'uncounted' : (outcomes[index] ?? 'charged'));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** @returns undefined when the database is away */
  private async ask(charges: readonly Charge[]): Promise<readonly (ChargePart | undefined)[] | undefined> {
    if (this.now() < this.awayUntil) return undefined;
    const patience = new AbortController();
    const late = sleep(PATIENCE_MS, undefined, { ref: false, signal: patience.signal }).catch(() => undefined);
    const answer = this.statement(this.sessionId, charges);
    // One that comes after all, or fails after all, has nobody who waits for it.
    answer.catch(() => undefined);
    try {
      const outcomes = await Promise.race([answer, late]);
      if (outcomes !== undefined) return outcomes;
      this.noteAway(new Error(`no answer within ${PATIENCE_MS} ms`));
    } catch (error) {
      if (databaseFailure(error) === undefined) throw error;
      this.noteAway(error);
    } finally {
      patience.abort();
    }
    return undefined;
  }

  private noteAway(error: unknown): void {
    this.awayUntil = this.now() + AWAY_MS;
    this.away(error);
  }
}
