import type { CountingRule } from './rule-book.js';
import { RateLimitedError } from './limits.errors.js';
import { levelOf } from './limit-rule.js';
import type { PaceTurn } from './pace.js';
import type { Charge, ChargePart, QuotaCharger } from './quota-charger.js';

/** A rule that counts something of a call, and how much. */
export interface Counted extends CountingRule {
  /** What the call itself weighs under it. */
  readonly ofCall: number;
  /** 1 where the name that has to be resolved for it counts too. */
  readonly ofResolve: number;
}

/** What a call needs before it may go to TDLib. */
export interface AdmissionNeeds {
  /** Its turn in the queue of the session's writes. */
  readonly turn: PaceTurn | undefined;
  readonly counted: readonly Counted[];
  readonly charger: QuotaCharger;
  /** Asked again when the turn has come. @throws RateLimitedError */
  readonly requireOpen: () => void;
}

/**
 * One call on its way past the limits: it waits for its turn, then it is counted under all rules or under none. What turns out
 * not to have happened is given back.
 */
export class Admission {
  /** Settles when the call may go; undefined when it may at once. @throws RateLimitedError, PaceEndedError */
  readonly passed: Promise<void> | undefined;
  /** What was charged and not given back. */
  private charged: Charge = [];
  private isGivenBack = false;
  private failedSends = 0;

  constructor(
    private readonly needs: AdmissionNeeds,
    private readonly now: () => number = Date.now,
  ) {
    const { turn } = needs;
    this.passed = turn?.come === undefined && this.isTaken() ? undefined : this.pass();
  }

  /** The call did not happen: Telegram refused it, or it never came to TDLib. */
  giveBack(): void {
    if (this.isGivenBack) return;
    this.isGivenBack = true;
    this.refund(this.charged);
    this.charged = [];
  }

  /** Its caller does not wait for its turn any more. */
  leave(): void {
    this.needs.turn?.giveBack();
    this.giveBack();
  }

  /**
   * The name is resolved. That Telegram was asked for it stays counted, whatever becomes of the call.
   * @param hasAsked false when the name was known after all
   */
  resolved(hasAsked: boolean): void {
    const taken = this.take(({ ofResolve }) => ofResolve);
    if (!hasAsked) this.refund(taken);
  }

  /** Whether anything can be given back at all. */
  get isCounted(): boolean {
    return this.charged.length > 0;
  }

  /** Telegram has refused one of the messages that the call sent. @param of how many there are */
  sendFailed(of: number): void {
    this.failedSends += 1;
    const isLast = this.failedSends === of;
    this.refund(this.take(({ ofCall, countsCalls }) => (countsCalls ? (isLast ? 1 : 0) : Math.min(1, ofCall))));
  }

  /** Whether nothing has to be asked: nothing counts it, or enough was counted ahead. */
  private isTaken(): boolean {
    const charge = this.parts();
    if (charge.length > 0 && !this.needs.charger.take(charge)) return false;
    this.charged = charge;
    return true;
  }

  private async pass(): Promise<void> {
    const { turn, charger, requireOpen } = this.needs;
    if (turn?.come !== undefined) {
      await turn.come;
      try {
        // What Telegram refused meanwhile may have closed this too.
        requireOpen();
      } catch (error) {
        turn.giveBack();
        throw error;
      }
    }
    if (this.hasLeft() || this.isTaken()) return;
    const charge = this.parts();
    const outcome = await charger.charge(charge);
    if (outcome === 'uncounted') return;
    if (outcome !== 'charged') {
      turn?.giveBack();
      throw refusalBy(this.needs.counted, outcome, this.now());
    }
    // Its caller may have left while it was counted.
    if (this.hasLeft()) this.refund(charge);
    else this.charged = charge;
  }

  /** A method, since it changes while something is waited for. */
  private hasLeft(): boolean {
    return this.isGivenBack;
  }

  private parts(): Charge {
    return chargeOf(this.needs.counted, this.now());
  }

  /** Takes out of what can be given back. @param weightOf how much of each rule */
  private take(weightOf: (counted: Counted) => number): Charge {
    const taken: ChargePart[] = [];
    this.charged = this.charged.map((part, index) => {
      const counted = this.needs.counted[index];
      const weight = counted === undefined ? 0 : Math.min(part.weight, weightOf(counted));
      taken.push({ ...part, weight });
      return { ...part, weight: part.weight - weight };
    });
    return taken;
  }

  private refund(parts: Charge): void {
    const back = parts.filter(({ weight }) => weight > 0);
    if (back.length > 0) this.needs.charger.refund(back);
  }
}

/** What a call takes of the rules that count it. @param now in Unix milliseconds */
export function chargeOf(counted: readonly Counted[], now: number): Charge {
  return counted.map(({ rule, window, ofCall, ofResolve }) => ({
    ruleId: rule.id,
    max: rule.max,
    window: window.at(now),
    weight: ofCall + ofResolve,
  }));
}

/** What a call is told that a rule has no room for. @param now in Unix milliseconds */
export function refusalBy(
  counted: readonly Counted[],
  { ruleId, window, weight, max }: ChargePart,
  now: number,
): RateLimitedError {
  const rule = counted.find((each) => each.rule.id === ruleId)?.rule;
  const { label, per } = rule ?? {};
  const name = label === undefined ? 'the limit' : `the limit "${label}"`;
  const ofCall = `a call that counts as ${weight}`;
  const words =
    weight > max ? `${ofCall} never fits` : weight > 1 ? `${ofCall} does not fit any more` : 'it is used up';
  return new RateLimitedError(
    `${name} of ${max} ${per === 'hour' ? 'an' : 'a'} ${per ?? 'while'} refuses this call: ${words}`,
    { source: 'limit', until: new Date(window.endsAt), level: levelOf(rule ?? {}), limit_id: ruleId },
    window.endsAt - now,
  );
}
