import { messageOf } from '../../common/errors/index.js';
import { numberMember, objectMember, parseTdObject } from '../../telegram/index.js';

/** What the watch does to a session that has heard nothing for long. */
export interface SilenceActs {
  /** Whether it can be touched now without harm: nothing is in flight. */
  isIdle(): boolean;
  /** Asks Telegram something. @throws Error when there is no answer in time */
  probe(): Promise<void>;
  /** Connects anew, so that TDLib asks for what it has missed, and waits until that has come. */
  renew(): Promise<void>;
  /** Why the session is not trusted any more; undefined when it is. */
  suspect(cause: string | undefined): void;
}

/** Time, which tests drive. */
export interface SilenceClock {
  now(): number;
  /** @returns cancels it */
  later(work: () => void, afterMs: number): () => void;
}

/**
 * Updates that only Telegram's servers bring. Whatever TDLib also tells by itself, or as the answer to a call, says nothing: the
 * session of a busy program would seem to hear although Telegram has lost sight of it.
 */
const HEARD: ReadonlySet<string> = new Set([
  'updateNewMessage',
  'updateMessageEdited',
  'updateMessageInteractionInfo',
  'updateChatReadOutbox',
  'updateChatAction',
  'updateChatMember',
  'updateNewChatJoinRequest',
  'updateNewCallbackQuery',
  'updateNewInlineCallbackQuery',
  'updateNewInlineQuery',
  'updateNewChosenInlineResult',
  'updateNewShippingQuery',
  'updateNewPreCheckoutQuery',
  'updatePoll',
  'updatePollAnswer',
  'updateMessageReaction',
  'updateMessageReactions',
]);
const OUTGOING = '"is_outgoing":true';

/** A quiet account is looked at less and less often, up to so many times the limit. */
const MAX_PATIENCE = 8;
/** Longer ones fire at once; a look that comes too early waits again. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** While something is in flight the look is put off. */
const BUSY_RETRY_MS = 10_000;
/** A message that is newer than this when the session connects anew may have been on its way. */
const ON_ITS_WAY_MS = 1_000;

/**
 * Notices a session that is connected but hears nothing, although its account is written to. From the outside it looks like an
 * account that nobody writes to, so after some silence Telegram is asked, and what was missed is fetched by connecting anew: if
 * there was something, Telegram had stopped sending. No clock and no client of its own; bounded to one look at a time.
 */
export class SilenceWatch {
  private heardAt = 0;
  private patience = 1;
  private missed = 0;
  private renewedAt: number | undefined;
  /** What it is suspected of. Only hearing shows that Telegram sends again; an answer shows that Telegram answers again. */
  private suspected: 'missed' | 'unanswered' | undefined;
  private isRunning = false;
  private cancel: (() => void) | undefined;

  constructor(
    private readonly limitMs: number,
    private readonly acts: SilenceActs,
    private readonly clock: SilenceClock,
  ) {}

  /** The session takes calls. May be called again. */
  begin(): void {
    if (!this.isRunning) {
      this.isRunning = true;
      this.wait();
    }
  }

  /** The session is over, or closed. */
  end(): void {
    this.isRunning = false;
    this.cancel?.();
    this.cancel = undefined;
  }

  /** Takes an update of the client; most types cost one look into a set. */
  receive(type: string, update: string): void {
    if (!HEARD.has(type) || (type === 'updateNewMessage' && update.includes(OUTGOING))) {
      return;
    }
    if (this.renewedAt !== undefined && type === 'updateNewMessage') {
      const message = objectMember(parseTdObject(update), 'message');
      if (message !== undefined && numberMember(message, 'date') * 1_000 < this.renewedAt - ON_ITS_WAY_MS) {
        this.missed += 1;
        return;
      }
    }
    this.heardAt = this.clock.now();
    this.patience = 1;
    if (this.suspected !== undefined && this.renewedAt === undefined) {
      this.suspect(undefined);
    }
  }

  private wait(): void {
    this.heardAt = this.clock.now();
    this.arm(this.limitMs * this.patience);
  }

  private arm(afterMs: number): void {
    this.cancel?.();
    this.cancel = this.clock.later(() => void this.look(), Math.min(afterMs, MAX_TIMER_MS));
  }

  private async look(): Promise<void> {
    const silentMs = this.clock.now() - this.heardAt;
    const leftMs = this.limitMs * this.patience - silentMs;
    if (leftMs > 0) {
      this.arm(leftMs);
      return;
    }
    if (!this.acts.isIdle()) {
      this.arm(BUSY_RETRY_MS);
      return;
    }
    const failure = await this.acts.probe().then(
      () => undefined,
      (error: unknown) => messageOf(error),
    );
    await this.renew();
    if (!this.isRunning) {
      return;
    }
    const minutes = describeMs(silentMs);
    if (this.missed > 0) {
      this.patience = 1;
      const messages = this.missed === 1 ? '1 message' : `${this.missed} messages`;
      this.suspect('missed', `Telegram had stopped sending updates: ${messages} came only after a reconnect`);
    } else if (failure !== undefined) {
      this.patience = 1;
      this.suspect('unanswered', `no update for ${minutes}, and Telegram does not answer: ${failure}`);
    } else {
      this.patience = Math.min(MAX_PATIENCE, this.patience * 2);
      if (this.suspected === 'unanswered') {
        this.suspect(undefined);
      }
    }
    this.wait();
  }

  private async renew(): Promise<void> {
    this.missed = 0;
    this.renewedAt = this.clock.now();
    try {
      await this.acts.renew();
    } catch {
      // Whether Telegram can be reached was asked before; a client that is closed meanwhile has no use for the answer.
    } finally {
      this.renewedAt = undefined;
    }
  }

  private suspect(of: 'missed' | 'unanswered' | undefined, cause?: string): void {
    this.suspected = of;
    this.acts.suspect(cause);
  }
}

function describeMs(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
