import { setTimeout as sleep } from 'node:timers/promises';
import { databaseFailure } from '../../common/db/database-failure.js';
import type { LimitWindow } from './limit-window.js';
import { QuotaReserve } from './quota-reserve.js';

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
/** Calls that come after a longer pause count nothing ahead, and what is counted ahead goes back after it. */
const IDLE_MS = 1_000;

interface Waiting {
  readonly charge: Charge;
  readonly resolve: (outcome: ChargeOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** For tests. */
export interface ChargerTimes {
  readonly now?: () => number;
  readonly patienceMs?: number;
}

/**
 * Counts the calls of one session. While one statement is under way the next calls gather, and are then charged together: the
 * database gets a statement for many calls when there are many, and at once for one. While calls come one after the other, some
 * more are counted ahead under rules that allow many, and those that come next ask nobody. With the database away calls pass.
 */
export class QuotaCharger {
  private readonly reserve = new QuotaReserve();
  private readonly waiting: Waiting[] = [];
  private isRunning = false;
  /** The statement under way. */
  private asking: Promise<void> | undefined;
  private awayUntil = Number.NEGATIVE_INFINITY;
  private lastUse = Number.NEGATIVE_INFINITY;
  private idleTimer: NodeJS.Timeout | undefined;
  private isClosed = false;
  private readonly now: () => number;
  private readonly patienceMs: number;

  constructor(
    private readonly sessionId: string,
    private readonly statement: ChargeStatement,
    private readonly away: (error: unknown) => void,
    { now = () => performance.now(), patienceMs = PATIENCE_MS }: ChargerTimes = {},
  ) {
    this.now = now;
    this.patienceMs = patienceMs;
  }

  /** Takes all of a charge from what is counted ahead, if that is enough. @returns whether it was */
  take(charge: Charge): boolean {
    if (!this.reserve.take(charge)) return false;
    this.lastUse = this.now();
    if (this.reserve.isLow && !this.isRunning) void this.run();
    return true;
  }

  /** Takes all of a charge, or nothing of it. @throws what the database said of a statement that is wrong */
  charge(charge: Charge): Promise<ChargeOutcome> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ charge, resolve, reject });
      if (!this.isRunning) void this.run();
    });
  }

  /** Gives back what was charged. What the database does not take is not given back: never is more let pass than may. */
  refund(charge: Charge): void {
    void this.giveBack(charge);
  }

  /** Settles when the database has as used what is used, and nothing more. */
  async settled(): Promise<void> {
    // Nothing more is to be counted ahead after what is being counted now.
    const before = this.reserve.clear();
    await this.asking;
    await this.giveBack([...before, ...this.reserve.clear()]);
  }

  /** As {@link settled}; from now on nothing is counted ahead. */
  close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.idleTimer);
    return this.settled();
  }

  private async giveBack(charge: Charge): Promise<void> {
    if (charge.length === 0) return;
    try {
      await this.charge(charge.map((part) => ({ ...part, weight: -part.weight })));
    } catch (error) {
      this.away(error);
    }
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0 || this.reserve.isLow) {
      this.asking = this.settle(this.waiting.splice(0, CALLS_AT_ONCE));
      await this.asking;
    }
    this.asking = undefined;
    this.isRunning = false;
  }

  private async settle(batch: readonly Waiting[]): Promise<void> {
    const charges = batch.map(({ charge }) => charge);
    const back = this.reserve.withdraw(charges).map((part) => ({ ...part, weight: -part.weight }));
    const ahead = this.reserve.wanted(this.isBusy(charges) ? charges : []);
    const before = back.length === 0 ? [] : [back];
    if (charges.length + ahead.length === 0) return;
    try {
      const outcomes = await this.ask([...before, ...charges, ...ahead.map((part) => [part])]);
      for (const [index, { resolve }] of batch.entries()) {
        resolve(outcomes === undefined ? 'uncounted' : (outcomes[before.length + index] ?? 'charged'));
      }
      if (outcomes === undefined) return;
      const refused = outcomes.slice(before.length + batch.length);
      const granted = ahead.filter((_, index) => refused[index] === undefined);
      for (const part of granted) this.reserve.put(part);
      if (granted.length > 0) this.returnWhenIdle();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Notes that calls came, and tells whether others came right before. */
  private isBusy(charges: readonly Charge[]): boolean {
    if (!charges.some((charge) => charge.some(({ weight }) => weight > 0))) return false;
    const now = this.now();
    const isBusy = now - this.lastUse < IDLE_MS;
    this.lastUse = now;
    return isBusy && !this.isClosed;
  }

  private returnWhenIdle(): void {
    if (this.idleTimer !== undefined || this.isClosed) return;
    this.idleTimer = setTimeout(
      () => {
        this.idleTimer = undefined;
        if (this.now() - this.lastUse < IDLE_MS) this.returnWhenIdle();
        else void this.settled();
      },
      Math.max(1, this.lastUse + IDLE_MS - this.now()),
    ).unref();
  }

  /** @returns undefined when the database is away */
  private async ask(charges: readonly Charge[]): Promise<readonly (ChargePart | undefined)[] | undefined> {
    if (this.now() < this.awayUntil) return undefined;
    const patience = new AbortController();
    const late = sleep(this.patienceMs, undefined, { ref: false, signal: patience.signal }).catch(() => undefined);
    const answer = this.statement(this.sessionId, charges);
    // One that comes after all, or fails after all, has nobody who waits for it.
    answer.catch(() => undefined);
    try {
      const outcomes = await Promise.race([answer, late]);
      if (outcomes !== undefined) return outcomes;
      this.noteAway(new Error(`no answer within ${this.patienceMs} ms`));
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
