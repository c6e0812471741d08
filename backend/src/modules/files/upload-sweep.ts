import { opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { codeOf, messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import { SendOutcomes } from '../sessions/index.js';
import {
  changedAt,
  isFolderLocked,
  isUploadId,
  lastTouched,
  readMarks,
  UploadStore,
  UploadUses,
} from '../uploads/index.js';

const SWEEP_MS = 10 * 60_000;
/** How many folders are looked at at the same time. */
const AT_ONCE = 16;
/** A call that its worker's death cut off may be sent by the session's next client: its uploads are kept so long. */
const UNANSWERED_MS = 24 * 3_600_000;
/** Sends come to the database in batches, a moment after they are marked. */
const UNWRITTEN_MS = 60_000;
/** Folders that a process died over while it removed them. */
const REMOVED = /^\.removed-/;

/**
 * Removes uploads that nobody has touched for UPLOAD_TTL, and those whose messages have arrived while nobody followed them. What
 * is being written, and what a call uses, stays.
 */
@Injectable()
export class UploadSweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger: AppLogger;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<number> | undefined;
  private isStopped = false;

  constructor(
    private readonly config: AppConfig,
    private readonly store: UploadStore,
    private readonly uses: UploadUses,
    private readonly outcomes: SendOutcomes,
    logger: AppLogger,
  ) {
    this.logger = logger.for(UploadSweep.name);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
    void this.sweep();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** One pass at a time; never fails. @param now Unix milliseconds @returns how many uploads were removed */
  sweep(now = Date.now()): Promise<number> {
    this.running ??= this.pass(now)
      .catch((error: unknown) => {
        this.logger.warn(`uploads were not swept: ${messageOf(error)}`);
        return 0;
      })
      .finally(() => {
        this.running = undefined;
      });
    return this.running;
  }

  private async pass(now: number): Promise<number> {
    let removed = 0;
    let directory;
    try {
      directory = await opendir(this.store.root);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return 0;
      throw error;
    }
    let batch: Promise<number>[] = [];
    const counted = async (): Promise<void> => {
      for (const count of await Promise.all(batch)) removed += count;
      batch = [];
    };
    for await (const { name } of directory) {
      if (this.isStopped) break;
      batch.push(this.look(name, now));
      if (batch.length === AT_ONCE) await counted();
    }
    await counted();
    if (removed > 0) this.logger.info('removed uploads that nobody needs any more', { count: removed });
    return removed;
  }

  /** @returns how many uploads this was */
  private async look(name: string, now: number): Promise<number> {
    const path = join(this.store.root, name);
    if (REMOVED.test(name)) {
      if (now - (await changedAt(path)) > this.config.uploads.ttlMs) await rm(path, { recursive: true, force: true });
    } else if (isUploadId(name) && (await this.isOver(name, path, now))) {
      await this.store.discard(name);
      return 1;
    }
    return 0;
  }

  private async isOver(id: string, folder: string, now: number): Promise<boolean> {
    if (this.uses.isUsed(id)) return false;
    try {
      const marks = await readMarks(folder);
      if (marks.size > 0) return await this.isUsedUp(folder, marks, now);
      if (now - (await lastTouched(folder)) <= this.config.uploads.ttlMs || (await isFolderLocked(folder)))
        return false;
      // A call may have begun to use it while we looked.
      return !this.uses.isUsed(id) && (await readMarks(folder)).size === 0;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /** Whether all messages that carried it are decided. */
  private async isUsedUp(folder: string, marks: Awaited<ReturnType<typeof readMarks>>, now: number): Promise<boolean> {
    let left = marks.size;
    for (const [name, { since, sends }] of marks) {
      if (sends.length === 0) {
        if (now - since <= UNANSWERED_MS) continue;
      } else if (now - since <= UNWRITTEN_MS || (await this.outcomes.isAnyPending(sends))) {
        continue;
      }
      await rm(join(folder, name), { force: true });
      left -= 1;
    }
    return left === 0;
  }
}
