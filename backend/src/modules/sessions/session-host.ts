import type { Departure } from '../../telegram/index.js';
import type { RawEnvelope, RawJson } from '../../common/http/index.js';
import type {
  BotCreatedDto,
  CallBody,
  CreateBotDto,
  CreateUserDto,
  LiveState,
  SessionKind,
  UserCreatedDto,
} from './session.dto.js';
import type { LiveLimits } from './limits/session-limits.dto.js';
import type { CallOptions } from './sends/call-options.js';

/** What a login waits for, and the answer to it. */
export type LoginStep =
  | { readonly step: 'code'; readonly code: string }
  | { readonly step: 'password'; readonly password: string }
  | { readonly step: 'resend' }
  | { readonly step: 'email'; readonly email: string }
  | { readonly step: 'email-code'; readonly code: string }
  | { readonly step: 'recover' }
  | { readonly step: 'recover-code'; readonly code: string; readonly newPassword: string; readonly newHint: string }
  | { readonly step: 'register'; readonly firstName: string; readonly lastName: string };

/** How a session logs in again. */
export type Relogin =
  | { readonly kind: 'bot'; readonly token?: string | undefined }
  | { readonly kind: 'user'; readonly method?: 'phone' | 'qr' | undefined };

/**
 * Whoever holds the sessions: the worker in this process, or, in a gateway, the workers behind it. Every method may refuse with
 * NotFoundError for an id that nobody knows, and with NoLiveWorkerError when the one who holds it is gone.
 */
export abstract class SessionHost {
  /**
   * Logs a bot in.
   * @throws BotExistsError, ConnectionFailedError, or TdlibError as Telegram refused; nothing remains of it then
   */
  abstract createBot(bot: CreateBotDto): Promise<BotCreatedDto>;

  /**
   * Begins a user's login.
   * @throws LoginInProgressError, ConnectionFailedError, or TdlibError as Telegram refused; nothing remains of it then
   */
  abstract createUser(user: CreateUserDto): Promise<UserCreatedDto>;

  /**
   * Logs a session whose authorization is gone in again. It keeps its id and all that is registered of it; when the login
   * fails it is what it was before.
   * @throws SessionNotReadyError when its status allows no login
   * @throws OtherAccountError, LoginInProgressError, ConnectionFailedError, or TdlibError as Telegram refused
   */
  abstract login(id: string, how: Relogin): Promise<LiveState>;

  /** Answers what a login waits for. Telegram's refusal is thrown, and the login goes on waiting. */
  abstract answer(id: string, step: LoginStep): Promise<LiveState>;

  /**
   * Gives a login up that goes on. A session that was logged in before is then what it was; one that never was is removed.
   * @throws SessionNotReadyError when none goes on
   */
  abstract cancelLogin(id: string): Promise<void>;

  /** What the session's client knows; undefined when no client is open for it. */
  abstract state(id: string): Promise<LiveState | undefined>;

  /**
   * What the session's client knows of its limits; undefined when no client is open for it. What the database then has as counted
   * under rules is what was used.
   */
  abstract limits(id: string): Promise<LiveLimits | undefined>;

  /** Ends a cooldown early. @returns whether it ran */
  abstract liftCooldown(id: string, scope: string): Promise<boolean>;

  /**
   * Runs a td_api method. This is the path most requests take: without database, without parsing of the result.
   * @param options absent for most calls, which ask for nothing but their answer
   * @throws SessionNotReadyError, MethodReservedError, PathDeniedError, ValidationFailedError, TooManyCallsError, TdlibError
   */
  abstract call(
    kind: SessionKind,
    id: string,
    body: CallBody,
    caller?: Departure,
    options?: CallOptions,
  ): Promise<RawJson | RawEnvelope>;

  /**
   * Whether the caller's call would be let through to TDLib; nothing is called.
   * @throws as {@link call}, but for what TDLib says
   */
  abstract check(kind: SessionKind, id: string, body: CallBody): Promise<void>;

  /** Puts another proxy in place, live when the session is open, and notes it. Null takes it away. */
  abstract useProxy(id: string, proxyId: string | null): Promise<void>;

  /** Closes the session until it is started again, over restarts too. */
  abstract stop(id: string): Promise<LiveState>;

  /** Opens a stopped session. */
  abstract start(id: string): Promise<LiveState>;

  /**
   * Hands the session over to another worker, which opens it at once. Calls that come meanwhile are answered with SessionMovingError.
   * @param to the worker's id; the one with the fewest sessions when absent
   * @returns the id of the worker that it goes to
   * @throws WorkerUnsuitableError, SessionNotReadyError, SessionMovingError
   */
  abstract move(id: string, to: string | undefined): Promise<string>;

  /** Removes the session with its database. @returns whether the authorization was ended at Telegram */
  abstract remove(id: string, logout: boolean): Promise<boolean>;
}
