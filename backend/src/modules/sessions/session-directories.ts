import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { codeOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import { BINLOGS } from '../../telegram/index.js';
import { type SaveOccasion, SessionStates } from '../states/index.js';
import { SessionDirectoryMissingError } from './sessions.errors.js';
import type { Lease } from './sessions.repository.js';

/** The folders of the sessions on this worker's disk: TDLib's databases, its files, and the journal of the sends. */
@Injectable()
export class SessionDirectories {
  private readonly logger: AppLogger;

  constructor(
    private readonly config: AppConfig,
    private readonly states: SessionStates,
    logger: AppLogger,
  ) {
    this.logger = logger.for(SessionDirectories.name);
  }

  /** Whether a folder that is not here is nowhere: no other process has sessions. A worker cannot know that of its peers. */
  get isAlone(): boolean {
    return this.config.role === 'all';
  }

  of(id: string): string {
    return join(this.config.dataDir, 'sessions', id);
  }

  /** Where TDLib keeps the session; both folders exist afterwards. */
  async make(id: string): Promise<{ readonly database: string; readonly files: string }> {
    const database = join(this.of(id), 'db');
    const files = join(this.of(id), 'files');
    await mkdir(database, { recursive: true, mode: 0o700 });
    await mkdir(files, { recursive: true, mode: 0o700 });
    return { database, files };
  }

  /** What TDLib's databases of the session take on the disk, in bytes. */
  async databaseBytes(id: string): Promise<number> {
    const database = join(this.of(id), 'db');
    // SQLite makes and removes its journals as it goes.
    const sizes = (await readdir(database)).map((name) =>
      lstat(join(database, name)).then(
        (entry) => (entry.isFile() ? entry.size : 0),
        () => 0,
      ),
    );
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }

  /** Whether TDLib has a database for the session here. */
  async hasDatabase(id: string): Promise<boolean> {
    const names = await readdir(join(this.of(id), 'db')).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') {
        return [];
      }
      throw error;
    });
    return names.some((name) => BINLOGS.includes(name));
  }

  /**
   * A session that exists has a database, here or in STATE_STORE, from where it comes when that is newer; TDLib would make an empty
   * one in its place and ask for a login.
   * @throws SessionDirectoryMissingError; BlobStoreError and others when it is in the store and does not come
   */
  async requireDatabase(lease: Lease): Promise<void> {
    const database = join(this.of(lease.sessionId), 'db');
    if (!(await this.states.bring(lease, database, await this.hasDatabase(lease.sessionId)))) {
      throw new SessionDirectoryMissingError(database);
    }
  }

  /** Puts the database into STATE_STORE, where there is one; what does not succeed is logged, and done at the next occasion. */
  async save(lease: Lease, occasion: SaveOccasion): Promise<void> {
    const { sessionId } = lease;
    try {
      const isSaved = await this.states.save(lease, join(this.of(sessionId), 'db'), occasion);
      if (!isSaved && occasion !== 'running') this.logger.warn('the state of a session was not saved', { sessionId });
    } catch (error) {
      this.logger.failure('the state of a session was not saved', error, { sessionId });
    }
  }

  /** What cannot be removed stays and is logged: the session itself is gone already. */
  async remove(id: string): Promise<void> {
    try {
      await rm(this.of(id), { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      this.logger.failure('the directory of a removed session stays', error, { sessionId: id });
    }
    await this.states.remove(id);
  }
}
