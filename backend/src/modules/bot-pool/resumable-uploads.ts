import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { plainSize } from '../../common/crypto/sealed-stream.js';
import { codeOf } from '../../common/errors/index.js';
import {
  DiskFullError,
  UploadBusyError,
  UploadCompleteError,
  UploadCutError,
  UploadIncompleteError,
  UploadOffsetError,
  UploadTooLargeError,
} from '../uploads/index.js';
import { SpoolFullError, UploadFailedError } from './bot-pool.errors.js';
import { type ChunkFile, ChunkFiles, emptyHash } from './chunk-files.js';
import { ChunkSender } from './chunk-sender.js';
import { PoolSaturatedError } from './dispatcher/dispatcher.errors.js';
import { PoolEventsRepository } from './events/pool-events.repository.js';
import { ObjectsRepository } from './objects.repository.js';
import { ResumableEnds } from './resumable-ends.js';
import { type Completion, type Progress, type Resumable, ResumablesRepository } from './resumables.repository.js';
import type { Bucket, Description, ObjectRow } from './stored-object.js';
import { UploadsRepository } from './uploads.repository.js';

/** Uploads of one pool that may be under way at once. */
const MAX_UPLOADS = 1_000;
/** Chunks of one upload that may lie on the disk before more of its body is read. */
const MAX_CHUNKS_WAITING = 16;
/** What all uploads may have on the disk at once. */
const DISK_BYTES = 4 * 1024 ** 3;
const POLL_MS = 200;
/** How long a body is not read while bots are behind. */
const ROOM_MS = 15 * 60_000;
/** A writer that is silent for so long may be one whose connection is gone: whoever comes next takes its place. */
const SILENT_MS = 1_000;
const RENEW_MS = 5_000;
/** How long a writer has to say that it still is, once another one waits; what lives says so within `RENEW_MS`. */
const DOUBTED_MS = 7_000;
/** How long a request waits for another one that writes the same upload, also for one whose process has died. */
const BUSY_MS = DOUBTED_MS + 1_000;
const RETRY_AFTER_MS = 10_000;

/** What an upload is begun with. */
export interface NewResumable {
  readonly key: string;
  readonly description: Description;
  /** Whose parts they will be among those that wait for bots. */
  readonly ownerId: string;
  readonly lengthBytes: number | undefined;
}

/** A stretch of a body, where the upload ends. */
export interface Appended {
  readonly offset: number;
  /** Read no faster than it is written, and not while bots are far behind. */
  readonly body: AsyncIterable<Buffer>;
  /** How many bytes it has, where that is known before. */
  readonly sizeBytes: number | undefined;
}

/** Whoever writes an upload in this process. */
interface Writer {
  readonly id: string;
  readonly silenced: AbortController;
  lastByteAt: number;
}

/**
 * Uploads into pools that go on after a cut. What has come is on the disk that all processes share, and leaves for the bots chunk by
 * chunk while the rest comes; whatever process or client dies, the next one goes on.
 */
@Injectable()
export class ResumableUploads {
  private readonly writers = new Map<string, Writer>();

