import { AppError } from '../../common/errors/index.js';

/** The chunk does not begin where the upload ends; `details.offset` says where that is. */
export class UploadOffsetError extends AppError {
  readonly code = 'upload_offset_mismatch';
  readonly status = 409;

  constructor(
    given: number,
    readonly offset: number,
  ) {
    super(`the upload ends at ${offset}, not at ${given}`, { details: { offset } });
  }
}

/** Another request is writing this upload at the moment. */
export class UploadBusyError extends AppError {
  readonly code = 'upload_busy';
  readonly status = 409;

  constructor() {
    super('another request is writing this upload', { retryAfterSeconds: 1 });
  }
}

/** A message on its way uses the upload, which is removed when that has arrived or failed. */
export class UploadInUseError extends AppError {
  readonly code = 'upload_in_use';
  readonly status = 409;

  constructor() {
    super('a message on its way uses the upload; it is removed when the message has arrived or failed');
  }
}

/** Not all bytes of the upload have arrived. */
export class UploadIncompleteError extends AppError {
  readonly code = 'upload_incomplete';
  readonly status = 409;

  constructor(offset: number, length: number | undefined) {
    super('the upload is not fully received', { details: { offset, ...(length !== undefined && { length }) } });
  }
}

/** Every byte of the upload is there already. */
export class UploadCompleteError extends AppError {
  readonly code = 'upload_complete';
  readonly status = 409;

  constructor(offset: number) {
    super(`the upload is complete: all of its ${offset} bytes are there`, { details: { offset } });
  }
}

/** The upload would be larger than allowed, or than was declared. */
export class UploadTooLargeError extends AppError {
  readonly code = 'upload_too_large';
  readonly status = 413;

  constructor(message: string, limitBytes: number) {
    super(message, { details: { limit_bytes: limitBytes } });
  }
}

/** The file has no bytes. Telegram takes no such files. */
export class EmptyFileError extends AppError {
  readonly code = 'empty_file';
  readonly status = 400;

  constructor(what: 'Upload-Length is 0' | 'the file is empty') {
    super(`${what}: Telegram takes no empty files`);
  }
}

/** What the caller's uploads, or all uploads, may take together is used up. */
export class UploadQuotaError extends AppError {
  readonly code = 'upload_quota_exceeded';
  readonly status = 507;

  constructor(whose: 'token' | 'total', limitBytes: number) {
    super(whose === 'token' ? "the token's uploads take all they may" : 'all uploads together take all they may', {
      details: { quota: whose, limit_bytes: limitBytes },
    });
  }
}

/** The disk is nearly full: what is left is for the databases of sessions. */
export class DiskFullError extends AppError {
  readonly code = 'disk_full';
  readonly status = 507;

  constructor(cause?: unknown) {
    super('there is not enough free space on the disk', { cause });
  }
}

/** The body ended before its time; what arrived of a chunk is kept, unless it has a checksum. */
export class UploadCutError extends AppError {
  readonly code = 'upload_cut';
  readonly status = 400;

  constructor(isKept: boolean, cause?: unknown) {
    super(`the body ended before its time; ${isKept ? 'what arrived' : 'nothing of it'} is kept`, { cause });
  }
}

/** The chunk is not what its checksum says; nothing of it is kept. */
export class UploadChecksumError extends AppError {
  readonly code = 'upload_checksum_mismatch';
  readonly status = 460;

  constructor() {
    super('the chunk does not have the checksum that was given');
  }
}
