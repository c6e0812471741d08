import type { SessionKind } from '../sessions/index.js';
import type { OptimizeStorageDto, SessionStorageDto, StorageOptimizedDto, WorkerStorageDto } from './storage.dto.js';

/** A session by its path. */
export interface SessionName {
  readonly kind: SessionKind;
  readonly id: string;
}

/** How long the disk work of one session may take before the caller is told that it goes on without him. */
export const STORAGE_TIMEOUT_MS = 60_000;

/** What sessions have on the disk, wherever the sessions are. */
export abstract class Storage {
  /**
   * @param isByType whether every file is looked at
   * @throws NotFoundError, KindMismatchError, SessionNotReadyError, NoLiveWorkerError, DeadlineError
   */
  abstract ofSession(session: SessionName, isByType: boolean): Promise<SessionStorageDto>;

  /**
   * Removes files that TDLib can get from Telegram again; never what is being downloaded or read. A worker does this for one
   * session at a time.
   * @throws NotFoundError, KindMismatchError, SessionNotReadyError, NoLiveWorkerError, DeadlineError
   */
  abstract optimize(session: SessionName, limits: OptimizeStorageDto): Promise<StorageOptimizedDto>;

  /** The disks of all workers; one that does not answer says so in its place. */
  abstract ofWorkers(): Promise<WorkerStorageDto[]>;
}
