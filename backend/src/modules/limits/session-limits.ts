import { randomUUID } from 'node:crypto';
import { Admission, chargeOf, type Counted, refusalBy } from './admission.js';
import { CLOCK, type Clock, type Cooldown, Cooldowns, SPAM_LIMIT } from './cooldowns.js';
import type { Flood, FloodOrigin } from './floods.repository.js';
import { TdlibError } from '../../common/errors/index.js';
import { numberMember, objectMember, parseTdObject, stringMember } from '../../telegram/index.js';
import type { LimitSubject } from './limit-rule.js';
import type { StoredCooldown, UsedOf } from './limits.repository.js';
import { groupOf, isLocalRead, isPaced, RESOLVING_METHOD, scopeOf, weightOf } from './method-groups.js';
import { Pace, type PaceSettings, type PaceState, type PaceTurn } from './pace.js';
import type { QuotaCharger } from './quota-charger.js';
import { isSameWindow } from './limit-window.js';
import type { RuleBook } from './rule-book.js';
import { SlowModes } from './slow-modes.js';

/** A call that wants to go to TDLib. */
export interface LimitedCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Of the token that it came with; undefined for the master's. */
  readonly tokenId: string | undefined;
  /** Telegram has to be asked for the name that it calls its chat by. */
  readonly resolves: boolean;
}

/** What a session tells of its limits. */
export interface LimitEvents {
  /** Something was closed, or opened early. */
  changed(): void;
  /** Something was closed just now. */
  started(cooldown: Cooldown): void;
}

/** Writes down what a session has learned. */
export interface LimitsStore {
  save(sessionId: string, cooldown: Cooldown, leftMs: number): void;
  note(flood: Flood): void;
  lift(sessionId: string, scope: string): Promise<boolean>;
  flush(): Promise<void>;
}

/** What the limits of a session stand on. */
export interface SessionLimitsDeps {
  readonly rules: RuleBook;
  readonly charger: QuotaCharger;
  /** What is counted under rules in windows that may not be over. */
  readonly used: (ruleIds: readonly string[]) => Promise<readonly UsedOf[]>;
  readonly store: LimitsStore;
  readonly pace: PaceSettings;
  readonly clock?: Clock;
}

/** Telegram does not say for how long it limits an account that wrote to too many strangers; a day is its usual advice. */
export const SPAM_LIMIT_MS = 24 * 3_600_000;
/** No wait of Telegram is longer, and no date may be beyond what a date can hold. */
const LONGEST_MS = 366 * 24 * 3_600_000;

/** What slow mode closes: sends to one chat. */
function sendsTo(chatId: number): string {
  return `@send:${chatId}`;
}

/** What is refused again within this time, in the same words, is the same flood. */
const SAME_FLOOD_MS = 1_000;

const PEER_FLOOD = 'PEER_FLOOD';
/** Telegram's own numbers of "too often"; TDLib makes 429 of nearly all of them. */
const FLOOD_CODES: ReadonlySet<number> = new Set([420, 429]);

/**
 * The limits of one open session. Everything that its calls go through is in the one worker that holds it, so that all who use
 * it, through whichever gateway, wait in one queue and are held back by what any of them has run into.
 */
export class SessionLimits {
  private readonly cooldowns: Cooldowns;
  private readonly pace: Pace;
  private readonly slowModes = new SlowModes();
  private readonly isUser: boolean;
  private readonly clock: Clock;
  private lastFlood: { readonly flood: string; readonly at: number } | undefined;

  constructor(
    private readonly session: Omit<LimitSubject, 'tokenId'>,
    private readonly deps: SessionLimitsDeps,
    private readonly events: LimitEvents,
  ) {
    this.clock = deps.clock ?? CLOCK;
    this.cooldowns = new Cooldowns(this.clock);
    this.pace = new Pace(deps.pace, this.clock);
    this.isUser = session.kind === 'user';
  }

