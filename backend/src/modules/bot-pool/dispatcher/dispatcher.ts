import { Backlog } from './backlog.js';
import type { Clock } from './clock.js';
import {
  NoUsableBotError,
  PartAbortedError,
  PartAttemptsError,
  PartDeadlineError,
  PartRefusedError,
  PoolClosedError,
  PoolPausedError,
  PoolSaturatedError,
  TooManyBotsError,
} from './dispatcher.errors.js';
import { type Fault, faultOf } from './fault.js';
import type { Attempt, Orphan, Part, SendPort, StoredPart } from './part.js';
import { type BotCounters, type NewBot, PoolBot, selectBot } from './pool-bot.js';
import { type BudgetLimits, DEFAULT_LIMITS } from './send-budget.js';

/** A channel has at most so many administrators, bots among them (teldrive #258). */
export const MAX_BOTS = 50;

/** How a pool sends. */
export interface DispatcherSettings {
  readonly limits: BudgetLimits;
  /** Sends that a part may fail in; refusals for coming too soon and faults of a bot do not count. */
  readonly maxAttempts: number;
  /** How often a part is tried again on the bot where it failed before another has its turn. */
  readonly sameBotRetries: number;
  /** Before the first of these; doubled for each further one. The bot does something else meanwhile. */
  readonly retryMs: number;
  /** How long a part stays away from a bot that it failed on. */
  readonly skipMs: number;
  /** How long a part may take altogether, where nobody says otherwise. */
  readonly partMs: number;
  /** A send of which nothing has left for so long is given up. TDLib sits out floods of 8 s on its own with bots. */
  readonly stallMs: number;
  readonly maxBacklog: number;
}

/** What a pool does where nobody asked for something else. */
export const DEFAULT_SETTINGS: DispatcherSettings = {
  limits: DEFAULT_LIMITS,
  maxAttempts: 10,
  sameBotRetries: 2,
  retryMs: 1_000,
  skipMs: 5_000,
  partMs: 15 * 60_000,
  stallMs: 60_000,
  maxBacklog: 10_000,
};

/** What happens in a pool, for whoever keeps it or shows it. */
export type PoolEvent =
  | { readonly type: 'started'; readonly botId: string; readonly part: Part }
  | { readonly type: 'stored'; readonly part: Part; readonly stored: StoredPart }
  | { readonly type: 'failed'; readonly part: Part; readonly error: Error }
  | { readonly type: 'attempt'; readonly part: Part; readonly attempt: Attempt }
  /** @see NewBot.cooldownUntil */
  | { readonly type: 'cooldown'; readonly botId: string; readonly untilUnixMs: number }
  | { readonly type: 'quarantined'; readonly botId: string; readonly reason: string }
  | { readonly type: 'orphan'; readonly orphan: Orphan };

/** What a part is submitted with. */
export interface SubmitOptions {
  /** How long it may take from now on. */
  readonly withinMs?: number;
  readonly signal?: AbortSignal;
}

export type BotState = 'idle' | 'uploading' | 'cooling' | 'budget' | 'paused' | 'quarantined' | 'leaving';
export type PoolState = 'ok' | 'degraded' | 'saturated' | 'unavailable' | 'paused';

/** A bot as it is now. Points in time are Unix milliseconds. */
export interface BotStatus {
  readonly botId: string;
  readonly state: BotState;
  readonly reason: string | undefined;
  readonly running: RunningStatus | undefined;
  readonly cooldownUntil: number | undefined;
  /** When limits let it send again; undefined when they do now. */
  readonly eligibleAt: number | undefined;
  readonly budget: { readonly used: number; readonly of: number; readonly windowMs: number };
  readonly lastError: string | undefined;
  readonly lastOkAt: number | undefined;
  readonly counters: Readonly<BotCounters>;
}

/** What a bot sends at the moment. */
export interface RunningStatus {
  readonly partId: string;
  readonly objectId: string;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  readonly since: number;
}

/** A pool as it is now. */
export interface DispatcherStatus {
  readonly state: PoolState;
  readonly backlog: { readonly parts: number; readonly bytes: number; readonly oldestMs: number };
  readonly bots: readonly BotStatus[];
}

