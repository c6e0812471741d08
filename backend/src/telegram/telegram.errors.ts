import { AppError, TdlibError } from '../common/errors/index.js';
import { numberMember, parseTdObject, stringMember } from './td-object.js';

/** A session has as many unanswered calls as it may have. */
export class TooManyCallsError extends AppError {
  readonly code = 'too_many_calls';
  readonly status = 503;

  constructor(limit: number) {
    super(`the session has ${limit} calls in flight already`, { retryAfterSeconds: 1, details: { limit } });
  }
}

/** The caller went away before TDLib answered; nobody reads this. */
export class CallAbandonedError extends AppError {
  readonly code = 'call_abandoned';
  readonly status = 499;

  constructor() {
    super('the caller went away');
  }
}

/** The TDLib client was closed before it answered, by us or because Telegram ended the authorization. */
export class ClientClosedError extends AppError {
  readonly code = 'session_closed';
  readonly status = 503;

  constructor() {
    super('the session was closed before Telegram answered', { retryAfterSeconds: 1 });
  }
}

/** The error that TDLib wrote as an `error` object. */
export function toTdlibError(object: string): TdlibError {
  const error = parseTdObject(object);
  return new TdlibError(numberMember(error, 'code'), stringMember(error, 'message'));
}
