import PQueue from 'p-queue';
import { type BudgetLimits, SendBudget } from './send-budget.js';

/** What a bot is added with. */
export interface NewBot {
  readonly id: string;
  readonly isPaused?: boolean;
  /** Why it was put aside, where it was. */
  readonly quarantine?: string;
  /** Unix milliseconds: the cooldown that a former process has noted. */
  readonly cooldownUntil?: number;
}

/** What of a bot's sends has come to what. */
export interface BotCounters {
  ok: number;
  rate: number;
  transient: number;
  fault: number;
  bytes: number;
}

/** Cooldowns end this long after what Telegram asked for, doubled with each refusal in a row, so that clocks may differ. */
const MARGIN_MS = 500;
const MAX_DOUBLINGS = 6;
/** What is waited where Telegram asks for a pause and does not say how long. */
const UNSAID_RETRY_MS = 1_000;
/** So long without a refusal, and the next one is the first again. */
const CALM_MS = 60_000;

/** A bot of the pool. All times are those of the dispatcher's clock. */
export class PoolBot {
  /** One at a time: two sends of a bot would share its limits and its upload window, and bring on a 429. */
  readonly queue = new PQueue({ concurrency: 1 });
  readonly counters: BotCounters = { ok: 0, rate: 0, transient: 0, fault: 0, bytes: 0 };
  readonly id: string;
  cooldownUntil = -Infinity;
  quarantine: string | undefined;
  isPaused: boolean;
  isLeaving = false;
  lastStartedAt = -Infinity;
  lastOkAt: number | undefined;
  lastError: string | undefined;
  private readonly budgets = new Map<number, SendBudget>();
  private refusals = 0;
  private refusedAt = -Infinity;

  constructor(
    { id, isPaused = false, quarantine }: NewBot,
    private limits: BudgetLimits,
  ) {
    this.id = id;
    this.isPaused = isPaused;
    this.quarantine = quarantine;
  }

  /** Running and waiting tasks. */
  get load(): number {
    return this.queue.pending + this.queue.size;
  }

  /** Whether it takes part at all, free or not. */
  get isUsable(): boolean {
    return this.quarantine === undefined && !this.isPaused && !this.isLeaving;
  }

  /** When it may send to the chat, as far as limits go; in the past when it may now. */
  eligibleAt(chatId: number, now: number): number {
    return Math.max(this.cooldownUntil, this.budget(chatId).freeAt(now));
  }

  budget(chatId: number): SendBudget {
    let budget = this.budgets.get(chatId);
    if (budget === undefined) {
      budget = new SendBudget(this.limits);
      this.budgets.set(chatId, budget);
    }
    return budget;
  }

  configure(limits: BudgetLimits): void {
    this.limits = limits;
    for (const budget of this.budgets.values()) budget.configure(limits);
  }

  /** Telegram asked for a pause. It only ever makes a cooldown longer. */
  coolDown(chatId: number, retryAfterMs: number, now: number): void {
    this.refusals = now - this.refusedAt > CALM_MS ? 1 : Math.min(this.refusals + 1, MAX_DOUBLINGS + 1);
    const margin = MARGIN_MS * 2 ** (this.refusals - 1);
    const pause = retryAfterMs > 0 ? retryAfterMs : UNSAID_RETRY_MS;
    this.cooldownUntil = Math.max(this.cooldownUntil, now + pause + margin);
    this.refusedAt = Math.max(this.cooldownUntil, now);
    this.budget(chatId).refused(now);
  }

  /** Ends a cooldown before its time. */
  liftCooldown(): void {
    this.cooldownUntil = -Infinity;
    this.refusals = 0;
  }
}

/** What selection looks at. */
export type Candidate = Pick<PoolBot, 'id' | 'load' | 'isUsable' | 'lastStartedAt' | 'eligibleAt'>;

/**
 * The bot with the fewest running and waiting tasks, of those that may send now and are not to be skipped. Of equals, the one
 * whose last send began longest ago: never always the first.
 */
export function selectBot<B extends Candidate>(
  bots: Iterable<B>,
  chatId: number,
  now: number,
  skip: (botId: string) => boolean = () => false,
): B | undefined {
  let best: B | undefined;
  for (const bot of bots) {
    if (!bot.isUsable || bot.eligibleAt(chatId, now) > now || skip(bot.id)) continue;
    const isBetter =
      best === undefined || bot.load < best.load || (bot.load === best.load && bot.lastStartedAt < best.lastStartedAt);
    if (isBetter) best = bot;
  }
  return best;
}
