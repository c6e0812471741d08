import { AppError, messageOf } from '../errors/index.js';

/** A store of snapshots or backups does not do what it was asked for; the message has where it is and why. */
export class BlobStoreError extends AppError {
  readonly code = 'state_store_failed';
  readonly status = 503;

  constructor(place: string, what: string, cause: unknown) {
    super(`${place}: ${what}: ${messageOf(cause)}`, { cause });
  }
}
