import { SessionNotReadyError, TdlibError } from '../../common/errors/index.js';
import {
  authorizationStateOf,
  numberMember,
  parseTdObject,
  stringMember,
  type TdClient,
  type TdObject,
} from '../../telegram/index.js';
import { AccountFacts } from './account-facts.js';
import { LoginDetails, type PasswordStep, type QrCode } from './login-details.js';
import {
  describeFailure,
  identification,
  isAutomatic,
  type LoginAnswer,
  type LoginPlan,
  type SessionStart,
} from './login-plan.js';
import { endOf, endOfRefusedBot, isLoss, KEY_DUPLICATED, LOGIN_AGAIN_MS, type SessionEnd } from './session-end.js';
import { HealthMonitor } from './session-health.js';
import type { SessionStatus } from './session.entity.js';
import { LoginBusyError, OtherAccountError } from './sessions.errors.js';
import { Waiters } from './waiters.js';

/** What a live session calls while it lives. */
export interface LiveSessionEvents {
  /** Status, health or flags changed. */
  changed(session: LiveSession): void;
  /** TDLib has released the database: closed by us, or because Telegram ended the authorization. */
  closed(session: LiveSession): void;
}

/** How long Telegram may take to judge a code or a password, and then to show where the login goes. */
const VERDICT_TIMEOUT_MS = 20_000;
const FOLLOW_UP_TIMEOUT_MS = 20_000;
/** How long the reason of an end may come after the end. */
const REASON_PATIENCE_MS = 1_000;
const LOGOUT_TIMEOUT_MS = 15_000;
/**
 * One session as its TDLib client shows it: follows the authorization, answers what TDLib asks from the login plan, and knows
 * why it ended. Holds no database and no HTTP; it lives as long as the client.
 */
export class LiveSession {
  readonly monitor: HealthMonitor;
  readonly facts: AccountFacts;
  private readonly login = new LoginDetails();
  private client: TdClient | undefined;
  private currentStatus: SessionStatus;
  private statusSince: Date;
  private error: string | undefined;
  private failure: Error | undefined;
  private account: TdObject | undefined;
  private againAt: Date | undefined;
  private planUsed = false;
  private answering = false;
  private endsByUs = false;
  private ready = false;
  private isLoggingOut = false;
  private ended = false;
  private isGone = false;
  private lossReason: string | undefined;
  private toldReason: string | undefined;
  private readonly waiters = new Waiters();

  constructor(
    readonly id: string,
    readonly kind: 'bot' | 'user',
    private readonly plan: LoginPlan,
    private readonly events: LiveSessionEvents,
    network: () => string,
    private readonly start: SessionStart,
  ) {
    this.currentStatus = start.status;
    this.statusSince = start.since;
    this.monitor = new HealthMonitor(network, () => this.notify(), later);
    this.facts = new AccountFacts(kind, () => this.notify());
  }

  get status(): SessionStatus {
    return this.currentStatus;
  }

  get since(): Date {
    return this.statusSince;
  }

  /** Telegram's last refusal, or why the session ended; nothing while it is authorized. */
  get lastError(): string | undefined {
    return this.error;
  }

  /** The refusal that ended a login, as Telegram sent it. */
  get fatalError(): Error | undefined {
    return this.failure;
  }

  /** td_api's authenticationCodeInfo with `resend_at` added, while a code is awaited. */
  get awaitedCode(): TdObject | undefined {
    return this.currentStatus === 'awaiting_code' ? this.login.code : undefined;
  }

  get passwordStep(): PasswordStep | undefined {
    return this.currentStatus === 'awaiting_password' ? this.login.password : undefined;
  }

  get qr(): QrCode | undefined {
    return this.currentStatus === 'awaiting_qr' ? this.login.qr : undefined;
  }

  /** td_api's user, once known. */
  get me(): TdObject | undefined {
    return this.account;
  }

  /** Whether it was logged in before the login that goes on. */
  get hasFormer(): boolean {
    return this.start.former !== undefined;
  }

  /** When it is to log in again by itself; undefined for never. */
  get loginAgainAt(): Date | undefined {
    return this.againAt;
  }

  /** Whether calls can be made: authorized, and TDLib has said so in this process. */
  get isReady(): boolean {
    return this.currentStatus === 'authorized' && this.ready && !this.ended;
  }

  /** Whether TDLib has closed the client: it never takes calls again. */
  get hasEnded(): boolean {
    return this.ended;
  }

  /** Whether TDLib is closing the client by itself, because the authorization is over. */
  get isClosing(): boolean {
    return this.isLoggingOut;
  }

