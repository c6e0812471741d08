import { AppError } from '../../../common/errors/index.js';
import type { Attempt } from './part.js';

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));
const told = (attempts: readonly Attempt[]): { readonly attempts: readonly Record<string, string>[] } => ({
  attempts: attempts.map(({ botId, fault, message }) => ({ session_id: botId, class: fault, message })),
});

/** More waits for the pool than it takes on, or it could not be served in time. */
export class PoolSaturatedError extends AppError {
  readonly code = 'pool_saturated';
  readonly status = 429;

  constructor(message: string, retryAfterMs: number) {
    super(message, { retryAfterSeconds: secondsOf(retryAfterMs) });
  }
}

/** Every bot of the pool has been put aside; `details.bots` says why. */
export class NoUsableBotError extends AppError {
  readonly code = 'no_usable_bot';
  readonly status = 503;

  constructor(bots: readonly { readonly session_id: string; readonly reason: string }[], attempts: readonly Attempt[]) {
    super('no bot of the pool can send', { details: { bots, ...told(attempts) } });
  }
}

/** The pool is being closed, or its dispatcher has moved. */
export class PoolClosedError extends AppError {
  readonly code = 'pool_unavailable';
  readonly status = 503;

  constructor(message = 'the pool is closed') {
    super(message, { retryAfterSeconds: 5 });
  }
}

/** The pool is paused: it begins nothing, and finishes what has begun once it goes on. */
export class PoolPausedError extends AppError {
  readonly code = 'pool_paused';
  readonly status = 503;

  constructor() {
    super('the pool is paused', { retryAfterSeconds: 5 });
  }
}

/** The part was not stored within its time. */
export class PartDeadlineError extends AppError {
  readonly code = 'deadline_exceeded';
  readonly status = 504;

  /** @param retryAfterMs absent when nobody knows when it would have had its turn */
  constructor(message: string, attempts: readonly Attempt[], retryAfterMs?: number) {
    super(message, {
      details: told(attempts),
      ...(retryAfterMs !== undefined && { retryAfterSeconds: secondsOf(retryAfterMs) }),
    });
  }
}

/** As many sends as a part may have all failed; `details.attempts` lists them. */
export class PartAttemptsError extends AppError {
  readonly code = 'part_not_stored';
  readonly status = 502;

  constructor(attempts: readonly Attempt[]) {
    super(`the part was not stored in ${attempts.length} sends: ${attempts.at(-1)?.message ?? ''}`, {
      details: told(attempts),
    });
  }
}

/** Telegram refuses the bytes themselves, whoever sends them. */
export class PartRefusedError extends AppError {
  readonly code = 'part_refused';
  readonly status = 422;
  override readonly source = 'tdlib';

  constructor(message: string, attempts: readonly Attempt[]) {
    super(message, { details: told(attempts) });
  }
}

/** Nobody wants the part any more: its client has gone, or the upload was given up. */
export class PartAbortedError extends AppError {
  readonly code = 'upload_aborted';
  readonly status = 409;

  constructor() {
    super('the upload was given up');
  }
}

/** A pool has as many bots as a channel may have administrators. */
export class TooManyBotsError extends AppError {
  readonly code = 'too_many_bots';
  readonly status = 409;

  constructor(max: number) {
    super(`a pool has at most ${max} bots`, { details: { max } });
  }
}
