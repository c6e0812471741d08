import type { Readable } from 'node:stream';
import { RequestTimeoutError } from '../../common/errors/index.js';
import { UploadCutError } from '../uploads/index.js';

/** How long a client may be silent in the middle of a body that is being read. */
const IDLE_MS = 30_000;

/**
 * The body of a request as it comes. Breaking off leaves the request as it is, for it is to be answered.
 * @throws (while iterated) UploadCutError, RequestTimeoutError
 */
export async function* requestBody(body: Readable): AsyncGenerator<Buffer, undefined> {
  const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  for (;;) {
    const timer = setTimeout(() => body.destroy(new RequestTimeoutError()), IDLE_MS);
    try {
      const piece = await pieces.next();
      if (piece.done === true) return undefined;
      clearTimeout(timer);
      yield piece.value;
    } catch (error) {
      throw error instanceof RequestTimeoutError ? error : new UploadCutError(false, error);
    } finally {
      clearTimeout(timer);
    }
  }
}
