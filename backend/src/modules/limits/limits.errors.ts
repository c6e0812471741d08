import { AppError } from '../../common/errors/index.js';

/** What held a call back. */
export type LimitSource = 'cooldown' | 'pace' | 'limit';

/** What the answer tells of it beside the message. */
export interface RateLimit {
  readonly source: LimitSource;
  /** Of a cooldown or the pace: a group, a method, or `spam_limit`. */
  readonly scope?: string;
  /** When it is over. */
  readonly until: Date;
  /** Of a cooldown: Telegram's own words. */
  readonly error?: string;
  /** Of a rule. */
  readonly level?: 'session' | 'token';
  readonly limit_id?: string;
}

/** Held back here, so that Telegram need not refuse it: nothing was sent, and nothing is counted. `details` say by what. */
export class RateLimitedError extends AppError {
  readonly code = 'rate_limited';
  readonly status = 429;

  constructor(message: string, { until, ...limit }: RateLimit, leftMs: number) {
    const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1_000));
    super(message, {
      retryAfterSeconds,
      details: { ...limit, until: until.toISOString(), retry_after: retryAfterSeconds },
    });
  }
}

/** A rule for the same target, methods and time exists; `details.id` names it. */
export class LimitExistsError extends AppError {
  readonly code = 'limit_exists';
  readonly status = 409;

  constructor(id: string | undefined) {
    super(
      'there is a rule for this target, these methods and this time already',
      id === undefined ? {} : { details: { id } },
    );
  }
}

/** The session gives up what waits for its turn: its client is closing. */
export class PaceEndedError extends Error {
  override readonly name = 'PaceEndedError';
}
