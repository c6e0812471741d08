import { applyDecorators } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidationFailedError, type ValidationIssue } from '../../../common/errors/index.js';
import { classOf } from '../../../telegram/index.js';
import { ApiQuery } from '../../../common/http/index.js';
import {
  ApiIdempotencyKey,
  IDEMPOTENCY_KEY,
  idempotencyKeyOf,
  markReplayed,
} from '../../../common/idempotency/index.js';

/** What a call may ask for beside its method. Most calls ask for nothing. */
export interface CallOptions {
  /** How long to wait for what Telegram decides about the messages sent. */
  readonly waitMs?: number;
  /** How long TDLib may take to answer. */
  readonly timeoutMs?: number;
  /** The Idempotency-Key. */
  readonly key?: string;
  /** To be called when the answer was given before. */
  readonly onReplayed: () => void;
}

/** The longest `?wait`, in seconds. */
export const MAX_WAIT_SECONDS = 60;
/** The longest `?timeout`, in seconds: of a read or a download, and of any other call. */
export const MAX_READ_TIMEOUT_SECONDS = 3_600;
export const MAX_TIMEOUT_SECONDS = 70;

/** Whether a method only looks, so that it may take long and its answer tells of no new message. */
export function isReadMethod(method: unknown): boolean {
  return typeof method === 'string' && classOf(method) === 'read';
}

/** Documents them on a route. */
export const ApiCallOptions = (): MethodDecorator =>
  applyDecorators(
    ApiQuery({
      name: 'wait',
      required: false,
      description: 'So many seconds at most the answer waits for what Telegram decides, which `sends` then tells.',
      schema: { type: 'integer', minimum: 1, maximum: MAX_WAIT_SECONDS },
    }),
    ApiQuery({
      name: 'timeout',
      required: false,
      description: `Seconds that TDLib may take, ${MAX_TIMEOUT_SECONDS} when absent; more only for reads and downloads.`,
      schema: { type: 'integer', minimum: 1, maximum: MAX_READ_TIMEOUT_SECONDS },
    }),
    ApiIdempotencyKey(),
  );

/**
 * Reads what a call asks for beside its method.
 * @returns undefined when it asks for nothing
 * @throws ValidationFailedError naming each wrong parameter
 */
export function callOptionsOf(
  { headers, url, query, body }: Pick<FastifyRequest, 'headers' | 'url' | 'query' | 'body'>,
  reply: FastifyReply,
): CallOptions | undefined {
  const header = headers[IDEMPOTENCY_KEY];
  if (header === undefined && !url.includes('?')) {
    return undefined;
  }
  const { wait, timeout } = query as Readonly<Record<string, unknown>>;
  const issues: ValidationIssue[] = [];
  const waitSeconds = secondsOf('wait', wait, MAX_WAIT_SECONDS, issues);
  const isRead = isReadMethod((body as { method?: unknown } | undefined)?.method);
  const timeoutSeconds = secondsOf(
    'timeout',
    timeout,
    isRead ? MAX_READ_TIMEOUT_SECONDS : MAX_TIMEOUT_SECONDS,
    issues,
    isRead ? '' : ' (up to 3600 for reads and downloads)',
  );
  if (issues.length > 0) {
    throw new ValidationFailedError(issues);
  }
  const key = idempotencyKeyOf(header);
  if (waitSeconds === undefined && timeoutSeconds === undefined && key === undefined) {
    return undefined;
  }
  return {
    ...(waitSeconds !== undefined && { waitMs: waitSeconds * 1_000 }),
    ...(timeoutSeconds !== undefined && { timeoutMs: timeoutSeconds * 1_000 }),
    ...(key !== undefined && { key }),
    onReplayed: () => markReplayed(reply),
  };
}

function secondsOf(
  path: string,
  given: unknown,
  max: number,
  issues: ValidationIssue[],
  remark = '',
): number | undefined {
  if (given === undefined) {
    return undefined;
  }
  const seconds = typeof given === 'string' && /^\d{1,5}$/.test(given) ? Number(given) : 0;
  if (seconds < 1 || seconds > max) {
    issues.push({ path, message: `must be a whole number of seconds from 1 to ${max}${remark}` });
  }
  return seconds;
}