  /** Whether Telegram has ended the authorization: what the database keeps for it is worth nothing any more. */
  get isUnauthorized(): boolean {
    return this.isGone;
  }

  /** The client, as soon as it exists; updates may come before. */
  attach(client: TdClient): void {
    this.client = client;
  }

  /** The client for calls. @throws SessionNotReadyError while the session is not authorized or is being opened */
  readyClient(): TdClient {
    if (!this.isReady || this.client === undefined) {
      if (this.isLoggingOut && this.currentStatus === 'authorized') {
        throw new SessionNotReadyError('logged_out');
      }
      throw new SessionNotReadyError(
        this.currentStatus,
        this.currentStatus === 'authorized' ? 'the session is being opened' : undefined,
      );
    }
    return this.client;
  }

  /** Says that the coming end is ours, so that it is not taken for one that Telegram made. */
  expectEnd(): void {
    this.endsByUs = true;
    this.monitor.cancel();
  }

  /** A call was refused: some refusals tell about the account. */
  noteRefusal(error: TdlibError): void {
    if (isLoss(error)) {
      this.noteLoss(error.message);
    } else {
      this.facts.noteRefusal(error);
    }
  }

  /** Why the authorization is over, in Telegram's word. TDLib may tell before or after it shows the end. */
  readonly noteLoss = (reason: string): void => {
    this.lossReason ??= reason;
    if (reason === KEY_DUPLICATED || this.isGone) {
      this.endByTelegram();
    }
  };

  /** Ends the session for a reason of ours, as far as the status goes; the owner closes the client. */
  fail(status: SessionStatus, error: Error): void {
    this.failure = error;
    this.setStatus(status, error.message);
  }

  /**
   * Ends a login that goes on: a session that was logged in before is then what it was.
   * @param otherwise the status of one that never was
   */
  failLogin(error: Error, otherwise: SessionStatus = 'error'): void {
    const { former } = this.start;
    this.failure = error;
    if (this.kind === 'bot' && former?.status === 'expired') {
      this.againAt = new Date(Date.now() + LOGIN_AGAIN_MS);
    }
    this.setStatus(former?.status ?? otherwise, describeFailure(error), former?.since);
  }

  /** Its operator has stopped it; the owner closes the client. */
  stop(): void {
    this.setStatus('stopped');
  }

  /** Takes an update of the client; most types are none of its business and cost one comparison. */
  readonly receive = (type: string, update: string): void => {
    switch (type) {
      case 'updateAuthorizationState':
        this.follow(authorizationStateOf(update));
        break;
      case 'updateConnectionState':
        this.monitor.connection(parseTdObject(update));
        this.waiters.wake();
        break;
      default:
        this.facts.receive(type, update);
        break;
    }
  };

  /**
   * Submits an answer and waits for Telegram's verdict and then for the login to move on.
   * @throws SessionNotReadyError when the login waits for something else
   * @throws LoginBusyError when another answer is being checked
   * @throws TdlibError Telegram's refusal; the login goes on waiting
   * @throws OtherAccountError when it ended in another account than the session's
   * @throws DeadlineError when no verdict came
   */
  async answer({ status, query }: LoginAnswer): Promise<void> {
    const client = this.client;
    if (this.currentStatus !== status || client === undefined) {
      throw new SessionNotReadyError(this.currentStatus, `the session is ${this.currentStatus}, not ${status}`);
    }
    if (this.answering) {
      throw new LoginBusyError();
    }
    this.answering = true;
    const { stepCount } = this.login;
    this.error = undefined;
    try {
      await client.request(query, { timeoutMs: VERDICT_TIMEOUT_MS });
      await this.waitFor(
        () => this.currentStatus !== status || this.login.stepCount !== stepCount || this.ended,
        FOLLOW_UP_TIMEOUT_MS,
      );
    } catch (error) {
      if (error instanceof TdlibError && this.currentStatus === status) {
        this.error = describeFailure(error);
        this.notify();
      }
      throw error;
    } finally {
      this.answering = false;
    }
    if (this.failure instanceof OtherAccountError) {
      throw this.failure;
    }
  }

  /** Settles when `reached` holds, looked at after every change, or when the time is over. @returns whether it holds */
  waitFor(reached: () => boolean, timeoutMs: number): Promise<boolean> {
    return this.waiters.waitFor(reached, timeoutMs);
  }

