import { SessionNotReadyError, TdlibError } from '../../common/errors/index.js';
import {
  authorizationStateOf,
  numberMember,
  objectMember,
  parseTdObject,
  stringMember,
  type TdClient,
  type TdObject,
} from '../../telegram/index.js';
import { HealthMonitor } from './session-health.js';
import type { SessionStatus } from './session.entity.js';
import { LoginBusyError } from './sessions.errors.js';

/** What a client is opened for: which way it answers when TDLib asks who it is. */
export type LoginPlan =
  | { readonly kind: 'bot'; readonly token: string }
  /** E.164 digits. */
  | { readonly kind: 'phone'; readonly phone: string }
  | { readonly kind: 'qr' }
  /** The database has an authorization; TDLib must not ask. */
  | { readonly kind: 'resume' };

/** An answer to what TDLib waits for. */
export interface LoginAnswer {
  /** The status in which it makes sense. */
  readonly status: SessionStatus;
  readonly query: TdObject;
}

/** What the session tells about the account, from updateFreezeState. */
export interface Freeze {
  readonly frozen: boolean;
  readonly since?: Date;
  readonly deletionDate?: Date;
  readonly appealLink?: string;
}

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

const BAN_ERROR = /USER_DEACTIVATED/;

/**
 * One session as its TDLib client shows it: follows the authorization, answers what TDLib asks from the login plan, and knows
 * why it ended. Holds no database and no HTTP; it lives as long as the client.
 */
export class LiveSession {
  readonly monitor: HealthMonitor;
  private client: TdClient | undefined;
  private currentStatus: SessionStatus;
  private statusSince: Date;
  private error: string | undefined;
  private failure: Error | undefined;
  private codeInfo: TdObject | undefined;
  private hint: string | undefined;
  private qr: { readonly link: string } | undefined;
  private account: TdObject | undefined;
  private premium: boolean | undefined;
  private freezeState: Freeze = { frozen: false };
  private planUsed = false;
  private answering = false;
  private endsByUs = false;
  private ended = false;
  private banned = false;
  private readonly waiters = new Set<() => void>();

  constructor(
    readonly id: string,
    readonly kind: 'bot' | 'user',
    private readonly plan: LoginPlan,
    private readonly events: LiveSessionEvents,
    network: () => string,
    started: { readonly status: SessionStatus; readonly since: Date },
  ) {
    this.currentStatus = started.status;
    this.statusSince = started.since;
    this.monitor = new HealthMonitor(network, () => this.notify(), later);
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
    return this.currentStatus === 'awaiting_code' ? this.codeInfo : undefined;
  }

  get passwordHint(): string | undefined {
    return this.currentStatus === 'awaiting_password' ? this.hint : undefined;
  }

  get qrLink(): string | undefined {
    return this.currentStatus === 'awaiting_qr' ? this.qr?.link : undefined;
  }

  /** td_api's user, once known. */
  get me(): TdObject | undefined {
    return this.account;
  }

  get isPremium(): boolean | undefined {
    return this.premium;
  }

  get freeze(): Freeze {
    return this.freezeState;
  }

  /** Whether calls can be made: authorized, and TDLib has said so in this process. */
  get isReady(): boolean {
    return this.currentStatus === 'authorized' && this.ready && !this.ended;
  }

  /** Whether TDLib has closed the client: it never takes calls again. */
  get hasEnded(): boolean {
    return this.ended;
  }

  private ready = false;
  private isLoggingOut = false;

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

  /** The client in any state, undefined before it exists. */
  get anyClient(): TdClient | undefined {
    return this.client;
  }

  /** Says that the coming end is ours, so that it is not taken for one that Telegram made. */
  expectEnd(): void {
    this.endsByUs = true;
    this.monitor.cancel();
  }

  /** A call was refused: some refusals tell about the account. */
  noteRefusal(error: TdlibError): void {
    if (error.tdCode === 401 && BAN_ERROR.test(error.message)) {
      this.banned = true;
    }
  }

