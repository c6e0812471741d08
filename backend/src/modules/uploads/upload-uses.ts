import { randomUUID } from 'node:crypto';
import { realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Injectable } from '@nestjs/common';
import { codeOf, messageOf, PathDeniedError } from '../../common/errors/index.js';
import type { Caller } from '../../common/http/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { isUploadId, readRecord, sizeOf } from './upload-folder.js';
import { MARK_PREFIX, readMarks, type UseMark } from './upload-marks.js';
import { mayUse, UploadStore } from './upload-store.js';
import { UploadIncompleteError } from './uploads.errors.js';

/** A message on its way, as the tracking of sends knows it. Its id is unique over sessions, chats and restarts. */
export interface FollowedSend {
  readonly id: string;
  readonly isPending: boolean;
  /** Also called when the session closes with the send still pending. */
  onDecided(listener: () => void): () => void;
}

/**
 * Uploads that calls use. A call marks the folders it names before TDLib gets it; a folder is removed when every message of every
 * call that names it has arrived or failed. The marks lie in the folders, so that another worker, and this one after its death,
 * leaves alone what TDLib may still read.
 */
@Injectable()
export class UploadUses {
  private readonly logger: AppLogger;
  /** How many calls of this process use a folder. */
  private readonly users = new Map<string, number>();
  private readonly uses = new Set<UploadUse>();

  constructor(
    private readonly store: UploadStore,
    logger: AppLogger,
  ) {
    this.logger = logger.for(UploadUses.name);
  }

  /** Whether a call of this process uses the upload. */
  isUsed(id: string): boolean {
    return this.users.has(id);
  }

  /** The uploads that calls of a session in this process use, and what they take. */
  async takenBy(sessionId: string): Promise<{ readonly bytes: number; readonly count: number }> {
    const ids = new Set([...this.uses].flatMap((use) => (use.sessionId === sessionId ? use.ids : [])));
    const found = await Promise.all([...ids].map((id) => this.store.bytesOf(id)));
    const sizes = found.filter((bytes) => bytes !== undefined);
    return { bytes: sizes.reduce((sum, bytes) => sum + bytes, 0), count: sizes.length };
  }

  /**
   * Marks what a call is about to use.
   * @param paths normal and inside the folder of uploads, as td-query.ts has made sure
   * @param caller undefined for what the product does by itself
   * @throws PathDeniedError unless each is an upload of the caller, as it was made, and no link
   * @throws UploadIncompleteError for one whose bytes are not all there
   */
  async begin(sessionId: string, paths: readonly string[], caller: Caller | undefined): Promise<UploadUse> {
    const ids = new Set<string>();
    for (const path of new Set(paths)) {
      ids.add(await this.requireOwn(path, caller));
    }
    const mark = `${MARK_PREFIX}${randomUUID()}`;
    const use = new UploadUse(this, sessionId, [...ids], mark);
    this.uses.add(use);
    for (const id of ids) {
      this.users.set(id, (this.users.get(id) ?? 0) + 1);
    }
    try {
      await use.write([]);
    } catch (error) {
      await use.refused();
      throw codeOf(error) === 'ENOENT' ? new PathDeniedError('the upload is gone') : error;
    }
    return use;
  }

