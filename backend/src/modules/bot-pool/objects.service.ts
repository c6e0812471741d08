import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { BlobEraser, type Remote } from './blob-eraser.js';
import { BlobReader } from './blob-reader.js';
import { BlobsRepository } from './blobs.repository.js';
import { ChecksumMismatchError, ObjectNotFoundError, ObjectReplacedError } from './bot-pool.errors.js';
import { PartAbortedError } from './dispatcher/dispatcher.errors.js';
import { LeftParts } from './left-parts.js';
import { behind } from './key-order.js';
import { type CopySource, ObjectsRepository } from './objects.repository.js';
import { PoolHost } from './pool-host.js';
import { PoolKeys } from './pool-keys.js';
import { BodyHashes, type Slice, Spool } from './spool.js';
import {
  type Blob,
  type Bucket,
  type Description,
  type Extent,
  type ObjectRow,
  plainBytesOf,
  type Precondition,
  type Replaced,
} from './stored-object.js';

/** How a body is stored. */
export interface BodyOptions {
  /** Whose it is: turns are shared between owners. */
  readonly ownerId: string;
  /** How many bytes will come, where that is known. */
  readonly sizeBytes?: number | undefined;
  /** Aborted when nobody wants it any more. */
  readonly signal?: AbortSignal;
}

/** A body that is stored, and is not yet part of anything. */
export interface StoredBody {
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly md5: string;
  readonly extents: readonly Extent[];
}

/** What an object is put with. */
export interface PutOptions extends BodyOptions {
  readonly description: Description;
  /** What the whole body must have, hexadecimal. */
  readonly sha256?: string | undefined;
  readonly md5?: string | undefined;
  readonly precondition: Precondition;
}

/** One page of keys. */
export interface ObjectPage {
  readonly objects: readonly ObjectRow[];
  /** What keys have in common up to the delimiter. */
  readonly prefixes: readonly string[];
  readonly nextFrom: string | undefined;
}

/** Parts of one object that are spooled or sent at once. Each needs a slice of the spool. */
const PARTS_AT_ONCE = 16;
/** Keys that are read at once where each may stand for many. */
const AHEAD = 32;
/** A message of an upload that goes on has no object yet. */
const COLLECT_AFTER_MS = 60 * 60_000;
const COLLECTED_AT_ONCE = 1_000;

/** Objects of any size over the messages of a pool. */
@Injectable()
export class ObjectsService {
  constructor(
    private readonly repository: ObjectsRepository,
    private readonly blobs: BlobsRepository,
    private readonly reader: BlobReader,
    private readonly eraser: BlobEraser,
    private readonly host: PoolHost,
    private readonly keys: PoolKeys,
    private readonly spool: Spool,
    private readonly left: LeftParts,
  ) {}

  /**
   * Refuses an upload before its body is read.
   * @param maxWaitMs how long its first part may have to wait for a bot
   * @throws PoolClosedError, PoolPausedError, PoolSaturatedError, NoUsableBotError
   */
  async admit({ poolId }: Bucket, maxWaitMs?: number): Promise<void> {
    this.spool.admit();
    await this.host.admit(poolId, maxWaitMs);
  }

  /**
   * Stores a body while it comes. The object is there once all of its parts are, and before that nothing of it; what was stored of
   * one that fails is deleted.
   * @param body read no faster than it is stored, and not before there is room for it; what it throws is thrown on
   * @throws ChecksumMismatchError, PreconditionFailedError (before the body is read, and after), and what PoolHost.store throws
   */
  async put(bucket: Bucket, key: string, body: AsyncIterable<Buffer>, options: PutOptions): Promise<Replaced> {
    const { precondition, description } = options;
    await this.repository.expect(bucket, key, precondition);
    const replaced = await this.store(bucket, body, options, ({ sizeBytes, sha256, md5, extents }) => {
      expectSame('SHA-256', options.sha256, sha256);
      expectSame('MD5', options.md5, md5);
      const object = { key, sizeBytes, etag: md5, sha256, ...description };
      return this.repository.put(bucket, object, extents, precondition);
    });
    void this.erase(bucket.poolId, replaced.freed);
    return replaced;
  }

