import { AppError } from '../../common/errors/index.js';

/** Another login for this number is waiting; `session_id` names it, so that the caller can go on there. */
export class LoginInProgressError extends AppError {
  readonly code = 'login_in_progress';
  readonly status = 409;

  constructor(sessionId: string | undefined) {
    super('a login with this phone number is in progress', sessionId === undefined ? {} : { sessionId });
  }
}

/** The bot has a session already. Two clients of one bot share its updates unpredictably, so it has to be asked for. */
export class BotExistsError extends AppError {
  readonly code = 'bot_exists';
  readonly status = 409;

  constructor(sessionId: string | undefined) {
    super(
      'the bot has a session already; allow_duplicate makes another one',
      sessionId === undefined ? {} : { sessionId },
    );
  }
}

/** A login answer is being checked; one at a time, so that a verdict belongs to the caller who gets it. */
export class LoginBusyError extends AppError {
  readonly code = 'login_busy';
  readonly status = 409;

  constructor() {
    super('another answer for this login is being checked');
  }
}

/**
 * The session's database is not where this worker looks for it: it does not share its DATA_DIR with the worker that made the
 * session, or the directory was lost. Nothing has changed, so that a worker that has it may go on.
 */
export class SessionDirectoryMissingError extends AppError {
  readonly code = 'session_directory_missing';
  readonly status = 503;

  constructor(directory: string) {
    super(`the session's directory is not on this worker's disk: ${directory}`);
  }
}

/** The worker holds as many sessions as WORKER_CAPACITY lets it. */
export class WorkerFullError extends AppError {
  readonly code = 'worker_full';
  readonly status = 503;

  constructor(capacity: number) {
    super(`the worker holds ${capacity} sessions and takes no more`, { retryAfterSeconds: 10, details: { capacity } });
  }
}

/** The worker that a session is to move to cannot take it. */
export class WorkerUnsuitableError extends AppError {
  readonly code = 'worker_unsuitable';
  readonly status = 409;

  constructor(workerId: string, reason: string) {
    super(`worker ${workerId} cannot take the session: ${reason}`, { details: { worker_id: workerId, reason } });
  }
}

/**
 * Somebody logged in with another account than the session's. The new authorization was ended again: what a session is
 * registered with must not come to mean another account.
 */
export class OtherAccountError extends AppError {
  readonly code = 'other_account';
  readonly status = 409;

  constructor(message = 'this is another account than before: the login was ended again') {
    super(message);
  }
}

/**
 * The worker of the session ends, and another one takes it over. `details.sent` tells whether TDLib had been given the call:
 * if not, it certainly did nothing.
 */
export class SessionMovingError extends AppError {
  readonly code = 'session_moving';
  readonly status = 503;

  constructor(sent: boolean) {
    super('the session is moving to another worker', { retryAfterSeconds: 1, details: { sent } });
  }
}

/** The session was deleted before its login had begun. */
export class LoginCancelledError extends AppError {
  readonly code = 'login_cancelled';
  readonly status = 409;

  constructor() {
    super('the login was cancelled');
  }
}

/** Telegram could not be reached through the session's network; the message has the cause in words. */
export class ConnectionFailedError extends AppError {
  readonly code = 'connection_failed';
  readonly status = 504;

  constructor(cause: string) {
    super(`no connection to Telegram: ${cause}`);
  }
}
