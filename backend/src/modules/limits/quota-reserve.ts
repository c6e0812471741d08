import { isSameWindow } from './limit-window.js';
import type { Charge, ChargePart } from './quota-charger.js';

/** What is counted ahead of a rule is at most this part of its `max`: so much is lost when a worker dies. */
const SHARE = 1 / 100;
/** And no more than for so many calls. */
const MOST = 100;
/** Of less than so many calls it would be of no use: such rules are asked for with each call. */
const LEAST = 10;

interface Stock {
  readonly part: Omit<ChargePart, 'weight'>;
  left: number;
}

/** How much of a rule is counted ahead. */
function aheadOf(max: number): number {
  const ahead = Math.min(MOST, Math.floor(max * SHARE));
  return ahead < LEAST ? 0 : ahead;
}

/** Whether a charge could be taken from what was counted ahead at all. */
function canStock(charge: Charge): boolean {
  return charge.every(({ max, weight }) => weight > 0 && weight <= aheadOf(max));
}

/**
 * What of the rules of one session is counted already and not used yet. The database has it as used, so that nobody else can have
 * it, and a call takes its share without asking.
 */
export class QuotaReserve {
  /** By rule. */
  private readonly stocks = new Map<string, Stock>();
  private readonly low = new Set<string>();

  /** Takes all of a charge, or nothing. Of a rule or a window that is another now nothing is there. @returns whether it was taken */
  take(charge: Charge): boolean {
    for (const part of charge) {
      const stock = this.stocks.get(part.ruleId);
      if (stock === undefined || stock.left < part.weight || part.weight <= 0 || !isSame(stock.part, part))
        return false;
    }
    for (const { ruleId, weight } of charge) {
      const stock = this.stocks.get(ruleId);
      if (stock === undefined) continue;
      stock.left -= weight;
      if (stock.left < aheadOf(stock.part.max) / 2) this.low.add(ruleId);
    }
    return true;
  }

  /** Whether something is about to be used up. */
  get isLow(): boolean {
    return this.low.size > 0;
  }

  /** Takes out what is left of the rules of these charges, before the database is asked about them: it has to know what is really used. */
  withdraw(charges: readonly Charge[]): Charge {
    const asked = new Set(
      charges.flatMap((charge) => charge.filter(({ weight }) => weight > 0).map(({ ruleId }) => ruleId)),
    );
    return this.remove((ruleId) => asked.has(ruleId));
  }

  /** Takes out everything. */
  clear(): Charge {
    return this.remove(() => true);
  }

  /** What to count ahead: of what is low, and of what these charges needed. */
  wanted(charges: readonly Charge[]): Charge {
    const wanted = new Map<string, ChargePart>();
    for (const ruleId of this.low) {
      const { part, left } = this.stocks.get(ruleId) ?? {};
      if (part !== undefined && left !== undefined) {
        wanted.set(ruleId, { ...part, weight: aheadOf(part.max) - left });
      }
    }
    this.low.clear();
    for (const part of charges.filter(canStock).flat()) {
      wanted.set(part.ruleId, { ...part, weight: aheadOf(part.max) });
    }
    return [...wanted.values()];
  }

  /** Something was counted ahead. */
  put({ weight, ...part }: ChargePart): void {
    const known = this.stocks.get(part.ruleId);
    const left = known !== undefined && isSame(known.part, part) ? known.left : 0;
    this.stocks.set(part.ruleId, { part, left: left + weight });
  }

  private remove(isMeant: (ruleId: string) => boolean): Charge {
    const removed: ChargePart[] = [];
    for (const [ruleId, { part, left }] of this.stocks) {
      if (!isMeant(ruleId)) continue;
      this.stocks.delete(ruleId);
      this.low.delete(ruleId);
      if (left > 0) removed.push({ ...part, weight: left });
    }
    return removed;
  }
}

/** A rule may have another `max` since, and a window may be over. */
function isSame(one: Omit<ChargePart, 'weight'>, other: Omit<ChargePart, 'weight'>): boolean {
  return one.max === other.max && isSameWindow(one.window, other.window);
}