/** A part on its way through the pool. */
interface Task<P extends Part> {
  readonly sequence: number;
  readonly part: P;
  readonly since: number;
  readonly deadlineAt: number;
  readonly attempts: Attempt[];
  /** Of the attempts, those that count. */
  counted: number;
  /** Until when it stays away from which bot. */
  readonly skipUntil: Map<string, number>;
  /** The bot of the last transient fault, and how many it had there in a row. */
  sameBot: { readonly botId: string; readonly faults: number } | undefined;
  notBefore: number;
  running: Running<P> | undefined;
  /** Undefined once the part has ended, one way or another. */
  settle: { readonly resolve: (stored: StoredPart) => void; readonly reject: (error: Error) => void } | undefined;
  release: () => void;
}

/** A send that goes on. */
interface Running<P extends Part> {
  readonly task: Task<P>;
  readonly bot: PoolBot;
  readonly chatId: number;
  readonly since: number;
  readonly abort: AbortController;
  sentBytes: number;
  /** The bot is taken from it: what it was sending goes to another, at no cost. */
  isMoved: boolean;
}

/**
 * Gives the parts of a pool to its bots, one at a time each. A part meets its bot when the send begins and not before, so that
 * it never waits behind a slow send while another bot is free. Nothing polls: it looks again when a bot is done, a limit ends, a
 * bot comes, or a part goes.
 *
 * It does no I/O. What Telegram asks a bot to wait is kept on a clock that only goes forward; `cooldown` events tell what a
 * later process has to know.
 */
export class Dispatcher<P extends Part> {
  private readonly bots = new Map<string, PoolBot>();
  private readonly running = new Map<string, Running<P>>();
  private readonly backlog = new Backlog<Task<P>>();
  private readonly idleListeners = new Set<() => void>();
  private nextSequence = 1;
  private isPaused = false;
  private isClosed = false;
  private cancelWake: (() => void) | undefined;

  constructor(
    private readonly port: SendPort<P>,
    private readonly clock: Clock,
    private chatId: number,
    private settings: DispatcherSettings = DEFAULT_SETTINGS,
    private readonly emit: (event: PoolEvent) => void = () => undefined,
  ) {}

  /** @throws TooManyBotsError */
  addBot(added: NewBot): void {
    if (this.bots.size >= MAX_BOTS && !this.bots.has(added.id)) throw new TooManyBotsError(MAX_BOTS);
    if (this.bots.has(added.id)) return;
    const bot = new PoolBot(added, this.settings.limits);
    if (added.cooldownUntil !== undefined) {
      bot.cooldownUntil = this.clock.now() + Math.max(0, added.cooldownUntil - this.clock.unixNow());
    }
    this.bots.set(bot.id, bot);
    bot.queue.on('next', () => this.pump());
    this.pump();
  }

  /**
   * Takes a bot out once it sends nothing any more.
   * @param drain whether a running send may finish; otherwise it is taken back and its part goes to another bot
   */
  async removeBot(botId: string, drain: boolean): Promise<void> {
    const bot = this.bots.get(botId);
    if (bot === undefined) return;
    bot.isLeaving = true;
    if (!drain) this.takeBack(bot);
    await bot.queue.onIdle();
    bot.queue.removeAllListeners();
    this.bots.delete(botId);
    this.pump();
  }

  pauseBot(botId: string, isPaused: boolean): void {
    const bot = this.bots.get(botId);
    if (bot === undefined) return;
    bot.isPaused = isPaused;
    this.pump();
  }

  /** Puts a bot aside: it gets nothing until it is restored. */
  quarantine(botId: string, reason: string): void {
    const bot = this.bots.get(botId);
    if (bot === undefined) return;
    bot.quarantine = reason;
    this.emit({ type: 'quarantined', botId, reason });
    this.pump();
  }

  /** A bot that was put aside takes part again. */
  restoreBot(botId: string): void {
    const bot = this.bots.get(botId);
    if (bot === undefined) return;
    bot.quarantine = undefined;
    this.pump();
  }

  /** Ends a bot's cooldown before its time. */
  liftCooldown(botId: string): void {
    const bot = this.bots.get(botId);
    if (bot === undefined) return;
    bot.liftCooldown();
    this.emit({ type: 'cooldown', botId, untilUnixMs: this.clock.unixNow() });
    this.pump();
  }

