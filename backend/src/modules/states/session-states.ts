import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { type BlobStore, openBlobStore } from '../../common/blobs/index.js';
import { SecretBox } from '../../common/crypto/secret-box.js';
import { DeadlineError, NoLiveWorkerError } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig, volumeOf } from '../../config/index.js';
import { copyDatabase, type CopyOptions, markOf } from './database-copy.js';
import { openSnapshot, prefixOf, putSnapshot } from './stored-snapshots.js';
import { packFolder, SnapshotDamagedError, unpackFolder } from './snapshot.js';
import { type StateLease, StatesRepository, type StoredSnapshot } from './states.repository.js';

/** How many snapshots are made, and how many are restored, at the same time. */
const SAVES_AT_ONCE = 2;
const URGENT_SAVES_AT_ONCE = 8;
const RESTORES_AT_ONCE = 8;
/** A server that never ends must not keep a session from another try. */
const TRANSFER_TIMEOUT_MS = 60_000;
/** Who waits for a login or the end of a worker waits no longer. */
const URGENT_TIMEOUT_MS = 10_000;
/** Older ones than the newest that stay: what one is restored from just now must not vanish. */
const KEPT = 1;
/** How many old ones are removed after a save. */
const PRUNED_AT_ONCE = 20;

/** How the names of snapshots begin that are being made. */
const HALF = 'snapshot.';

/** When a session is saved. */
export type SaveOccasion =
  /** It has just logged in: what there is of it must not be lost again. */
  | 'login'
  /** It goes on. */
  | 'running'
  /** Its client is closed. */
  | 'closed';

const HOW: Readonly<Record<SaveOccasion, CopyOptions>> = {
  login: { orBinlog: true, patienceMs: 2_000 },
  running: { orBinlog: false, patienceMs: 2_000 },
  closed: { orBinlog: false, patienceMs: 2_000 },
};

/**
 * The databases of sessions in STATE_STORE, for workers that share no disk. A snapshot is put under a name of its own; it is the newest
 * when the registry's row says so, which changes under the worker's lease only. The row also says which DATA_DIR had the session last:
 * a folder of another one is old, and replaced.
 */
@Injectable()
export class SessionStates {
  private readonly logger: AppLogger;
  private readonly store: BlobStore | undefined;
  private readonly saves = pLimit(SAVES_AT_ONCE);
  private readonly urgentSaves = pLimit(URGENT_SAVES_AT_ONCE);
  private readonly restores = pLimit(RESTORES_AT_ONCE);
  private readonly saving = new Map<string, Promise<unknown>>();
  /** What was saved of a session last, by its lease. */
  private readonly saved = new Map<string, { readonly epoch: number; readonly mark: string; readonly at: number }>();

  constructor(
    private readonly config: AppConfig,
    private readonly repository: StatesRepository,
    private readonly box: SecretBox,
    logger: AppLogger,
  ) {
    this.logger = logger.for(SessionStates.name);
    const { store } = config.states;
    this.store = store && openBlobStore(store);
  }

  /** Whether there is a store at all; without one all workers share a volume. */
  get isOn(): boolean {
    return this.store !== undefined;
  }

  /**
   * Makes the newest state of a session lie in `database`, before it is opened there.
   * @param hasDatabase whether the folder has a database now
   * @returns whether there is one now
   * @throws BlobStoreError, MasterKeyMismatchError, SnapshotDamagedError when it is in the store and does not come
   */
  async bring(lease: StateLease, database: string, hasDatabase: boolean): Promise<boolean> {
    if (this.store === undefined) return hasDatabase;
    const home = volumeOf(this.config.dataDir);
    const newest = await this.repository.find(lease.sessionId);
    const isNewest = hasDatabase && (newest === undefined || newest.home === null || newest.home === home);
    if (!isNewest) {
      if (newest?.key == null) return false;
      const { key } = newest;
      await this.restores(() => this.restore(lease, key, database));
    }
    await this.clear(lease.sessionId);
    // From the moment it is opened here every other folder is old.
    if (!(await this.repository.settle(lease, home))) {
      throw new NoLiveWorkerError('the session was claimed by another worker');
    }
    // Not all at once after a start; what was never saved is due at once.
    const at = newest?.key == null ? 0 : Date.now() - Math.random() * this.config.states.saveEveryMs;
    this.saved.set(lease.sessionId, { epoch: lease.epoch, mark: isNewest ? '' : await markOf(database), at });
    return true;
  }

  /** Whether it is time to save a session that goes on. */
  isDue({ sessionId, epoch }: StateLease): boolean {
    if (this.store === undefined) return false;
    const last = this.saved.get(sessionId);
    return last?.epoch !== epoch || Date.now() - last.at >= this.config.states.saveEveryMs;
  }