  constructor(
    private readonly repository: ResumablesRepository,
    private readonly uploads: UploadsRepository,
    private readonly objects: ObjectsRepository,
    private readonly files: ChunkFiles,
    private readonly sender: ChunkSender,
    private readonly ends: ResumableEnds,
    private readonly events: PoolEventsRepository,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws PoolSaturatedError when too many are under way, DiskFullError */
  async begin(bucket: Bucket, { key, description, ownerId, lengthBytes }: NewResumable): Promise<Resumable> {
    if ((await this.repository.count(bucket.poolId)) >= MAX_UPLOADS) {
      throw new PoolSaturatedError('too many uploads into the pool are under way', RETRY_AFTER_MS);
    }
    await this.files.requireSpace(0);
    const hashState = await emptyHash();
    const id = await this.unitOfWork.run(async () => {
      const made = await this.uploads.create(bucket, key, description, 'resumable');
      const chunkBytes = bucket.isEncrypted ? plainSize(bucket.chunkBytes) : bucket.chunkBytes;
      await this.repository.create(made, {
        ownerId,
        chunkBytes,
        lengthBytes,
        tailName: this.files.newName(),
        hashState,
      });
      await this.events.add(bucket.poolId, [{ type: 'upload.begun', data: { upload_id: made, key } }]);
      return made;
    });
    return this.repository.find(bucket.poolId, id);
  }

  /** An upload under way, or what it has become. @throws PartUploadNotFoundError */
  async find({ poolId }: Pick<Bucket, 'poolId'>, id: string): Promise<Resumable | ObjectRow> {
    const made = await this.objects.ofUpload(poolId, id);
    if (made !== undefined) return made;
    const upload = await this.repository.find(poolId, id);
    return { ...upload, ...(await this.tailOf(upload)) };
  }

  /** Those under way, the newest first. */
  list({ poolId }: Bucket, page: Parameters<ResumablesRepository['list']>[1]): Promise<readonly Resumable[]> {
    return this.repository.list(poolId, page);
  }

  /**
   * Appends what comes. What arrives of a body that breaks off is kept.
   * @throws PartUploadNotFoundError, UploadOffsetError, UploadBusyError, UploadCompleteError, UploadTooLargeError,
   *   UploadFailedError, SpoolFullError, DiskFullError, UploadCutError, RequestTimeoutError
   */
  append({ poolId }: Bucket, id: string, { offset, body, sizeBytes }: Appended): Promise<Resumable> {
    return this.exclusively(poolId, id, async (upload, writer) => {
      const { lengthBytes = Infinity, completion } = upload;
      requireOpen(upload);
      const tail = await this.tailOf(upload);
      if (tail.offsetBytes !== offset) throw new UploadOffsetError(offset, tail.offsetBytes);
      const room = lengthBytes - offset;
      if (completion !== undefined || (room === 0 && sizeBytes !== 0)) throw new UploadCompleteError(offset);
      if (sizeBytes !== undefined && sizeBytes > room) throw tooLong(room);
      const progress = await this.receive(upload, writer, tail, body);
      // Nothing will be added to it: it need not wait for the end to be asked for.
      if (progress.offsetBytes === lengthBytes) await this.cut(upload, writer, progress);
      return this.repository.find(poolId, id);
    });
  }

  /**
   * Says that nothing more comes. Repeated it gives the same object, for as long as the key has that.
   * @param signal aborted when nobody waits any more: the object is made all the same
   * @returns undefined when not all is stored after `waitMs`
   * @throws PartUploadNotFoundError, UploadIncompleteError, UploadBusyError, UploadFailedError, ChecksumMismatchError,
   *   PreconditionFailedError
   */
  async complete(
    { poolId }: Bucket,
    id: string,
    completion: Completion,
    { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<ObjectRow | undefined> {
    const deadline = performance.now() + waitMs;
    const made = await this.objects.ofUpload(poolId, id);
    if (made !== undefined) return made;
    await this.exclusively(poolId, id, async (upload, writer) => {
      requireOpen(upload);
      const tail = await this.tailOf(upload);
      if (upload.lengthBytes !== undefined && tail.offsetBytes !== upload.lengthBytes) {
        throw new UploadIncompleteError(tail.offsetBytes, upload.lengthBytes);
      }
      await this.cut(upload, writer, tail);
      await this.repository.note(id, completion, undefined);
    });
    for (;;) {
      const upload = await this.find({ poolId }, id);
      if (!('waiting' in upload)) return upload;
      requireOpen(upload);
      if (upload.waiting === 0) return this.ends.finish(poolId, id, completion);
      if (performance.now() >= deadline || signal.aborted) return undefined;
      await sleep(POLL_MS);
    }
  }

  /** Gives an upload up: what is being sent is taken back, what was stored is deleted. @throws PartUploadNotFoundError */
  async abort({ poolId }: Bucket, id: string): Promise<void> {
    await this.ends.abort(poolId, id);
    this.writers.get(id)?.silenced.abort();
    this.sender.giveUp(id);
  }

  /** How far it is on the disk: where its file is gone, no further than its chunks. */
  private async tailOf(upload: Resumable): Promise<Progress> {
    const { offsetBytes, tailName, tailBytes, nextNumber, hashState } = upload;
    const isThere = tailBytes === 0 || ((await this.files.sizeOf(tailName)) ?? 0) >= tailBytes;
    const tail = { tailName, nextNumber, hashState };
    return isThere
      ? { ...tail, offsetBytes, tailBytes }
      : { ...tail, offsetBytes: offsetBytes - tailBytes, tailBytes: 0 };
  }

  private async receive(
    upload: Resumable,
    writer: Writer,
    from: Progress,
    body: AsyncIterable<Buffer>,
  ): Promise<Progress> {
    const { chunkBytes, lengthBytes = Infinity } = upload;
    let at = from;
    let file: ChunkFile | undefined;
    try {
      for await (let rest of until(body, writer.silenced.signal)) {
        writer.lastByteAt = performance.now();
        if (at.offsetBytes + rest.length > lengthBytes) throw tooLong(lengthBytes - from.offsetBytes);
        while (rest.length > 0) {
          if (at.tailBytes === 0) await this.untilRoom(upload, writer);
          file ??= await this.files.open(at.tailName, at.tailBytes);
          const piece = rest.subarray(0, chunkBytes - at.tailBytes);
          rest = rest.subarray(piece.length);
          await file.write(piece, at.tailBytes);
          const bytes = piece.length;
          at = { ...at, offsetBytes: at.offsetBytes + bytes, tailBytes: at.tailBytes + bytes };
          if (at.tailBytes < chunkBytes) continue;
          await file.close();
          file = undefined;
          at = await this.cut(upload, writer, at);
          writer.lastByteAt = performance.now();
        }
      }
      return at;
    } catch (error) {
      if (codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT') throw new DiskFullError(error);
      throw error instanceof UploadCutError ? new UploadCutError(true, error.cause) : error;
    } finally {
      await file?.close();
      await this.save(upload, writer, at);
    }
  }

  /** Makes a chunk of what has come since the last one, and lets it leave. */
  private async cut(upload: Resumable, writer: Writer, at: Progress): Promise<Progress> {
    const { tailName: fileName, tailBytes: sizeBytes, nextNumber: number } = at;
    if (sizeBytes === 0) return at;
    await (await this.files.open(fileName, sizeBytes)).close();
    const { sha256, md5, hashState } = await this.files.hashesOf(fileName, at.hashState);
    const next = { ...at, tailName: this.files.newName(), tailBytes: 0, nextNumber: number + 1, hashState };
    await this.save(upload, writer, next, { number, fileName, sizeBytes, sha256, md5 });
    this.sender.wake();
    return next;
  }

  /** @throws UploadBusyError when somebody else writes the upload meanwhile, PartUploadNotFoundError when it is given up */
  private async save(
    { id, poolId }: Resumable,
    writer: Writer,
    progress: Progress,
    chunk?: Parameters<ResumablesRepository['save']>[3],
  ): Promise<void> {
    if (await this.repository.save(id, writer.id, progress, chunk)) return;
    await this.repository.find(poolId, id);
    throw new UploadBusyError();
  }

  /** Waits while too much lies on the disk. @throws SpoolFullError when nothing of this upload could make room, DiskFullError */
  private async untilRoom({ id, poolId, chunkBytes }: Resumable, writer: Writer): Promise<void> {
    const deadline = performance.now() + ROOM_MS;
    for (;;) {
      const upload = await this.repository.find(poolId, id);
      requireOpen(upload);
      const isFull = (await this.repository.bytesOnDisk()) + chunkBytes > DISK_BYTES;
      if (!isFull && upload.waiting < MAX_CHUNKS_WAITING) break;
      if (upload.waiting === 0) throw new SpoolFullError(DISK_BYTES);
      if (performance.now() >= deadline) {
        throw new PoolSaturatedError('the bots of the pool do not follow', RETRY_AFTER_MS);
      }
      await sleep(POLL_MS);
      // It is we who do not read.
      writer.lastByteAt = performance.now();
    }
    await this.files.requireSpace(chunkBytes);
  }

  /** Runs the one work at a time that writes an upload, over all processes. @throws UploadBusyError, PartUploadNotFoundError */
  private async exclusively<T>(
    poolId: string,
    id: string,
    work: (upload: Resumable, writer: Writer) => Promise<T>,
  ): Promise<T> {
    const writer: Writer = { id: randomUUID(), silenced: new AbortController(), lastByteAt: performance.now() };
    const deadline = performance.now() + BUSY_MS;
    await this.repository.find(poolId, id);
    for (let attempt = 1; !(await this.repository.beginWriting(id, writer.id)); attempt += 1) {
      if (attempt === 1) await this.repository.doubtWriter(id, DOUBTED_MS);
      const former = this.writers.get(id);
      if (former !== undefined && performance.now() - former.lastByteAt > SILENT_MS) former.silenced.abort();
      if (performance.now() >= deadline) throw new UploadBusyError();
      await sleep(POLL_MS);
    }
    this.writers.set(id, writer);
    const renewing = setInterval(() => {
      void this.repository.keepWriting(id, writer.id).then(
        (isOurs) => isOurs || writer.silenced.abort(),
        () => undefined,
      );
    }, RENEW_MS).unref();
    try {
      return await work(await this.repository.find(poolId, id), writer);
    } finally {
      clearInterval(renewing);
      if (this.writers.get(id) === writer) this.writers.delete(id);
      await this.repository.endWriting(id, writer.id).catch(() => undefined);
    }
  }
}

/** What comes until somebody else takes over: then the rest is nobody's. @throws UploadBusyError */
async function* until(body: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer, undefined> {
  const pieces = body[Symbol.asyncIterator]();
  const silenced = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(new UploadBusyError());
    signal.addEventListener('abort', () => reject(new UploadBusyError()), { once: true });
  });
  silenced.catch(() => undefined);
  for (;;) {
    const next = await Promise.race([pieces.next(), silenced]);
    if (next.done === true) return undefined;
    yield next.value;
  }
}

/** @throws UploadFailedError */
function requireOpen({ failure }: Resumable): void {
  if (failure?.isFinal === true) throw new UploadFailedError(failure);
}

function tooLong(room: number): UploadTooLargeError {
  return new UploadTooLargeError('the body goes beyond the declared length', Math.max(0, room));
}