  /** Telegram has banned the account. TDLib may tell before or after it ends the authorization. */
  readonly noteBan = (): void => {
    this.banned = true;
    if (this.currentStatus === 'logged_out') {
      this.endByTelegram();
    }
  };

  /** Ends the login or the session for a reason of ours, as far as the status goes; the owner closes the client. */
  fail(status: SessionStatus, error: Error): void {
    this.failure = error;
    this.setStatus(status, error.message);
  }

  /** Takes an update of the client; most types are none of its business and cost one comparison. */
  readonly receive = (type: string, update: string): void => {
    switch (type) {
      case 'updateAuthorizationState':
        this.follow(authorizationStateOf(update));
        break;
      case 'updateConnectionState':
        this.monitor.connection(parseTdObject(update));
        break;
      case 'updateOption':
        if (update.includes('"is_premium"')) {
          this.setPremium(update.includes('"value":true'));
        }
        break;
      case 'updateFreezeState':
        this.setFreeze(parseTdObject(update));
        break;
      default:
        break;
    }
  };

  /**
   * Submits an answer and waits for Telegram's verdict and then for the login to move on.
   * @throws SessionNotReadyError when the login waits for something else
   * @throws LoginBusyError when another answer is being checked
   * @throws TdlibError Telegram's refusal; the login goes on waiting
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
    const { codeInfo } = this;
    this.error = undefined;
    try {
      await client.request(query, { timeoutMs: VERDICT_TIMEOUT_MS });
      await this.waitFor(
        () => this.currentStatus !== status || this.codeInfo !== codeInfo || this.ended,
        FOLLOW_UP_TIMEOUT_MS,
      );
    } catch (error) {
      if (error instanceof TdlibError) {
        this.error = describeRefusal(error);
        this.notify();
      }
      throw error;
    } finally {
      this.answering = false;
    }
  }

  /** Settles when `reached` holds, looked at after every change, or when the time is over. @returns whether it holds */
  async waitFor(reached: () => boolean, timeoutMs: number): Promise<boolean> {
    if (reached()) {
      return true;
    }
    return new Promise((resolve) => {
      const finish = (result: boolean): void => {
        clearTimeout(timer);
        this.waiters.delete(check);
        resolve(result);
      };
      const check = (): void => {
        if (reached()) {
          finish(true);
        }
      };
      const timer = setTimeout(() => finish(reached()), timeoutMs);
      this.waiters.add(check);
    });
  }

  private follow(state: TdObject): void {
    switch (state['@type']) {
      case 'authorizationStateWaitPhoneNumber':
        void this.identify();
        break;
      case 'authorizationStateWaitCode':
        this.codeInfo = withResendTime(objectMember(state, 'code_info'));
        this.setStatus('awaiting_code');
        break;
      case 'authorizationStateWaitPassword':
        this.hint = stringMember(state, 'password_hint');
        this.setStatus('awaiting_password');
        break;
      case 'authorizationStateWaitOtherDeviceConfirmation':
        this.qr = { link: stringMember(state, 'link') };
        this.setStatus('awaiting_qr');
        break;
      case 'authorizationStateWaitEmailAddress':
        this.setStatus('awaiting_email');
        break;
      case 'authorizationStateWaitEmailCode':
        this.setStatus('awaiting_email_code');
        break;
      case 'authorizationStateWaitRegistration':
        this.setStatus('awaiting_registration');
        break;
      case 'authorizationStateWaitPremiumPurchase':
        this.fail('error', new Error('Telegram asks for a Premium purchase to log in with this number'));
        break;
      case 'authorizationStateReady':
        void this.becomeReady();
        break;
      case 'authorizationStateLoggingOut':
        this.ready = false;
        this.isLoggingOut = true;
        // Whether it is a ban is told in the same moment, but on another way, so the word waits for Closed, or a little.
        later(() => this.endByTelegram(), REASON_PATIENCE_MS);
        this.wake();
        break;
      case 'authorizationStateClosed':
        this.ended = true;
        this.endByTelegram();
        this.monitor.cancel();
        this.events.closed(this);
        this.wake();
        break;
      default:
        break;
    }
  }

