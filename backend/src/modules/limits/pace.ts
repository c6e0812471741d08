import { CLOCK, type Clock } from './cooldowns.js';
import { PaceEndedError, RateLimitedError } from './limits.errors.js';

/** How fast a session may write. */
export interface PaceSettings {
  /** 0 for as fast as it is asked to. */
  readonly perSecond: number;
  /** Who would have to wait longer is refused at once, in milliseconds. */
  readonly maxWaitMs: number;
}

/** A place in the queue. */
export interface PaceTurn {
  /** Settles when it is its turn; undefined when it is at once. @throws PaceEndedError */
  readonly come: Promise<void> | undefined;
  /** The turn is not used: whoever comes next moves up. */
  giveBack(): void;
}

/** The queue as it is. */
export interface PaceState {
  /** How many wait. */
  readonly length: number;
  /** When the next may go, in milliseconds. */
  readonly nextInMs: number;
}

interface Waiting {
  readonly resolve: (turn: number) => void;
  readonly reject: (error: Error) => void;
}

/** Keeps the writes of one session apart, in the order in which they came, whoever makes them. */
export class Pace {
  private readonly waiting: Waiting[] = [];
  private readonly intervalMs: number;
  /** When the next may go, on the steady clock. */
  private nextAt = Number.NEGATIVE_INFINITY;
  /** What it was before the last turn was given, and how many were. */
  private formerNextAt = Number.NEGATIVE_INFINITY;
  private given = 0;
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;

  constructor(
    private readonly settings: PaceSettings,
    private readonly clock: Clock = CLOCK,
  ) {
    this.intervalMs = settings.perSecond === 0 ? 0 : 1_000 / settings.perSecond;
  }

  get isOn(): boolean {
    return this.intervalMs > 0;
  }

  get state(): PaceState {
    return { length: this.waiting.length, nextInMs: Math.max(0, this.nextAt - this.clock.steady()) };
  }

  /**
   * Takes a place in the queue.
   * @param scope what the refusal names
   * @throws RateLimitedError when the turn would come too late
   * @throws PaceEndedError when the session closes
   */
  enter(scope: string): PaceTurn {
    if (this.isOver) throw new PaceEndedError();
    const now = this.clock.steady();
    if (this.requireTurn(scope) > 0) return this.wait();
    const turn = this.give(now);
    return { come: undefined, giveBack: this.returning(() => this.takeBack(turn)) };
  }

  /**
   * Takes no place, only tells how long one would have to wait, in milliseconds.
   * @throws RateLimitedError as {@link enter}
   */
  requireTurn(scope: string): number {
    const waitMs = Math.max(0, this.nextAt - this.clock.steady()) + this.waiting.length * this.intervalMs;
    if (waitMs > this.settings.maxWaitMs) {
      const leftMs = waitMs - this.settings.maxWaitMs;
      throw new RateLimitedError(
        `${scope} would have to wait ${Math.ceil(waitMs / 1_000)} s for its turn: the session writes ${this.settings.perSecond} a second`,
        { source: 'pace', scope, until: new Date(this.clock.wall() + leftMs) },
        leftMs,
      );
    }
    return waitMs;
  }

  /** Nobody's turn comes any more: whoever waits is told so. */
  end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    for (const { reject } of this.waiting.splice(0)) reject(new PaceEndedError());
  }

  private wait(): PaceTurn {
    let turn: number | undefined;
    let own: Waiting | undefined;
    const come = new Promise<void>((resolve, reject) => {
      own = {
        resolve: (given) => {
          turn = given;
          resolve();
        },
        reject,
      };
      this.waiting.push(own);
    });
    // Whoever gave the place back does not wait for it any more.
    come.catch(() => undefined);
    this.arm();
    return {
      come,
      giveBack: this.returning(() => {
        if (turn !== undefined) this.takeBack(turn);
        else if (own !== undefined) this.waiting.splice(this.waiting.indexOf(own), 1);
      }),
    };
  }

  private returning(work: () => void): () => void {
    let isReturned = false;
    return () => {
      if (isReturned || this.isOver) return;
      isReturned = true;
      work();
    };
  }

  private give(now: number): number {
    this.formerNextAt = this.nextAt;
    this.nextAt = now + this.intervalMs;
    this.given += 1;
    return this.given;
  }

  /** A turn is not used. When another was given since, nobody can have it any more. */
  private takeBack(turn: number): void {
    if (turn !== this.given) return;
    this.nextAt = this.formerNextAt;
    this.arm();
  }

  private arm(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting.length === 0 || this.isOver) return;
    // A timer may fire a moment early; a turn never comes early.
    this.timer = setTimeout(() => this.grant(), Math.max(0, Math.ceil(this.nextAt - this.clock.steady())));
    this.timer.unref();
  }

  private grant(): void {
    const now = this.clock.steady();
    if (now >= this.nextAt) this.waiting.shift()?.resolve(this.give(now));
    this.arm();
  }
}