  /** While paused nothing begins; what runs goes on. */
  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.pump();
  }

  /** New parts go there from now on. */
  useChat(chatId: number): void {
    this.chatId = chatId;
    this.pump();
  }

  /** Other rules from now on. */
  configure(settings: DispatcherSettings): void {
    this.settings = settings;
    for (const bot of this.bots.values()) bot.configure(settings.limits);
    this.pump();
  }

  /**
   * Refuses at once what would be refused later, so that nobody sends a body in vain.
   * @param maxWaitMs how long the first part may have to wait for a bot, as far as limits tell; undefined for any time
   * @throws PoolSaturatedError, PoolClosedError, PoolPausedError, NoUsableBotError
   */
  admit(maxWaitMs?: number): void {
    // What has begun waits for the end of the pause.
    if (this.isPaused) throw new PoolPausedError();
    this.expectRoom(maxWaitMs);
  }

  /**
   * Stores a part.
   * @throws PoolSaturatedError, PoolClosedError, NoUsableBotError at once where it cannot be
   * @throws PartDeadlineError, PartAttemptsError, PartRefusedError, PartAbortedError
   */
  submit(part: P, { withinMs = this.settings.partMs, signal }: SubmitOptions = {}): Promise<StoredPart> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) throw new PartAbortedError();
      this.admit();
      const now = this.clock.now();
      const task: Task<P> = {
        sequence: this.nextSequence++,
        part,
        since: now,
        deadlineAt: now + withinMs,
        attempts: [],
        counted: 0,
        skipUntil: new Map(),
        sameBot: undefined,
        notBefore: -Infinity,
        running: undefined,
        settle: { resolve, reject },
        release: () => undefined,
      };
      const cancelDeadline = this.clock.schedule(task.deadlineAt, () =>
        this.giveUp(task, new PartDeadlineError('the part was not stored in time', task.attempts)),
      );
      const aborted = (): void => this.giveUp(task, new PartAbortedError());
      signal?.addEventListener('abort', aborted, { once: true });
      task.release = () => {
        cancelDeadline();
        signal?.removeEventListener('abort', aborted);
      };
      this.backlog.add(task);
      this.pump();
    });
  }

  /**
   * Takes nothing more, and ends.
   * @param drainMs how long what has been taken may go on; whatever is left then fails, and running sends are taken back
   */
  async close(drainMs: number): Promise<void> {
    this.isClosed = true;
    await this.idle(drainMs);
    for (const task of [...this.backlog]) this.giveUp(task, new PoolClosedError());
    for (const { task } of [...this.running.values()]) this.giveUp(task, new PoolClosedError());
    await Promise.all([...this.bots.values()].map(({ queue }) => queue.onIdle()));
    for (const { queue } of this.bots.values()) queue.removeAllListeners();
    this.cancelWake?.();
    this.cancelWake = undefined;
  }

  status(): DispatcherStatus {
    const now = this.clock.now();
    const bots = [...this.bots.values()].map((bot) => this.statusOf(bot, now));
    let bytes = 0;
    let since = now;
    for (const task of this.backlog) {
      bytes += task.part.sizeBytes;
      since = Math.min(since, task.since);
    }
    return { state: this.stateOf(bots), backlog: { parts: this.backlog.size, bytes, oldestMs: now - since }, bots };
  }

  private expectRoom(maxWaitMs?: number): void {
    if (this.isClosed) throw new PoolClosedError();
    const reasons = this.quarantines();
    if (reasons !== undefined) throw new NoUsableBotError(reasons, []);
    const waitMs = Math.max(0, this.earliest() - this.clock.now());
    const retryAfterMs = Number.isFinite(waitMs) ? waitMs : this.settings.skipMs;
    if (this.backlog.size >= this.settings.maxBacklog) {
      throw new PoolSaturatedError('too many parts wait for the bots of the pool', retryAfterMs);
    }
    if (maxWaitMs !== undefined && waitMs > maxWaitMs) {
      throw new PoolSaturatedError('no bot of the pool is free so soon', retryAfterMs);
    }
  }

  private stateOf(bots: readonly BotStatus[]): PoolState {
    if (this.isPaused) return 'paused';
    const working = bots.filter(({ state }) => state === 'idle' || state === 'uploading' || state === 'budget');
    if (bots.every(({ state }) => state === 'quarantined' || state === 'paused' || state === 'leaving')) {
      return 'unavailable';
    }
    if (working.length === 0 || this.backlog.size >= this.settings.maxBacklog) return 'saturated';
    return working.length === bots.length ? 'ok' : 'degraded';
  }

  private statusOf(bot: PoolBot, now: number): BotStatus {
    const unixOf = (at: number): number => Math.round(this.clock.unixNow() + at - now);
    const running = this.running.get(bot.id);
    const budget = bot.budget(this.chatId);
    const eligibleAt = bot.eligibleAt(this.chatId, now);
    return {
      botId: bot.id,
      state: stateOfBot(bot, running !== undefined, eligibleAt, now),
      reason: bot.quarantine,
      running: running && {
        partId: running.task.part.id,
        objectId: running.task.part.objectId,
        sizeBytes: running.task.part.sizeBytes,
        sentBytes: running.sentBytes,
        since: unixOf(running.since),
      },
      cooldownUntil: bot.cooldownUntil > now ? unixOf(bot.cooldownUntil) : undefined,
      eligibleAt: eligibleAt > now ? unixOf(eligibleAt) : undefined,
      budget: { used: budget.used(now), of: budget.limit(now), windowMs: this.settings.limits.windowMs },
      lastError: bot.lastError,
      lastOkAt: bot.lastOkAt === undefined ? undefined : unixOf(bot.lastOkAt),
      counters: { ...bot.counters },
    };
  }

  /** Begins whatever can begin, and sees to being called again when more can. */
  private pump(): void {
    this.cancelWake?.();
    this.cancelWake = undefined;
    if (this.backlog.size === 0) {
      this.tellIdle();
      return;
    }
    this.failWhereHopeless();
    if (!this.isPaused) {
      this.startReturned();
      this.startUntried();
    }
    this.tellIdle();
    const at = this.nextChange();
    if (this.backlog.size > 0 && Number.isFinite(at)) {
      this.cancelWake = this.clock.schedule(at, () => this.pump());
    }
  }

  private startReturned(): void {
    const now = this.clock.now();
    for (const task of [...this.backlog.foremost]) {
      if (task.notBefore > now) continue;
      const skips = (botId: string): boolean => (task.skipUntil.get(botId) ?? -Infinity) > now;
      const free = this.free();
      if (free.length === 0) return;
      const same = free.filter(({ id }) => id === task.sameBot?.botId);
      const bot = selectBot(same, this.chatId, now, skips) ?? selectBot(free, this.chatId, now, skips);
      if (bot === undefined) continue;
      this.backlog.remove(task);
      this.start(task, bot);
    }
  }

  private startUntried(): void {
    for (;;) {
      const bot = selectBot(this.free(), this.chatId, this.clock.now());
      const task = bot && this.backlog.take();
      if (bot === undefined || task === undefined) return;
      this.start(task, bot);
    }
  }

  private free(): PoolBot[] {
    return [...this.bots.values()].filter(({ load }) => load === 0);
  }

  private start(task: Task<P>, bot: PoolBot): void {
    const now = this.clock.now();
    const { chatId } = this;
    const abort = new AbortController();
    const running: Running<P> = { task, bot, chatId, since: now, abort, sentBytes: 0, isMoved: false };
    task.running = running;
    bot.lastStartedAt = now;
    this.running.set(bot.id, running);
    this.emit({ type: 'started', botId: bot.id, part: task.part });
    void bot.queue.add(() => this.send(running));
  }

  /** Never rejects: what comes of it is the task's. */
  private async send(running: Running<P>): Promise<void> {
    const { task, bot, chatId, abort } = running;
    const { part } = task;
    const request = { botId: bot.id, chatId, part };
    let cancelStall: () => void = () => undefined;
    const watch = (): void => {
      cancelStall();
      cancelStall = this.clock.schedule(this.clock.now() + this.settings.stallMs, () => abort.abort());
    };
    const onProgress = (sentBytes: number): void => {
      if (sentBytes > running.sentBytes) {
        running.sentBytes = sentBytes;
        watch();
      }
    };
    watch();
    try {
      const stored = await this.port.send({ ...request, signal: abort.signal, onProgress });
      this.answered(running, stored);
    } catch (error) {
      const fault = faultOf(error);
      // Also of a part that nobody waits for any more: its message must not be left behind.
      const found = fault.class === 'unknown' ? await this.port.find(request).catch(() => undefined) : undefined;
      if (found === undefined) this.failed(running, fault);
      else this.answered(running, found);
    } finally {
      cancelStall();
    }
  }

  private answered(running: Running<P>, stored: StoredPart): void {
    const { task, bot, chatId } = running;
    this.end(running);
    const now = this.clock.now();
    bot.budget(chatId).spend(now);
    const isRight = stored.messageId > 0 && stored.sizeBytes === task.part.sizeBytes;
    if (!isRight || task.settle === undefined) {
      this.orphan(running, stored.messageId, isRight ? 'cancelled' : 'wrong_answer');
    }
    if (!isRight) {
      this.retry(task, bot, {
        class: 'transient',
        message: `the message has no document of ${task.part.sizeBytes} bytes`,
        retryAfterMs: 0,
      });
      return;
    }
    bot.counters.ok += 1;
    bot.counters.bytes += stored.sizeBytes;
    bot.lastOkAt = now;
    if (task.settle === undefined) return;
    task.settle.resolve(stored);
    this.settled(task);
    this.emit({ type: 'stored', part: task.part, stored });
  }

  private failed(running: Running<P>, fault: Fault): void {
    const { task, bot, chatId } = running;
    this.end(running);
    const now = this.clock.now();
    if (fault.class === 'rate') {
      bot.counters.rate += 1;
      bot.coolDown(chatId, fault.retryAfterMs, now);
      const untilUnixMs = Math.ceil(this.clock.unixNow() + bot.cooldownUntil - now);
      this.emit({ type: 'cooldown', botId: bot.id, untilUnixMs });
    } else {
      // It may have been posted for all we know.
      bot.budget(chatId).spend(now);
    }
    if (fault.class === 'unknown') this.orphan(running, undefined, 'answer_lost');
    if (fault.class === 'bot') {
      bot.quarantine = fault.message;
      this.emit({ type: 'quarantined', botId: bot.id, reason: fault.message });
    }
    const isTakenBack = running.isMoved || task.settle === undefined;
    // It is no failure of the bot, or nobody could tell.
    if (isTakenBack && (fault.class === 'transient' || fault.class === 'unknown')) {
      this.requeue(task);
      return;
    }
    this.retry(task, bot, fault);
  }

  /** What becomes of a part whose send failed. */
  private retry(task: Task<P>, bot: PoolBot, fault: Fault): void {
    const attempt: Attempt = { botId: bot.id, fault: fault.class, message: fault.message };
    task.attempts.push(attempt);
    this.emit({ type: 'attempt', part: task.part, attempt });
    bot.lastError = fault.message;
    switch (fault.class) {
      case 'rate':
        break;
      case 'bot':
        bot.counters.fault += 1;
        break;
      case 'payload':
        this.fail(task, new PartRefusedError(fault.message, task.attempts));
        return;
      case 'transient':
      case 'unknown':
        bot.counters.transient += 1;
        task.counted += 1;
        if (task.counted >= this.settings.maxAttempts) {
          this.fail(task, new PartAttemptsError(task.attempts));
          return;
        }
        this.stayOrMove(task, bot);
        break;
      default:
        fault.class satisfies never;
    }
    this.requeue(task);
  }

  /** A few times the same bot again, after a pause in which it does something else; then another one. */
  private stayOrMove(task: Task<P>, { id: botId }: PoolBot): void {
    const now = this.clock.now();
    const faults = task.sameBot?.botId === botId ? task.sameBot.faults + 1 : 1;
    if (faults > this.settings.sameBotRetries) {
      task.sameBot = undefined;
      task.skipUntil.set(botId, now + this.settings.skipMs);
      return;
    }
    task.sameBot = { botId, faults };
    task.notBefore = now + this.settings.retryMs * 2 ** (faults - 1);
  }

  private requeue(task: Task<P>): void {
    if (task.settle !== undefined) this.backlog.giveBack(task);
  }

  private end(running: Running<P>): void {
    running.task.running = undefined;
    this.running.delete(running.bot.id);
  }

  /** Whoever wanted the part does not any more, or may not have it: a waiting one leaves, a running one is taken back. */
  private giveUp(task: Task<P>, error: Error): void {
    if (task.settle === undefined) return;
    this.fail(task, error);
    this.backlog.remove(task);
    task.running?.abort.abort();
    this.pump();
  }

  private takeBack(bot: PoolBot): void {
    const running = this.running.get(bot.id);
    if (running !== undefined) {
      running.isMoved = true;
      running.abort.abort();
    }
  }

  private fail(task: Task<P>, error: Error): void {
    if (task.settle === undefined) return;
    task.settle.reject(error);
    this.settled(task);
    this.emit({ type: 'failed', part: task.part, error });
  }

  private settled(task: Task<P>): void {
    task.settle = undefined;
    task.release();
  }

  private orphan({ task, bot, chatId }: Running<P>, messageId: number | undefined, reason: Orphan['reason']): void {
    const known = messageId !== undefined && messageId > 0 ? messageId : undefined;
    this.emit({
      type: 'orphan',
      orphan: { botId: bot.id, chatId, partId: task.part.id, messageId: known, reason },
    });
  }

  /** Fails at once what could only wait for its end. */
  private failWhereHopeless(): void {
    const reasons = this.quarantines();
    if (reasons !== undefined) {
      for (const task of [...this.backlog]) {
        this.backlog.remove(task);
        this.fail(task, new NoUsableBotError(reasons, task.attempts));
      }
      return;
    }
    const earliest = this.earliest();
    if (!Number.isFinite(earliest) || earliest <= this.clock.now()) return;
    for (const task of [...this.backlog]) {
      if (task.deadlineAt >= earliest) continue;
      this.backlog.remove(task);
      const waitMs = earliest - this.clock.now();
      this.fail(task, new PartDeadlineError('all bots rest for longer than the part may take', task.attempts, waitMs));
    }
  }

  /** Why each bot was put aside, when all of them were. */
  private quarantines(): { readonly session_id: string; readonly reason: string }[] | undefined {
    const bots = [...this.bots.values()];
    const aside = bots.flatMap(({ id, quarantine: reason }) =>
      reason === undefined ? [] : [{ session_id: id, reason }],
    );
    return bots.length > 0 && aside.length === bots.length ? aside : undefined;
  }

  /** When a bot may be free for a part, as far as limits tell. */
  private earliest(): number {
    const now = this.clock.now();
    let earliest = Infinity;
    for (const bot of this.bots.values()) {
      if (!bot.isUsable) continue;
      earliest = Math.min(earliest, bot.load > 0 ? now : bot.eligibleAt(this.chatId, now));
    }
    return earliest;
  }

  /** When something changes by time alone. */
  private nextChange(): number {
    const now = this.clock.now();
    let next = Infinity;
    const consider = (at: number): void => {
      if (at > now) next = Math.min(next, at);
    };
    for (const bot of this.bots.values()) {
      if (bot.isUsable && bot.load === 0) consider(bot.eligibleAt(this.chatId, now));
    }
    for (const task of this.backlog.foremost) {
      consider(task.notBefore);
      for (const until of task.skipUntil.values()) consider(until);
    }
    return next;
  }

  private async idle(withinMs: number): Promise<void> {
    if (this.isIdle) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        cancel();
        this.idleListeners.delete(done);
        resolve();
      };
      const cancel = this.clock.schedule(this.clock.now() + withinMs, done);
      this.idleListeners.add(done);
    });
  }

  private get isIdle(): boolean {
    return this.backlog.size === 0 && this.running.size === 0;
  }

  private tellIdle(): void {
    if (this.isIdle) for (const listener of [...this.idleListeners]) listener();
  }
}

function stateOfBot(bot: PoolBot, isRunning: boolean, eligibleAt: number, now: number): BotState {
  if (bot.isLeaving) return 'leaving';
  if (bot.quarantine !== undefined) return 'quarantined';
  if (isRunning) return 'uploading';
  if (bot.isPaused) return 'paused';
  if (bot.cooldownUntil > now) return 'cooling';
  return eligibleAt > now ? 'budget' : 'idle';
}
