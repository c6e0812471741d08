import { HttpException } from '@nestjs/common';
import {
  AppError,
  type ErrorSource,
  InternalError,
  MethodNotAllowedError,
  PayloadTooLargeError,
  UnauthenticatedError,
  ValidationFailedError,
  codeOf,
} from '../errors/index.js';
import { databaseFailure } from '../db/database-failure.js';

/** The `error` member of a failure's envelope. */
export interface ErrorBody {
  readonly message: string;
  readonly source: ErrorSource;
  readonly code: string | number;
  readonly retry_after?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly session_id?: string;
}

/** A failure as it is answered. */
export interface DescribedFailure {
  readonly status: number;
  readonly body: { readonly ok: false; readonly error: ErrorBody };
  readonly headers: Readonly<Record<string, string>>;
  /** Nobody named this failure: it is a bug, and the log must have it whole. */
  readonly unexpected: boolean;
}

/** Reads what Fastify and Nest throw themselves: their errors carry an HTTP status. */
function fromFramework(thrown: unknown): AppError | undefined {
  if (thrown instanceof HttpException) {
    const status = thrown.getStatus();
    return status < 500 ? new ValidationFailedError([{ path: '', message: thrown.message }]) : undefined;
  }
  const code = codeOf(thrown);
  if (!code?.startsWith('FST_')) return undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new PayloadTooLargeError(BODY_LIMIT_BYTES);
  const { statusCode } = thrown as { statusCode?: unknown };
  const isBadInput = typeof statusCode === 'number' && statusCode < 500;
  return isBadInput
    ? new ValidationFailedError([{ path: '', message: PLAIN_WORDS[code] ?? 'the request cannot be read' }])
    : undefined;
}

/** What Fastify refuses by itself, in our words: its own name its code. */
const PLAIN_WORDS: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'the URL is malformed',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body is not as long as Content-Length says',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the Content-Type is malformed',
};

/** The largest JSON body that is read, in bytes. */
export const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/** The error that stands for whatever was thrown. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return databaseFailure(thrown) ?? fromFramework(thrown) ?? new InternalError('internal error', { cause: thrown });
}

/** The one place that turns a thrown value into an answer, so that every failure has the same form. */
export function describe(thrown: unknown): DescribedFailure {
  const error = toAppError(thrown);
  const headers: Record<string, string> = { 'x-error-source': error.source };
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  if (error instanceof UnauthenticatedError) headers['www-authenticate'] = 'Bearer realm="tgcontrol"';
  if (error instanceof MethodNotAllowedError) headers['allow'] = error.allowed.join(', ');
  return {
    status: error.status,
    headers,
    unexpected: error instanceof InternalError,
    body: {
      ok: false,
      error: {
        message: error.message,
        source: error.source,
        code: error.code,
        ...(error.retryAfterSeconds !== undefined && { retry_after: error.retryAfterSeconds }),
        ...(error.details !== undefined && { details: error.details }),
        ...(error.sessionId !== undefined && { session_id: error.sessionId }),
      },
    },
  };
}