  /** Goes on with what was closed before. */
  load(stored: readonly StoredCooldown[]): void {
    for (const { cooldown, leftMs } of stored) this.cooldowns.put(cooldown, leftMs);
  }

  /** What is closed now. */
  get closed(): readonly Cooldown[] {
    return this.cooldowns.all;
  }

  /** Until when the account is taken to be refused by strangers; undefined when it is not. */
  get spamLimitedUntil(): Date | undefined {
    return this.cooldowns.find(SPAM_LIMIT)?.until;
  }

  /** The queue of writes; undefined where there is none. */
  get queue(): (PaceState & PaceSettings) | undefined {
    return this.isUser && this.pace.isOn ? { ...this.pace.state, ...this.deps.pace } : undefined;
  }

  /**
   * Asks whether a call may go.
   * @returns undefined when it may, and nothing is counted
   * @throws RateLimitedError when it may not
   */
  admit(call: LimitedCall): Admission | undefined {
    this.requireOpen(call);
    const counted = this.countedOf(call);
    const turn = this.turnOf(call.method);
    if (turn === undefined && counted.length === 0) return undefined;
    const requireOpen = (): void => this.requireOpen(call);
    return new Admission({ turn, counted, charger: this.deps.charger, requireOpen }, this.clock.wall);
  }

  /**
   * Whether a call would be let pass now; it takes no place in the queue, and nothing is counted.
   * @throws RateLimitedError as {@link admit} and what it gives
   */
  async check(call: LimitedCall): Promise<void> {
    this.requireOpen(call);
    if (this.isQueued(call.method)) this.pace.requireTurn(scopeOf(call.method));
    const counted = this.countedOf(call);
    if (counted.length === 0) return;
    await this.counted();
    const used = await this.deps.used(counted.map(({ rule }) => rule.id));
    const now = this.clock.wall();
    for (const part of chargeOf(counted, now)) {
      const count = used.find(({ ruleId, window }) => ruleId === part.ruleId && isSameWindow(window, part.window));
      if ((count?.used ?? 0) + part.weight > part.max) throw refusalBy(counted, part, now);
    }
  }

  /**
   * Refuses what has to wait because Telegram said so. Nothing is counted for it.
   * @throws RateLimitedError
   */
  requireOpen({ method, params, resolves }: Omit<LimitedCall, 'tokenId'>): void {
    if (!this.isUser) return;
    if (!isLocalRead(method, params)) {
      const scope = scopeOf(method);
      this.cooldowns.require(scope);
      const { chat_id: chatId } = params;
      if (scope === '@send' && typeof chatId === 'number') this.cooldowns.require(sendsTo(chatId));
    }
    if (resolves) this.cooldowns.require(scopeOf(RESOLVING_METHOD));
  }

  /** Whether it has to be known whom a call is for: only while the account is limited for spam. */
  mindsPeer(method: string): boolean {
    const group = groupOf(method);
    return (
      this.isUser &&
      (group === '@send' || group === '@invite' || group === '@contacts') &&
      this.cooldowns.find(SPAM_LIMIT) !== undefined
    );
  }

  /**
   * Refuses what an account that is limited for spam may not do.
   * @param isFamiliar of a send: it goes to a group, to a mutual contact, or to the account itself
   * @throws RateLimitedError
   */
  requireFamiliar(method: string, isFamiliar: boolean): void {
    if (!this.mindsPeer(method) || (isFamiliar && groupOf(method) === '@send')) return;
    this.cooldowns.require(SPAM_LIMIT);
  }

  /** Takes an update of the client: TDLib answers sends before Telegram has decided, so that a flood of theirs is told here alone. */
  receive(type: string, update: string): void {
    this.slowModes.receive(type, update);
    if (type !== 'updateMessageSendFailed') return;
    const failure = parseTdObject(update);
    const message = objectMember(failure, 'message');
    const error = objectMember(failure, 'error');
    if (error === undefined) return;
    const refusal = new TdlibError(numberMember(error, 'code'), stringMember(error, 'message'));
    this.noteRefusal('send', undefined, message && numberMember(message, 'chat_id'), refusal);
  }

