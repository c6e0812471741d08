import { AppError, type AppErrorOptions } from './app-error.js';

/** One wrong field of a request; `path` is written as in the JSON (`filters.types[2]`), empty for the whole body. */
export interface ValidationIssue {
  readonly path: string;
  readonly message: string;
}

/** How many issues an answer names; more would only make it large. */
export const MAX_ISSUES = 20;
const MAX_PATH_LENGTH = 200;

/** An answer must not grow with the request: a client may write any number of wrong fields, with names of any length. */
function capped(issues: readonly ValidationIssue[]): readonly ValidationIssue[] {
  const first = issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path,
    message,
  }));
  return issues.length > MAX_ISSUES ? [...first, { path: '', message: 'there are more issues, left out here' }] : first;
}

/** Most messages begin with the name of the field already. */
const named = ({ path, message }: ValidationIssue): string =>
  path === '' || message.startsWith(`${path} `) ? message : `${path}: ${message}`;

/** The request itself is wrong; the first wrong fields are named. */
export class ValidationFailedError extends AppError {
  readonly code = 'validation_failed';
  readonly status = 400;

  readonly issues: readonly ValidationIssue[];

  constructor(given: readonly ValidationIssue[]) {
    const issues = capped(given);
    super(`invalid request: ${issues.map(named).join('; ')}`, { details: { issues } });
    this.issues = issues;
  }
}

/** No usable credentials; answered with `WWW-Authenticate`. */
export class UnauthenticatedError extends AppError {
  readonly code = 'unauthenticated';
  readonly status = 401;

  constructor(message = 'missing bearer token') {
    super(message);
  }
}

/** The caller is known and may not do this at all. */
export class ForbiddenError extends AppError {
  readonly code = 'forbidden';
  readonly status = 403;
}

/** The console's cookie came on an unsafe method without its CSRF token. */
export class CsrfFailedError extends AppError {
  readonly code = 'csrf_failed';
  readonly status = 403;

  constructor() {
    super('the header X-Csrf-Token is missing or wrong');
  }
}

/** The token is known, and its owner has switched it off. */
export class TokenDisabledError extends AppError {
  readonly code = 'token_disabled';
  readonly status = 403;

  constructor() {
    super('the token is disabled');
  }
}

/** The token is known, and its time is over. */
export class TokenExpiredError extends AppError {
  readonly code = 'token_expired';
  readonly status = 401;

  constructor() {
    super('the token has expired');
  }
}

/** The token is valid, but not for this: the session is not in its scope, or the method or the route is for the master token. */
export class ScopeDeniedError extends AppError {
  readonly code = 'scope_denied';
  readonly status = 403;
}

/** A td_api method that the gateway keeps for itself. */
export class MethodReservedError extends AppError {
  readonly code = 'method_reserved';
  readonly status = 403;

  constructor(method: string) {
    super(`method reserved by the gateway: ${method}`, { details: { method } });
  }
}

/** A file of the server's disk that the caller may not name. */
export class PathDeniedError extends AppError {
  readonly code = 'path_denied';
  readonly status = 403;
}

/** What a {@link NotFoundError} may be about; part of its code. */
export type FindableThing =
  | 'app'
  | 'proxy'
  | 'session'
  | 'token'
  | 'worker'
  | 'upload'
  | 'subscription'
  | 'delivery'
  | 'send'
  | 'pool'
  | 'job'
  | 'limit'
  | 'cooldown'
  | 's3_key';

/** No such thing; also for ids that cannot exist. Its code is the thing and `_not_found`. */
export class NotFoundError extends AppError {
  readonly code: `${FindableThing}_not_found`;
  readonly status = 404;

  constructor(what: FindableThing, id: string) {
    super(`${what} not found`, { details: { id } });
    this.code = `${what}_not_found`;
  }
}

/** No route has this path. */
export class RouteNotFoundError extends AppError {
  readonly code = 'route_not_found';
  readonly status = 404;

  constructor(method: string, path: string) {
    super(`no such route: ${method} ${path}`);
  }
}

/** The session exists, but is of the other kind than the path says. */
export class KindMismatchError extends AppError {
  readonly code = 'kind_mismatch';
  readonly status = 404;

  constructor(asked: string, stored: string) {
    super(`the session is a ${stored}, not a ${asked}`, { details: { asked, stored } });
  }
}

/** The path exists, but not with this method; the answer names the methods in `Allow`. */
export class MethodNotAllowedError extends AppError {
  readonly code = 'method_not_allowed';
  readonly status = 405;

  constructor(
    method: string,
    readonly allowed: readonly string[],
  ) {
    super(`${method} is not allowed here`, { details: { allowed } });
  }
}

/** The client took longer to send its request than we wait. */
export class RequestTimeoutError extends AppError {
  readonly code = 'request_timeout';
  readonly status = 408;

  constructor() {
    super('the request did not arrive in time');
  }
}

/** The state of something forbids the change; `code` says which conflict. */
export class ConflictError extends AppError {
  readonly status = 409;