  private async identify(): Promise<void> {
    if (this.plan.kind === 'resume') {
      this.fail('expired', new Error('the authorization is gone from the database: log in again'));
      return;
    }
    if (this.planUsed) {
      // Telegram has forgotten the attempt. Asking again by ourselves would send a code that nobody asked for.
      this.fail('error', this.failure ?? new Error('the login attempt expired'));
      return;
    }
    this.planUsed = true;
    try {
      await this.client?.request(identification(this.plan));
    } catch (error) {
      const refusal = error instanceof Error ? error : new Error(String(error));
      // What TDLib says while we close it is no reason.
      if (!this.ended && !this.endsByUs) {
        this.fail('error', refusal);
      }
    }
  }

  private async becomeReady(): Promise<void> {
    this.ready = true;
    if (this.account === undefined) {
      try {
        this.account = await this.client?.request({ '@type': 'getMe' });
      } catch {
        // Only a client that is closing refuses getMe here; what follows is told by its states.
      }
    }
    if (!this.ended && this.currentStatus !== 'logged_out' && this.currentStatus !== 'banned') {
      this.setStatus('authorized');
    }
  }

  private endByTelegram(): void {
    if (this.endsByUs || this.failure !== undefined || this.currentStatus === 'banned') {
      return;
    }
    if (this.banned) {
      this.setStatus('banned', 'Telegram has banned the account');
    } else if (this.currentStatus !== 'logged_out') {
      this.setStatus('logged_out', 'Telegram has ended the authorization');
    }
  }

  private setStatus(status: SessionStatus, error?: string): void {
    if (this.currentStatus !== status) {
      this.currentStatus = status;
      this.statusSince = new Date();
    }
    this.error = error;
    this.notify();
  }

  private setPremium(premium: boolean): void {
    if (this.kind === 'user' && this.premium !== premium) {
      this.premium = premium;
      this.notify();
    }
  }

  private setFreeze(update: TdObject): void {
    const deletionDate = unixDate(numberMember(update, 'deletion_date'));
    const since = unixDate(numberMember(update, 'freezing_date'));
    const appealLink = stringMember(update, 'appeal_link');
    this.freezeState =
      update['is_frozen'] === true
        ? {
            frozen: true,
            ...(since && { since }),
            ...(deletionDate && { deletionDate }),
            ...(appealLink !== '' && { appealLink }),
          }
        : { frozen: false };
    this.notify();
  }

  private notify(): void {
    this.events.changed(this);
    this.wake();
  }

  private wake(): void {
    for (const check of [...this.waiters]) {
      check();
    }
  }
}

function identification(plan: Exclude<LoginPlan, { kind: 'resume' }>): TdObject {
  switch (plan.kind) {
    case 'bot':
      return { '@type': 'checkAuthenticationBotToken', token: plan.token };
    case 'phone':
      return { '@type': 'setAuthenticationPhoneNumber', phone_number: `+${plan.phone}` };
    case 'qr':
      return { '@type': 'requestQrCodeAuthentication' };
  }
}

/** As the reference product words a refusal. */
function describeRefusal(error: TdlibError): string {
  return `tdlib ${error.tdCode}: ${error.message}`;
}

/** `timeout` counts from when TDLib told it; a reader needs the moment itself. */
function withResendTime(codeInfo: TdObject | undefined): TdObject | undefined {
  return (
    codeInfo && {
      ...codeInfo,
      resend_at: new Date(Date.now() + numberMember(codeInfo, 'timeout') * 1_000).toISOString(),
    }
  );
}

function unixDate(seconds: number): Date | undefined {
  return seconds > 0 ? new Date(seconds * 1_000) : undefined;
}

function later(work: () => void, afterMs: number): () => void {
  const timer = setTimeout(work, afterMs);
  timer.unref();
  return () => clearTimeout(timer);
}
