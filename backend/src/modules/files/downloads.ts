import type { Readable } from 'node:stream';
import type { Departure } from '../../telegram/index.js';
import type { SessionKind } from '../sessions/index.js';
import type { DownloadHeaders } from './download-request.js';

/** Which file of which session. */
export interface FileName {
  readonly kind: SessionKind;
  readonly id: string;
  /** TDLib's number in this session; 0 when only `remoteId` names it. */
  readonly fileId: number;
  readonly remoteId?: string | undefined;
  /** The message that has the file: TDLib gets a new reference there when its own has expired. */
  readonly message?: { readonly chatId: number; readonly messageId: number } | undefined;
}

/** A download as it is asked for. */
export interface DownloadRequest extends FileName {
  readonly headers: DownloadHeaders;
  /** Only the headers of the answer are wanted. */
  readonly isHead: boolean;
  /** Leaves while nothing is answered yet. */
  readonly caller?: Departure;
}

/** The answer to a download, ready to be sent. */
export interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Has its first bytes already; absent when there is nothing to send. Destroyed, it takes the download back. */
  readonly body: Readable | undefined;
  /** TDLib's number of the file. */
  readonly fileId: number;
}

/** Files of sessions, wherever the sessions are. */
export abstract class Downloads {
  /**
   * @throws NotFoundError, KindMismatchError, SessionNotReadyError, NoLiveWorkerError, TdlibError, FileChangedError,
   *   RangeNotSatisfiableError, DownloadFailedError, DownloadStalledError
   */
  abstract open(request: DownloadRequest): Promise<FileAnswer>;

  /** Removes TDLib's copy of a file from the disk, once nobody reads it. */
  abstract forget(file: FileName): Promise<void>;
}

/** The header in which a worker tells a gateway the file's number. */
export const FILE_ID_HEADER = 'x-tgcontrol-file-id';
