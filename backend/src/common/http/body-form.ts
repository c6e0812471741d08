import type { FastifyRequest } from 'fastify';
import { UnsupportedMediaTypeError } from '../errors/index.js';

const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;
/** Every text in US-ASCII is the same text in UTF-8. */
const READ_CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);

/** Whether the request announces a body. */
export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Bodies are read as they come: a packed one would be taken for something else, and stored as it is.
 * @throws UnsupportedMediaTypeError
 */
export function requirePlainBody(request: FastifyRequest): void {
  const coding = request.headers['content-encoding']?.trim().toLowerCase();
  if (coding !== undefined && coding !== '' && coding !== 'identity' && hasBody(request)) {
    throw new UnsupportedMediaTypeError(
      `Content-Encoding ${JSON.stringify(coding)} is not read: send the body as it is`,
    );
  }
}

/**
 * JSON is UTF-8 (https://www.rfc-editor.org/rfc/rfc8259#section-8.1); said to be anything else it is not read as what it is.
 * @throws UnsupportedMediaTypeError
 */
export function requireUtf8Json(request: FastifyRequest): void {
  const type = request.headers['content-type'] ?? '';
  const charset = JSON_TYPE.test(type) ? CHARSET.exec(type)?.[1]?.toLowerCase() : undefined;
  if (charset !== undefined && !READ_CHARSETS.has(charset) && hasBody(request)) {
    throw new UnsupportedMediaTypeError(`the charset ${JSON.stringify(charset)} is not read: JSON is UTF-8`);
  }
}