  /**
   * Puts the state of a session into the store, unless it is there already.
   * @returns false when it could not be copied whole, or is another worker's by now
   * @throws BlobStoreError
   */
  async save(lease: StateLease, database: string, occasion: SaveOccasion): Promise<boolean> {
    const { store } = this;
    if (store === undefined) return true;
    const { sessionId } = lease;
    // One after the other: the last one that was asked for has to be the newest.
    const before = this.saving.get(sessionId) ?? Promise.resolve();
    const turns = occasion === 'running' ? this.saves : this.urgentSaves;
    const mine = before.catch(() => undefined).then(() => turns(() => this.saveNow(store, lease, database, occasion)));
    this.saving.set(sessionId, mine);
    try {
      return await mine;
    } finally {
      if (this.saving.get(sessionId) === mine) this.saving.delete(sessionId);
    }
  }

  /** Removes all snapshots of a session that is gone. What cannot be removed stays and is logged. */
  async remove(sessionId: string): Promise<void> {
    this.saved.delete(sessionId);
    if (this.store === undefined) return;
    try {
      for (const key of await this.store.list(prefixOf(sessionId))) await this.store.remove(key);
    } catch (error) {
      this.logger.failure('snapshots of a removed session stay in the store', error, { sessionId });
    }
  }

  private async saveNow(
    store: BlobStore,
    lease: StateLease,
    database: string,
    occasion: SaveOccasion,
  ): Promise<boolean> {
    const { sessionId, epoch } = lease;
    const last = this.saved.get(sessionId);
    if (occasion !== 'login' && last?.epoch === epoch && last.mark === (await markOf(database))) {
      // Nothing has changed, and the newest snapshot may still be that of a former holder.
      this.saved.set(sessionId, { ...last, at: Date.now() });
      return true;
    }
    const half = join(this.folderOf(sessionId), `${HALF}${randomBytes(4).toString('hex')}`);
    try {
      const copy = await copyDatabase(database, `${half}.db`, HOW[occasion]);
      if (copy === undefined) return false;
      const timeoutMs = occasion === 'running' ? TRANSFER_TIMEOUT_MS : URGENT_TIMEOUT_MS;
      const putting = putSnapshot(store, this.box, lease, packFolder(`${half}.db`), half);
      const stored = await inTime('saving the state of a session', timeoutMs, putting);
      const snapshot: StoredSnapshot = { ...stored, isWhole: copy.isWhole };
      if (!(await this.repository.point(lease, volumeOf(this.config.dataDir), snapshot))) return false;
      this.saved.set(sessionId, { epoch, mark: copy.mark, at: Date.now() });
      await this.prune(store, lease, snapshot.key);
      return true;
    } finally {
      await rm(half, { force: true });
      await rm(`${half}.db`, { recursive: true, force: true });
    }
  }

  /** Keys sort by epoch: one that a later holder has put there, and not pointed to yet, is never among the older ones. */
  private async prune(store: BlobStore, { sessionId }: StateLease, newest: string): Promise<void> {
    try {
      const older = (await store.list(prefixOf(sessionId))).filter((key) => key < newest);
      for (const key of older.slice(0, Math.max(0, older.length - KEPT)).slice(0, PRUNED_AT_ONCE)) {
        await store.remove(key);
      }
    } catch (error) {
      this.logger.failure('old snapshots of a session stay in the store', error, { sessionId });
    }
  }

  private async restore({ sessionId }: StateLease, key: string, database: string): Promise<void> {
    const snapshot = await openSnapshot(this.requireStore(), this.box, sessionId, key);
    if (snapshot === undefined) {
      throw new SnapshotDamagedError(`the snapshot of the session is not in the store: ${key}`);
    }
    await mkdir(database, { recursive: true, mode: 0o700 });
    await inTime('restoring the state of a session', TRANSFER_TIMEOUT_MS, unpackFolder(snapshot, database));
    this.logger.info('the state of a session was restored from the store', { sessionId, key });
  }

  /** Snapshots that a killed process was making. */
  private async clear(sessionId: string): Promise<void> {
    const folder = this.folderOf(sessionId);
    for (const name of await readdir(folder)) {
      if (name.startsWith(HALF)) await rm(join(folder, name), { recursive: true, force: true });
    }
  }

  private folderOf(sessionId: string): string {
    return join(this.config.dataDir, 'sessions', sessionId);
  }

  private requireStore(): BlobStore {
    if (this.store === undefined) throw new Error('there is no STATE_STORE');
    return this.store;
  }
}

async function inTime<T>(what: string, timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(what, timeoutMs)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