  /** For {@link UploadUse}: the call does not need the folders any more. */
  async end(use: UploadUse, mark: string, isUsedUp: boolean): Promise<void> {
    this.uses.delete(use);
    for (const id of use.ids) {
      const left = (this.users.get(id) ?? 1) - 1;
      if (left > 0) this.users.set(id, left);
      else this.users.delete(id);
      const folder = this.store.folderOf(id);
      try {
        await rm(join(folder, mark), { force: true });
        if (isUsedUp && left <= 0 && (await readMarks(folder)).size === 0) {
          await this.store.discard(id);
        } else if (!isUsedUp) {
          // The time to live counts from the last use.
          await utimes(folder, new Date(), new Date());
        }
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') {
          this.logger.warn(`an upload was not cleared, the sweep will do it: ${messageOf(error)}`, { uploadId: id });
        }
      }
    }
  }

  /** The client closed before it was known what became of the messages: the marks stay, and the sweep follows them up. */
  leave(use: UploadUse): void {
    this.uses.delete(use);
    for (const id of use.ids) {
      const left = (this.users.get(id) ?? 1) - 1;
      if (left > 0) this.users.set(id, left);
      else this.users.delete(id);
    }
  }

  /** For {@link UploadUse}. */
  async write(ids: readonly string[], name: string, mark: UseMark): Promise<void> {
    for (const id of ids) {
      await writeFile(join(this.store.folderOf(id), name), JSON.stringify(mark), { mode: 0o600 });
    }
  }

  warn(message: string, sessionId: string): void {
    this.logger.warn(message, { sessionId });
  }

  private async requireOwn(path: string, caller: Caller | undefined): Promise<string> {
    const [id, name, ...more] = relative(this.store.root, path).split(sep);
    if (id === undefined || name === undefined || more.length > 0 || !isUploadId(id)) {
      throw new PathDeniedError('inputFileLocal is no upload');
    }
    const folder = this.store.folderOf(id);
    const record = await readRecord(folder);
    if (record === undefined) {
      // Ids cannot be guessed, and what is not there belongs to nobody: this tells nothing of others' uploads.
      throw new PathDeniedError('the upload is gone: an upload serves once, and unused ones expire');
    }
    if (record.name !== name || (caller !== undefined && !mayUse(caller, record))) {
      throw new PathDeniedError('inputFileLocal is no upload of the caller');
    }
    const size = await sizeOf(folder, name);
    if (size === undefined || (await realpath(path)) !== join(await realpath(this.store.root), id, name)) {
      throw new PathDeniedError('inputFileLocal is no upload');
    }
    if (size !== record.length) {
      throw new UploadIncompleteError(size, record.length);
    }
    return id;
  }
}

/** One call's use of uploads: exactly one of its ends is told. */
export class UploadUse {
  private isOver = false;
  private writing: Promise<void> = Promise.resolve();

  /** Only UploadUses makes them. */
  constructor(
    private readonly uses: UploadUses,
    readonly sessionId: string,
    readonly ids: readonly string[],
    private readonly mark: string,
  ) {}

  /** TDLib refused the call: nothing was taken, and the uploads may be used again. */
  async refused(): Promise<void> {
    await this.end(false);
  }

  /**
   * TDLib has answered. Without sends, as for a profile photo, the uploads are left to their time to live. An outcome may have
   * come already.
   */
  answered(sends: readonly FollowedSend[]): void {
    if (sends.length === 0) {
      void this.end(false);
      return;
    }
    void this.write(sends.map(({ id }) => id)).catch((error: unknown) => {
      this.uses.warn(`the mark of a send was not written: ${messageOf(error)}`, this.sessionId);
    });
    let left = sends.length;
    const decided = (): void => {
      left -= 1;
      if (left > 0) return;
      if (sends.some(({ isPending }) => isPending)) this.leave();
      else void this.end(true);
    };
    for (const send of sends) {
      if (send.isPending) send.onDecided(decided);
      else decided();
    }
  }

  /** Nobody learns what became of the call: its client is closed. TDLib may have kept its messages and send them later. */
  leave(): void {
    if (!this.isOver) {
      this.isOver = true;
      this.uses.leave(this);
    }
  }

  /** For UploadUses. */
  async write(sends: readonly string[]): Promise<void> {
    this.writing = this.writing.then(() =>
      this.uses.write(this.ids, this.mark, { sessionId: this.sessionId, since: Date.now(), sends }),
    );
    await this.writing;
  }

  private async end(isUsedUp: boolean): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    // A mark that is still being written would stay behind.
    await this.writing.catch(() => undefined);
    await this.uses.end(this, this.mark, isUsedUp);
  }
}
