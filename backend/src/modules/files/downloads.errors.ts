import { AppError } from '../../common/errors/index.js';

/** No byte of the requested range is in the file; `details.size` says how many it has. */
export class RangeNotSatisfiableError extends AppError {
  readonly code = 'range_not_satisfiable';
  readonly status = 416;

  constructor(size: number) {
    super(`the file has ${size} bytes`, { details: { size } });
  }
}

/** The file is not the one that If-Match names: numbers of files are given anew when the session's client starts anew. */
export class FileChangedError extends AppError {
  readonly code = 'file_changed';
  readonly status = 412;

  constructor() {
    super('the file is not the one that If-Match names');
  }
}

/** What may help against an expired reference. */
export type RenewalAdvice = 'name_message' | 'other_session' | 'none';

const ADVICE: Readonly<Record<RenewalAdvice, string>> = {
  name_message: '; its reference may have expired: name the message that has it with chat_id and message_id',
  other_session:
    '; its reference may have expired, which a bot cannot renew: another session that has the message can give the file',
  none: '',
};

/** TDLib could not get the file from Telegram. */
export class DownloadFailedError extends AppError {
  readonly code = 'download_failed';
  readonly status = 502;

  constructor(reason: string, advice: RenewalAdvice, cause?: unknown) {
    super(`Telegram did not give the file: ${reason}${ADVICE[advice]}`, { cause });
  }
}

/** Nothing of the file has come for too long. */
export class DownloadStalledError extends AppError {
  readonly code = 'download_stalled';
  readonly status = 504;

  constructor(stallMs: number, cause: string | undefined) {
    super(`nothing of the file came for ${stallMs / 1000} s: ${cause ?? 'Telegram does not answer'}`);
  }
}

/** The file on the disk is not what TDLib says it is: it was changed or removed while it was read. */
export class FileDamagedError extends AppError {
  readonly code = 'file_damaged';
  readonly status = 502;

  constructor() {
    super('the file was changed on the disk while it was read');
  }
}

/** Nobody reads the file any more. */
export class DownloadClosedError extends AppError {
  readonly code = 'download_closed';
  readonly status = 499;

  constructor() {
    super('nobody reads the file any more');
  }
}