  private follow(state: TdObject): void {
    const awaited = this.login.follow(state);
    if (awaited !== undefined) {
      // A database that was closed in the middle of a login shows its step at once: nobody here has asked for it.
      if (this.planUsed) {
        this.setStatus(awaited);
      } else {
        void this.identify();
      }
      return;
    }
    switch (state['@type']) {
      case 'authorizationStateWaitPhoneNumber':
        void this.identify();
        break;
      case 'authorizationStateWaitPremiumPurchase':
        this.failLogin(new Error('Telegram asks for a Premium purchase to log in with this number'));
        break;
      case 'authorizationStateReady':
        void this.becomeReady();
        break;
      case 'authorizationStateLoggingOut':
        this.ready = false;
        this.isLoggingOut = true;
        // The reason is told in the same moment, but on another way, so the word waits for Closed, or a little.
        later(() => this.endByTelegram(), REASON_PATIENCE_MS);
        this.waiters.wake();
        break;
      case 'authorizationStateClosed':
        this.ended = true;
        this.endByTelegram();
        this.monitor.cancel();
        this.events.closed(this);
        this.waiters.wake();
        break;
      default:
        break;
    }
  }

  private async identify(): Promise<void> {
    const { plan } = this;
    if (plan.kind === 'resume') {
      this.fail('expired', new Error('the authorization is gone from the database: log in again'));
      return;
    }
    if (this.planUsed) {
      // Telegram has forgotten the attempt. Asking again by ourselves would send a code that nobody asked for.
      this.failLogin(this.failure ?? new Error('the login attempt expired'));
      return;
    }
    this.planUsed = true;
    try {
      await this.client?.request(identification(plan));
    } catch (error) {
      const refusal = error instanceof Error ? error : new Error(String(error));
      // What TDLib says while we close it is no reason.
      if (this.ended || this.endsByUs) {
        return;
      }
      if (isAutomatic(plan)) {
        this.failure = refusal;
        this.end(endOfRefusedBot(refusal));
      } else {
        this.failLogin(refusal);
      }
    }
  }

  private async becomeReady(): Promise<void> {
    this.ready = true;
    if (this.account === undefined) {
      let me: TdObject | undefined;
      try {
        me = await this.client?.request({ '@type': 'getMe' });
      } catch {
        // Only a client that is closing refuses getMe here; what follows is told by its states.
      }
      if (me !== undefined && this.isOther(me)) {
        await this.refuseAccount();
        return;
      }
      this.account = me;
    }
    if (!this.ended && !this.isGone && this.failure === undefined) {
      this.setStatus('authorized');
    }
  }

  private isOther(me: TdObject): boolean {
    const { id, phone } = this.start.account ?? {};
    return id === undefined
      ? phone !== undefined && stringMember(me, 'phone_number') !== phone
      : String(numberMember(me, 'id')) !== id;
  }

  /** What was just made is ended again, or it would stay among the devices of somebody who logged in by mistake. */
  private async refuseAccount(): Promise<void> {
    this.ready = false;
    this.failure = new OtherAccountError();
    try {
      await this.client?.request({ '@type': 'logOut' }, { timeoutMs: LOGOUT_TIMEOUT_MS });
      await this.waitFor(() => this.ended, LOGOUT_TIMEOUT_MS);
    } catch {
      // A client that is closed meanwhile has its end already.
    }
    if (!this.ended) {
      this.failLogin(this.failure);
    }
  }

  private endByTelegram(): void {
    if (this.failure instanceof OtherAccountError) {
      this.failLogin(this.failure);
      return;
    }
    if (this.endsByUs || this.failure !== undefined) {
      return;
    }
    const hasLoggedInByItself = this.planUsed && isAutomatic(this.plan);
    const end = endOf(
      this.kind,
      this.lossReason,
      hasLoggedInByItself ? Date.now() - this.statusSince.getTime() : undefined,
    );
    if (this.start.former !== undefined && !this.isGone && this.currentStatus !== 'authorized') {
      this.failLogin(new Error(end.cause));
      return;
    }
    this.ready = false;
    if (!this.isGone || this.toldReason !== this.lossReason) {
      this.isGone = true;
      this.toldReason = this.lossReason;
      this.end(end);
    }
  }

  private end({ status, cause, againAfterMs }: SessionEnd): void {
    this.againAt = againAfterMs === undefined ? undefined : new Date(Date.now() + againAfterMs);
    this.setStatus(status, cause);
  }

  private setStatus(status: SessionStatus, error?: string, since = new Date()): void {
    if (this.currentStatus !== status) {
      this.currentStatus = status;
      this.statusSince = since;
    }
    this.error = error;
    this.notify();
  }

  private notify(): void {
    this.events.changed(this);
    this.waiters.wake();
  }
}

function later(work: () => void, afterMs: number): () => void {
  const timer = setTimeout(work, afterMs);
  timer.unref();
  return () => clearTimeout(timer);
}
