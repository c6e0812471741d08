import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { AppError, messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { PartUploadNotFoundError } from './bot-pool.errors.js';
import { ChunkFiles } from './chunk-files.js';
import { PoolEventsRepository } from './events/pool-events.repository.js';
import { ObjectsRepository } from './objects.repository.js';
import { ObjectsService } from './objects.service.js';
import { PoolKeys } from './pool-keys.js';
import { ResumableEnds } from './resumable-ends.js';
import { type ClaimedChunk, ResumablesRepository, type UploadFailure } from './resumables.repository.js';
import { type Slice, Spool } from './spool.js';
import type { Blob } from './stored-object.js';
import { UploadsRepository } from './uploads.repository.js';

/** Chunks that one process has on their way at once. */
const AT_ONCE = 32;
/** How often it looks for chunks that nobody sends, as those of a process that has died. */
const LOOK_MS = 1_000;
const RENEW_MS = 5_000;
/** A pause after a failure, doubled with each; bots that were put aside and a pool without a worker come back. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const SWEEP_MS = 60_000;
/** An upload that nobody has touched for so long is nobody's: its messages can be deleted for 48 hours only. */
export const ABANDONED_MS = 24 * 3_600_000;
/** The file of an upload is a moment older than its row. */
const LEFT_FILE_MS = 3_600_000;
/** Messages that repeat every second tell nothing new. */
const WARN_EVERY_MS = 60_000;

/**
 * Sends the chunks of resumable uploads that lie on the disk, whoever has received them: each is one process's at a time, and
 * another's when that has died. A send that fails is made again for as long as the upload is there.
 */
@Injectable()
export class ChunkSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger: AppLogger;
  private readonly id = randomUUID();
  private readonly stopping = new AbortController();
  private readonly running = new Map<ClaimedChunk, { readonly abort: AbortController; readonly done: Promise<void> }>();
  private working: Promise<void> = Promise.resolve();
  private wakeUp: () => void = () => undefined;
  private renewedAt = -Infinity;
  private sweptAt = -Infinity;
  private warnedAt = -Infinity;

  constructor(
    private readonly repository: ResumablesRepository,
    private readonly uploads: UploadsRepository,
    private readonly objects: ObjectsRepository,
    private readonly service: ObjectsService,
    private readonly ends: ResumableEnds,
    private readonly files: ChunkFiles,
    private readonly keys: PoolKeys,
    private readonly spool: Spool,
    private readonly events: PoolEventsRepository,
    private readonly unitOfWork: UnitOfWork,
    logger: AppLogger,
  ) {
    this.logger = logger.for(ChunkSender.name);
  }

  onApplicationBootstrap(): void {
    this.working = this.work();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.working;
    for (const { abort } of this.running.values()) abort.abort();
    await Promise.all([...this.running.values()].map(({ done }) => done));
    await this.repository.releaseAll(this.id).catch((error: unknown) => this.warn(error));
  }

  /** There is a new chunk. */
  wake(): void {
    this.wakeUp();
  }

  /** Takes back what this process sends of an upload that is given up. */
  giveUp(uploadId: string): void {
    for (const [chunk, { abort }] of this.running) if (chunk.uploadId === uploadId) abort.abort();
  }

  /** Gives up what is abandoned, and removes files that no upload has. */
  async sweep(): Promise<void> {
    for (const { poolId, id } of await this.repository.abandoned(ABANDONED_MS)) await this.ends.abort(poolId, id);
    const old = await this.files.olderThan(LEFT_FILE_MS);
    for (const name of await this.repository.unknownFiles(old)) await this.files.remove(name);
  }

  private async work(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => (this.wakeUp = resolve));
      try {
        await this.look();
      } catch (error) {
        this.warn(error);
      }
      const pause = new AbortController();
      await Promise.race([woken, sleep(LOOK_MS, undefined, { signal: pause.signal }).catch(() => undefined)]);
      pause.abort();
    }
  }

  private async look(): Promise<void> {
    const now = performance.now();
    if (now - this.renewedAt > RENEW_MS) {
      if (this.running.size > 0) await this.repository.renew(this.id, [...this.running.keys()]);
      this.renewedAt = now;
    }
    const free = AT_ONCE - this.running.size;
    if (free > 0) for (const chunk of await this.repository.claim(this.id, free)) this.start(chunk);
    for (const { poolId, id } of await this.repository.ripe()) {
      // What keeps it from being an object is noted with it.
      await this.ends.finish(poolId, id).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      });
    }
    if (now - this.sweptAt > SWEEP_MS) {
      this.sweptAt = now;
      await this.sweep();
    }
  }

  private start(chunk: ClaimedChunk): void {
    const abort = new AbortController();
    const done = this.send(chunk, abort.signal)
      .catch((error: unknown) => this.warn(error))
      .finally(() => {
        this.running.delete(chunk);
        this.wake();
      });
    this.running.set(chunk, { abort, done });
  }

  private async send(chunk: ClaimedChunk, signal: AbortSignal): Promise<void> {
    const { poolId, ownerId, uploadId, fileName, sizeBytes } = chunk;
    let blob: Blob;
    try {
      if ((await this.files.sizeOf(fileName)) !== sizeBytes) throw new ChunkLostError();
      blob = await this.service.storeSlice(poolId, await this.sliceOf(chunk), { ownerId, objectId: uploadId }, signal);
    } catch (error) {
      if (signal.aborted) return;
      const afterMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(chunk.failures, 10));
      const failure = failureOf(error);
      await this.repository.release(chunk, afterMs, failure);
      if (failure.isFinal) {
        const { code, message } = failure;
        await this.events.add(poolId, [{ type: 'upload.failed', data: { upload_id: uploadId, code, message } }]);
      }
      return;
    }
    if (await this.keep(chunk, blob)) await this.files.remove(fileName);
    else await this.service.erase(poolId, [blob]);
  }

  /** The chunk's file; where the pool encrypts, another one. */
  private async sliceOf({ poolId, fileName, sizeBytes, sha256 }: ClaimedChunk): Promise<Slice> {
    const path = this.files.pathOf(fileName);
    const key = await this.keys.ofNew(poolId);
    if (key !== undefined) return this.spool.seal(path, sizeBytes, key);
    return { path, sizeBytes, sha256, sealHead: undefined, release: () => Promise.resolve() };
  }

  /** @returns false when the upload is gone, or somebody else was sooner */
  private async keep(chunk: ClaimedChunk, blob: Blob): Promise<boolean> {
    const { poolId, uploadId, number, sizeBytes, md5: etag } = chunk;
    const extents = [{ blob, offset: 0, sizeBytes }];
    try {
      return await this.unitOfWork.run(async () => {
        await this.objects.lockPool(poolId);
        await this.repository.find(poolId, uploadId);
        if (!(await this.repository.chunkStored(chunk))) return false;
        await this.uploads.putPart(uploadId, { number, sizeBytes, etag }, extents);
        return true;
      });
    } catch (error) {
      if (error instanceof PartUploadNotFoundError) return false;
      throw error;
    }
  }

  private warn(error: unknown): void {
    if (performance.now() - this.warnedAt < WARN_EVERY_MS) return;
    this.warnedAt = performance.now();
    this.logger.warn(`chunks of uploads wait: ${messageOf(error)}`);
  }
}

/** Its file is gone from the disk, or is another one. */
class ChunkLostError extends Error {
  constructor() {
    super('bytes that had come are not on the disk any more');
  }
}

function failureOf(error: unknown): UploadFailure {
  if (error instanceof ChunkLostError) return { code: 'upload_lost', message: error.message, isFinal: true };
  if (!(error instanceof AppError)) return { code: 'internal_error', message: 'internal error', isFinal: false };
  return { code: error.code, message: error.message, isFinal: error.code === 'part_refused' };
}
