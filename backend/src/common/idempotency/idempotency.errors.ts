import { AppError } from '../errors/index.js';

/** The Idempotency-Key was used with another body. */
export class IdempotencyMismatchError extends AppError {
  readonly code = 'idempotency_mismatch';
  readonly status = 422;

  constructor() {
    super('the Idempotency-Key was used with another body');
  }
}

/** The first request with this Idempotency-Key is still being served. */
export class IdempotencyInProgressError extends AppError {
  readonly code = 'idempotency_in_progress';
  readonly status = 409;

  constructor() {
    super('the first request with this Idempotency-Key is still being served', { retryAfterSeconds: 1 });
  }
}

/**
 * The first request with this Idempotency-Key died before it was answered, so it may have taken effect; `details.sends` lists
 * the messages that are known to have been sent for it, with what became of them.
 */
export class IdempotencyOutcomeUnknownError extends AppError {
  readonly code = 'idempotency_outcome_unknown';
  readonly status = 409;

  constructor(sends: readonly object[]) {
    super('the first request with this Idempotency-Key died unanswered: it is not repeated', { details: { sends } });
  }
}

/** The request with this Idempotency-Key was answered with more than is kept; `details` has the answer's status and hash. */
export class IdempotencyAnswerNotKeptError extends AppError {
  readonly code = 'idempotency_answer_not_kept';
  readonly status = 409;

  constructor(answer: { readonly status: number; readonly sha256: string; readonly bytes: number }) {
    super('the answer to this Idempotency-Key was too large to keep: the request is not repeated', {
      details: { status: answer.status, sha256: answer.sha256, size_bytes: answer.bytes },
    });
  }
}
