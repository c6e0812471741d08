import type { FastifyReply } from 'fastify';
import { ValidationFailedError } from '../errors/index.js';

/** The request header, as Node spells it. */
export const IDEMPOTENCY_KEY = 'idempotency-key';
/** The header of an answer that was given before. */
export const IDEMPOTENT_REPLAYED = 'idempotent-replayed';

const MAX_KEY_LENGTH = 255;

/**
 * The key of a request; undefined without one.
 * @throws ValidationFailedError for one that is empty or too long
 */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = String(header);
  if (key === '' || key.length > MAX_KEY_LENGTH) {
    const message = `must be 1 to ${MAX_KEY_LENGTH} characters`;
    throw new ValidationFailedError([{ path: 'Idempotency-Key', message }]);
  }
  return key;
}

/** Says that the answer was given before. */
export function markReplayed(reply: FastifyReply): void {
  void reply.header(IDEMPOTENT_REPLAYED, 'true');
}
