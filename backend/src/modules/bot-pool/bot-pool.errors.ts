import { AppError, messageOf } from '../../common/errors/index.js';

/** Another pool has this name, or a bucket of one. */
export class PoolNameTakenError extends AppError {
  readonly code = 'pool_name_taken';
  readonly status = 409;

  constructor(name: string) {
    super(`there is a pool or a bucket "${name}" already`);
  }
}

/** A bot is in one pool only: its limits are its own, whatever it sends for. */
export class BotInPoolError extends AppError {
  readonly code = 'bot_in_pool';
  readonly status = 409;

  constructor(sessionId: string) {
    super('the bot is in a pool already', { sessionId });
  }
}

/** The pool keeps objects; `?mode=detach` forgets them and leaves their messages where they are. */
export class PoolNotEmptyError extends AppError {
  readonly code = 'pool_not_empty';
  readonly status = 409;

  constructor(objects: number) {
    super(`the pool keeps ${objects} objects`, { details: { objects } });
  }
}

/** None of the bots may do in the chat what a pool needs; `details.bots` says why. */
export class NoBotFitsError extends AppError {
  readonly code = 'no_usable_bot';
  readonly status = 422;

  constructor(bots: readonly { readonly session_id: string; readonly reason: string }[]) {
    super('none of the bots can store in the chat', { details: { bots } });
  }
}

/** The user that is to delete for a pool may not do so in its chat. */
export class JanitorUnfitError extends AppError {
  readonly code = 'janitor_unfit';
  readonly status = 422;

  constructor(chatId: number, reason: string) {
    super(`janitor_session_id: ${reason}`, { details: { chat_id: chatId, reason } });
  }
}

/** The pool has another job that waits or runs; `details.id` names it. */
export class JobRunningError extends AppError {
  readonly code = 'job_running';
  readonly status = 409;

  constructor(id: string) {
    super('the pool has another job that has not ended', { details: { id } });
  }
}

/** The pool has no object of this key. */
export class ObjectNotFoundError extends AppError {
  readonly code = 'object_not_found';
  readonly status = 404;

  constructor(key: string) {
    super('the pool has no such object', { details: { key } });
  }
}

/** What If-Match or If-None-Match asks for does not hold. */
export class PreconditionFailedError extends AppError {
  readonly code = 'precondition_failed';
  readonly status = 412;

  constructor() {
    super('the object is not what the request expects it to be');
  }
}

/** The body has another checksum, or another length, than its headers say. Nothing of it is kept. */
export class ChecksumMismatchError extends AppError {
  readonly code = 'checksum_mismatch';
  readonly status = 422;

  constructor(what: string, expected: string, actual: string) {
    super(`the body's ${what} is ${actual}, not ${expected}`, { details: { expected, actual } });
  }
}

/** A message of the object is gone from its chat: somebody has deleted it there. */
export class BlobLostError extends AppError {
  readonly code = 'blob_lost';
  readonly status = 410;

  constructor(chatId: number, messageId: number) {
    super('a message of the object is not in its chat any more', {
      details: { chat_id: chatId, message_id: messageId },
    });
  }
}

/** No bot of the pool can read a message of the object at the moment; the message of the error says what the last one met. */
export class BlobUnreadableError extends AppError {
  readonly code = 'blob_unreadable';
  readonly status = 502;

  constructor(chatId: number, messageId: number, cause: unknown) {
    super(`a message of the object could not be read: ${messageOf(cause)}`, {
      details: { chat_id: chatId, message_id: messageId },
      cause,
    });
  }
}

/** The object was replaced or removed in the moment in which it was to be read. */
export class ObjectReplacedError extends AppError {
  readonly code = 'object_replaced';
  readonly status = 503;

  constructor() {
    super('the object is another one now', { retryAfterSeconds: 1 });
  }
}

/** The bucket has objects. */
export class BucketNotEmptyError extends AppError {
  readonly code = 'bucket_not_empty';
  readonly status = 409;

  constructor() {
    super('the bucket has objects');
  }
}

/** No upload in parts of this id is under way to this key. */
export class PartUploadNotFoundError extends AppError {
  readonly code = 'upload_not_found';
  readonly status = 404;

  constructor() {
    super('there is no such upload in parts');
  }
}

/** A part that an upload is to be completed with is missing, is another one, or is too small to have others behind it. */
export class PartMismatchError extends AppError {
  readonly status = 400;

  constructor(
    readonly code: 'invalid_part' | 'part_too_small',
    number: number,
  ) {
    super(code === 'invalid_part' ? `part ${number} is missing, or has another ETag` : `part ${number} is too small`, {
      details: { number },
    });
  }
}

/** The upload was completed with other parts than those that are named now. */
export class OtherPartsError extends AppError {
  readonly code = 'invalid_part';
  readonly status = 400;

  constructor() {
    super('the upload was completed with other parts');
  }
}

/** What waits on the disk for the bots of pools takes all that it may. */
export class SpoolFullError extends AppError {
  readonly code = 'spool_full';
  readonly status = 507;

  constructor(limitBytes: number) {
    super('what waits for bots takes all of the disk that it may', {
      details: { limit_bytes: limitBytes },
      retryAfterSeconds: 60,
    });
  }
}

/** The upload cannot become an object any more, for the reason in `details`: remove it, and send the object again. */
export class UploadFailedError extends AppError {
  readonly code = 'upload_failed';
  readonly status = 409;

  constructor({ code, message }: { readonly code: string | number; readonly message: string }) {
    super(`the upload cannot go on: ${message}`, { details: { code, message } });
  }
}

/** There is no such link, or it has ended: by its time, by whoever revoked it, or with the token that had made it. */
export class LinkNotFoundError extends AppError {
  readonly code = 'link_not_found';
  readonly status = 404;

  constructor() {
    super('there is no such link, or it has ended');
  }
}

/** The pool has as many links as it may; those that have ended do not count. */
export class TooManyLinksError extends AppError {
  readonly code = 'too_many_links';
  readonly status = 409;

  constructor(limit: number) {
    super(`a pool has ${limit} links at most`, { details: { limit } });
  }
}