  constructor(
    readonly code: string,
    message: string,
    options?: AppErrorOptions,
  ) {
    super(message, options);
  }
}

/** Something is still used by sessions and so cannot be deleted. */
export class InUseError extends AppError {
  readonly code = 'in_use';
  readonly status = 409;

  constructor(what: 'app' | 'proxy', sessionIds: readonly string[]) {
    super(`the ${what} is used by ${sessionIds.length} session${sessionIds.length === 1 ? '' : 's'}`, {
      details: { session_ids: sessionIds },
    });
  }
}

/** The session cannot do this in its present status, which `details.status` tells. */
export class SessionNotReadyError extends AppError {
  readonly code = 'session_not_ready';
  readonly status = 409;

  constructor(status: string, message = `the session is ${status}`) {
    super(message, { details: { status } });
  }
}

/** The body is larger than the route takes. */
export class PayloadTooLargeError extends AppError {
  readonly code = 'payload_too_large';
  readonly status = 413;

  constructor(limitBytes: number) {
    super(`the body is larger than ${limitBytes} bytes`, { details: { limit_bytes: limitBytes } });
  }
}

/** The body comes in a coding or a charset that is not read. */
export class UnsupportedMediaTypeError extends AppError {
  readonly code = 'unsupported_media_type';
  readonly status = 415;
}

/** The request line or the headers are larger than the server takes. */
export class HeadersTooLargeError extends AppError {
  readonly code = 'headers_too_large';
  readonly status = 431;

  constructor() {
    super('the request headers are too large');
  }
}

/** Too many failed authentications from one address. */
export class AuthenticationThrottledError extends AppError {
  readonly code = 'authentication_throttled';
  readonly status = 429;

  constructor(retryAfterSeconds: number) {
    super('too many failed authentications from this address', { retryAfterSeconds });
  }
}

/** Too many streams and waiting requests are open already, of this token or from this address; `details.of` says of which. */
export class TooManyHeldRequestsError extends AppError {
  readonly code = 'too_many_held_requests';
  readonly status = 429;

  constructor(of: 'token' | 'address', limit: number) {
    const whose = of === 'token' ? 'of this token' : 'of scoped tokens from this address';
    super(`${limit} streams and waiting requests ${whose} are open already`, {
      retryAfterSeconds: 5,
      details: { of, limit },
    });
  }
}

/** A bug of ours. Its cause is logged and never sent. */
export class InternalError extends AppError {
  readonly code = 'internal_error';
  readonly status = 500;

  constructor(message = 'internal error', options?: AppErrorOptions) {
    super(message, options);
  }
}

/** A worker could not be reached, or broke off before it answered. */
export class WorkerUnreachableError extends AppError {
  readonly code = 'worker_unreachable';
  readonly status = 502;

  /** @param neverReached the request certainly did nothing there, so that it may be repeated */
  constructor(
    workerId: string,
    readonly neverReached: boolean,
    cause: unknown,
  ) {
    super(`worker ${workerId} is unreachable`, { details: { worker_id: workerId }, cause });
  }
}

/** No worker is alive, or none that holds the session. */
export class NoLiveWorkerError extends AppError {
  readonly code = 'no_live_worker';
  readonly status = 503;

  constructor(message = 'no live worker') {
    super(message, { retryAfterSeconds: 1 });
  }
}

/** PostgreSQL does not answer. The text of the driver stays in our log. */
export class DatabaseUnavailableError extends AppError {
  readonly code = 'database_unavailable';
  readonly status = 503;

  constructor(cause: unknown) {
    super('the database is not available', { retryAfterSeconds: 2, cause });
  }
}

/** The process is not ready to serve; `details.causes` says why. */
export class NotReadyError extends AppError {
  readonly code = 'not_ready';
  readonly status = 503;

  constructor(causes: Readonly<Record<string, string>>) {
    super(`not ready: ${Object.keys(causes).join(', ')}`, { details: { causes } });
  }
}

/** The process is shutting down and takes nothing new. */
export class ShuttingDownError extends AppError {
  readonly code = 'shutting_down';
  readonly status = 503;

  constructor() {
    super('the server is shutting down', { retryAfterSeconds: 1 });
  }
}

/** A deadline of ours passed before the answer came. The request may still take effect. */
export class DeadlineError extends AppError {
  readonly code = 'deadline_exceeded';
  readonly status = 504;

  /** @param why what is known to stand in the way, in words */
  constructor(what: string, milliseconds: number, why?: string) {
    super(`${what} took longer than ${milliseconds / 1000} s${why === undefined ? '' : `: ${why}`}`);
  }
}

/** A stored secret cannot be opened with this process's MASTER_KEY. */
export class MasterKeyMismatchError extends AppError {
  readonly code = 'master_key_mismatch';
  readonly status = 500;

  constructor(message = 'MASTER_KEY is not the key that the database was encrypted with') {
    super(message);
  }
}

/** The process cannot start; the message is one line for the operator. */
export class StartupError extends AppError {
  readonly code = 'startup_failed';
  readonly status = 500;
}
