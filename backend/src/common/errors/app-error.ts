/** Who refused: our own code, or TDLib and Telegram behind it. Clients branch on it, see `X-Error-Source`. */
export type ErrorSource = 'gateway' | 'tdlib';

/** What an {@link AppError} may carry beside its message. */
export interface AppErrorOptions {
  /** Extra fields for the client. Never secrets: the whole object is sent and logged. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** When a repeat makes sense, in whole seconds; also sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The session that stands in the way, sent as `error.session_id`. */
  readonly sessionId?: string;
  readonly cause?: unknown;
}

/** A failure we expect and can name. Anything else that is thrown is a bug and becomes 500 `internal_error`. */
export abstract class AppError extends Error {
  /** Stable and machine-readable: clients switch on it, so renaming one is a breaking change. TDLib's are numbers. */
  abstract readonly code: string | number;
  /** The HTTP status of the answer. */
  abstract readonly status: number;
  readonly source: ErrorSource = 'gateway';
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly sessionId: string | undefined;

  constructor(message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.sessionId = options.sessionId;
  }
}