  /**
   * Telegram has refused something: some refusals close something for a while.
   * @param method undefined for a message that was refused after its call was answered
   */
  noteRefusal(origin: FloodOrigin, method: string | undefined, chatId: number | undefined, refusal: TdlibError): void {
    const { tdCode: code, message, retryAfterSeconds: retryAfter } = refusal;
    const isSpam = message === PEER_FLOOD;
    if (!isSpam && !FLOOD_CODES.has(code)) return;
    const group = method === undefined ? '@send' : scopeOf(method);
    const isOfChat =
      group === '@send' && chatId !== undefined && this.slowModes.explains(chatId, retryAfter ?? 0) && !isSpam;
    const scope = isSpam ? SPAM_LIMIT : isOfChat ? sendsTo(chatId) : group;
    if (this.isNoted(`${scope} ${origin} ${chatId ?? ''} ${message}`)) return;
    const { sessionId } = this.session;
    const at = new Date(this.clock.wall());
    this.deps.store.note({ id: randomUUID(), sessionId, at, origin, method, scope, chatId, code, message, retryAfter });
    if (!this.isUser) return;
    const forMs = isSpam ? SPAM_LIMIT_MS : Math.min((retryAfter ?? 0) * 1_000, LONGEST_MS);
    const started = this.cooldowns.start(scope, forMs, message);
    if (started === undefined) return;
    this.deps.store.save(sessionId, started, forMs);
    this.events.started(started);
    this.events.changed();
  }

  /** Opens a scope early. @returns whether it was closed */
  async lift(scope: string): Promise<boolean> {
    const ran = this.cooldowns.lift(scope);
    const wasStored = await this.deps.store.lift(this.session.sessionId, scope);
    if (ran) this.events.changed();
    return ran || wasStored;
  }

  /** The session takes no calls any more: whoever waits for a turn is told so. */
  end(): void {
    this.pace.end();
  }

  /** Settles when the counts in the database are those of the calls that were let pass, and nothing more. */
  counted(): Promise<void> {
    return this.deps.charger.settled();
  }

  /** What was learned is written down, as long as the database is there. */
  async close(): Promise<void> {
    this.end();
    await Promise.all([this.deps.store.flush(), this.deps.charger.close()]);
  }

  /** Whether the same was refused a moment ago, as each message of an album is: that is one flood. */
  private isNoted(flood: string): boolean {
    const now = this.clock.steady();
    const isNoted = this.lastFlood?.flood === flood && now - this.lastFlood.at < SAME_FLOOD_MS;
    this.lastFlood = { flood, at: now };
    return isNoted;
  }

  private isQueued(method: string): boolean {
    return this.isUser && this.pace.isOn && isPaced(method);
  }

  private turnOf(method: string): PaceTurn | undefined {
    return this.isQueued(method) ? this.pace.enter(scopeOf(method)) : undefined;
  }

  private countedOf({ method, params, tokenId, resolves }: LimitedCall): readonly Counted[] {
    const { rules } = this.deps;
    const subject = { ...this.session, tokenId };
    const counted = new Map<string, Counted>();
    const weight = weightOf(method, params);
    if (weight > 0) {
      for (const each of rules.counting(subject, method)) {
        counted.set(each.rule.id, { ...each, ofCall: each.countsCalls ? 1 : weight, ofResolve: 0 });
      }
    }
    if (resolves) {
      for (const each of rules.counting(subject, RESOLVING_METHOD, false)) {
        const ofCall = counted.get(each.rule.id)?.ofCall ?? 0;
        counted.set(each.rule.id, { ...each, ofCall, ofResolve: 1 });
      }
    }
    return [...counted.values()];
  }
}