  /**
   * Stores a body, of which nothing is left unless `keep` has made it part of something.
   * @throws what the body and `keep` throw, and what PoolHost.store throws
   */
  async store<Kept>(
    { poolId, chunkBytes, isEncrypted }: Bucket,
    body: AsyncIterable<Buffer>,
    { ownerId, sizeBytes, signal }: BodyOptions,
    keep: (stored: StoredBody) => Promise<Kept>,
  ): Promise<Kept> {
    const key = isEncrypted ? await this.keys.of(poolId) : undefined;
    const upload = new Upload(this, poolId, ownerId);
    const giveUp = (): void => upload.giveUp();
    signal?.addEventListener('abort', giveUp);
    try {
      const hashes = new BodyHashes();
      for await (const slice of this.spool.slices(body, { sliceBytes: chunkBytes, sizeBytes, hashes, key })) {
        await upload.add(slice);
      }
      const extents = (await upload.stored()).map((blob) => ({ blob, offset: 0, sizeBytes: plainBytesOf(blob) }));
      const [sha256, md5] = [hashes.sha256.digest('hex'), hashes.md5.digest('hex')];
      return await keep({ sizeBytes: upload.sizeBytes, sha256, md5, extents });
    } catch (error) {
      // What fails from here on is because it is given up.
      const failure = upload.failure ?? error;
      const blobs = await upload.abort();
      void this.erase(poolId, blobs);
      throw failure;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** @throws ObjectNotFoundError */
  async find(bucket: Bucket, key: string): Promise<ObjectRow> {
    const object = await this.repository.find(bucket.id, key);
    if (object === undefined) throw new ObjectNotFoundError(key);
    return object;
  }

  /** The stretches of messages that an object is made of, in order. */
  parts(object: ObjectRow): Promise<Extent[]> {
    return this.blobs.extents('object', [object.id]);
  }

  /**
   * The bytes from `from` up to `to`, no faster than they are taken. The first are there already, so that a failure before them can be
   * told. Until they have been taken the messages stay, whatever becomes of the object.
   * @throws ObjectReplacedError, BlobLostError, BlobUnreadableError
   */
  async read({ poolId }: Bucket, object: ObjectRow, from: number, to: number): Promise<Readable> {
    const readable = await this.reader.read(poolId, await this.parts(object), from, to);
    if (readable === undefined) throw new ObjectReplacedError();
    return readable;
  }

  /**
   * Another object of the same bytes, in the same pool, at no cost.
   * @param description another one than the source's
   * @throws ObjectNotFoundError, PreconditionFailedError
   */
  async copy(
    from: CopySource,
    to: { readonly bucket: Bucket; readonly key: string },
    precondition: Precondition,
    description?: Description,
  ): Promise<Replaced> {
    const replaced = await this.repository.copy(from, to, precondition, description);
    void this.erase(to.bucket.poolId, replaced.freed);
    return replaced;
  }

  /** @returns whether it was there, and what became of messages that nothing else refers to. @throws PreconditionFailedError */
  async remove(
    bucket: Bucket,
    key: string,
    precondition: Precondition,
  ): Promise<{ readonly deleted: boolean; readonly remote: Promise<Remote | 'none'> }> {
    const freed = await this.repository.remove(bucket, key, precondition);
    const blobs = freed ?? [];
    const remote = blobs.length === 0 ? Promise.resolve('none' as const) : this.erase(bucket.poolId, blobs);
    return { deleted: freed !== undefined, remote };
  }

  /** One version, whatever its key has now. @returns what became of its messages; `deleted` when it was gone already */
  async removeVersion(poolId: string, id: string): Promise<Remote> {
    return this.eraser.erase(poolId, (await this.repository.removeVersion(poolId, id)) ?? []);
  }

  /**
   * Deletes messages that nothing refers to any more, also those that could not be deleted before: so many behind `after`, a blob's id.
   * @returns what came of each, and the last
   */
  async collect(
    { poolId }: Pick<Bucket, 'poolId'>,
    { after, limit = COLLECTED_AT_ONCE }: { readonly after?: string | undefined; readonly limit?: number } = {},
  ): Promise<{ readonly ends: readonly Remote[]; readonly last: string | undefined }> {
    if (after === undefined) await this.left.look(poolId, COLLECT_AFTER_MS);
    const blobs = await this.blobs.free(poolId, { olderThanMs: COLLECT_AFTER_MS, after, limit });
    return { ends: await this.eraser.eraseEach(poolId, blobs), last: blobs.at(-1)?.id };
  }

  /** @param question.from the first key that may be there */
  async list(
    bucket: Bucket,
    { prefix, delimiter, from, limit }: { prefix: string; delimiter: string; from: string; limit: number },
  ): Promise<ObjectPage> {
    const objects: ObjectRow[] = [];
    const prefixes: string[] = [];
    const to = behind(prefix);
    let begin = Buffer.compare(Buffer.from(from), Buffer.from(prefix)) < 0 ? prefix : from;
    let ahead = limit + 1;
    for (;;) {
      const rows = await this.repository.list(bucket.id, { from: begin, to, limit: ahead });
      for (const row of rows) {
        const end = delimiter === '' ? -1 : row.key.indexOf(delimiter, prefix.length);
        const common = end < 0 ? undefined : row.key.slice(0, end + delimiter.length);
        if (common !== undefined && common === prefixes.at(-1)) continue;
        if (objects.length + prefixes.length === limit) return { objects, prefixes, nextFrom: row.key };
        if (common === undefined) objects.push(row);
        else prefixes.push(common);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < ahead) return { objects, prefixes, nextFrom: undefined };
      const common = prefixes.at(-1);
      const isWithin = common !== undefined && last.key.startsWith(common);
      const next = isWithin ? behind(common) : `${last.key}\u0001`;
      if (next === undefined) return { objects, prefixes, nextFrom: undefined };
      begin = next;
      // Where prefixes stand for many keys each, reading far ahead is in vain.
      ahead = isWithin ? AHEAD : limit + 1;
    }
  }

  /** One part. @throws as PoolHost.store */
  async storeSlice(
    poolId: string,
    slice: Slice,
    of: { readonly ownerId: string; readonly objectId: string },
    signal: AbortSignal,
  ): Promise<Blob> {
    const { path, sizeBytes, sha256, sealHead } = slice;
    const seal = sealHead && { sealHead: sealHead.toString('base64') };
    try {
      const part = { id: randomUUID(), ...of, path, sizeBytes, sha256, ...seal };
      const { id, chatId, messageId, botId: uploaderId } = await this.host.store(poolId, part, signal);
      return { id, chatId, messageId, sizeBytes, sha256, sealHead, uploaderId, storedAt: new Date() };
    } finally {
      await slice.release();
    }
  }

  /** Deletes messages that nothing refers to. Never rejects: what cannot be deleted stays known. */
  erase(poolId: string, blobs: readonly Blob[]): Promise<Remote> {
    return this.eraser.erase(poolId, blobs);
  }
}

/** An object on its way into a pool. */
class Upload {
  sizeBytes = 0;
  /** The first failure of a part: what came after it is its consequence. */
  failure: unknown;
  private readonly objectId = randomUUID();
  private readonly abortion = new AbortController();
  private readonly all: Promise<Blob | undefined>[] = [];
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    private readonly objects: ObjectsService,
    private readonly poolId: string,
    private readonly ownerId: string,
  ) {
    // Each part listens, and more than ten are on their way.
    setMaxListeners(PARTS_AT_ONCE * 4, this.abortion.signal);
  }

  /** Takes a slice on its way, as soon as there is room for one more. @throws the failure of an earlier part */
  async add(slice: Slice): Promise<void> {
    this.sizeBytes += plainBytesOf(slice);
    const { ownerId, objectId } = this;
    const work = this.objects
      .storeSlice(this.poolId, slice, { ownerId, objectId }, this.abortion.signal)
      .catch((error: unknown): undefined => {
        this.failure ??= error;
        this.abortion.abort();
      });
    this.all.push(work);
    this.running.add(work);
    void work.then(() => this.running.delete(work));
    while (this.running.size >= PARTS_AT_ONCE) await Promise.race(this.running);
    if (this.failure !== undefined) throw new PartAbortedError();
  }

  /** The parts in order, once all are stored. */
  async stored(): Promise<Blob[]> {
    const blobs = await Promise.all(this.all);
    if (this.failure !== undefined) throw new PartAbortedError();
    return blobs.filter((blob) => blob !== undefined);
  }

  /** Nobody wants it any more. */
  giveUp(): void {
    this.failure ??= new PartAbortedError();
    this.abortion.abort();
  }

  /** Takes back what is on its way. @returns what was stored */
  async abort(): Promise<Blob[]> {
    this.abortion.abort();
    return (await Promise.all(this.all)).filter((blob) => blob !== undefined);
  }
}

function expectSame(what: string, expected: string | undefined, actual: string): void {
  if (expected !== undefined && expected !== actual) throw new ChecksumMismatchError(what, expected, actual);
}
