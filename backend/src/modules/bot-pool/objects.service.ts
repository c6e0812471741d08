import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { messageOf, NotFoundError } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { Downloads } from '../files/index.js';
import { BotCalls } from './bot-calls.js';
import { BlobLostError, ChecksumMismatchError, ObjectNotFoundError } from './bot-pool.errors.js';
import { PartAbortedError } from './dispatcher/dispatcher.errors.js';
import { LeftParts } from './left-parts.js';
import { documentOf } from './message-document.js';
import { ObjectsRepository } from './objects.repository.js';
import { PoolHost } from './pool-host.js';
import { type PoolRow, PoolsRepository } from './pools.repository.js';
import { BodyHashes, type Slice, Spool } from './spool.js';
import type { Blob, ObjectRow, Precondition, Replaced } from './stored-object.js';

/** What an object is put with. */
export interface PutOptions {
  /** Whose it is: turns are shared between owners. */
  readonly ownerId: string;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** What the whole body must have, hexadecimal. */
  readonly sha256?: string | undefined;
  readonly md5?: string | undefined;
  readonly precondition: Precondition;
}

/** What became of messages that nothing refers to any more. */
export type Remote = 'deleted' | 'pending' | 'not_possible';

/** One page of keys. */
export interface ObjectPage {
  readonly objects: readonly ObjectRow[];
  /** What keys have in common up to the delimiter. */
  readonly prefixes: readonly string[];
  readonly nextFrom: string | undefined;
}

/** Parts of one object that are spooled or sent at once. Each needs a slice of the spool. */
const PARTS_AT_ONCE = 16;
/** Bots may delete for 48 hours (https://core.telegram.org/bots/api#deletemessage); our clock may be a little behind. */
const DELETABLE_MS = 48 * 3_600_000 - 5 * 60_000;
/** A message of an upload that goes on has no object yet. */
const COLLECT_AFTER_MS = 60 * 60_000;

/** Objects of any size over the messages of a pool. */
@Injectable()
export class ObjectsService {
  private readonly logger: AppLogger;

  constructor(
    private readonly repository: ObjectsRepository,
    private readonly pools: PoolsRepository,
    private readonly host: PoolHost,
    private readonly spool: Spool,
    private readonly bots: BotCalls,
    private readonly downloads: Downloads,
    private readonly left: LeftParts,
    logger: AppLogger,
  ) {
    this.logger = logger.for(ObjectsService.name);
  }

  /** @throws NotFoundError */
  async pool(idOrName: string): Promise<PoolRow> {
    const pool = await this.pools.find(idOrName);
    if (pool === undefined) throw new NotFoundError('pool', idOrName);
    return pool;
  }

  /**
   * Refuses an upload before its body is read.
   * @param maxWaitMs how long its first part may have to wait for a bot
   * @throws PoolClosedError, PoolSaturatedError, NoUsableBotError
   */
  async admit(pool: PoolRow, maxWaitMs?: number): Promise<void> {
    this.spool.admit();
    await this.host.admit(pool.id, maxWaitMs);
  }

  /**
   * Stores a body while it comes. The object is there once all of its parts are, and before that nothing of it; what was stored of
   * one that fails is deleted.
   * @throws ChecksumMismatchError, PreconditionFailedError, and what PoolHost.store throws
   */
  async put(pool: PoolRow, key: string, body: Readable, options: PutOptions): Promise<Replaced> {
    const upload = new Upload(this, pool, options.ownerId);
    try {
      const hashes = new BodyHashes();
      for await (const slice of this.spool.slices(body, pool.chunkBytes, hashes)) await upload.add(slice);
      const blobIds = await upload.stored();
      const sha256 = hashes.sha256.digest('hex');
      const etag = hashes.md5.digest('hex');
      expectSame('SHA-256', options.sha256, sha256);
      expectSame('MD5', options.md5, etag);
      const { contentType, metadata } = options;
      const object = { key, sizeBytes: upload.sizeBytes, etag, sha256, contentType, metadata };
      const replaced = await this.repository.put(pool.id, object, blobIds, options.precondition);
      void this.erase(pool, replaced.freed);
      return replaced;
    } catch (error) {
      const blobs = await upload.abort();
      void this.erase(pool, blobs);
      throw upload.failure ?? error;
    }
  }

  /** @throws ObjectNotFoundError */
  async find(pool: PoolRow, key: string): Promise<ObjectRow> {
    const object = await this.repository.find(pool.id, key);
    if (object === undefined) throw new ObjectNotFoundError(key);
    return object;
  }

  /** The messages of an object, in order. */
  parts(object: ObjectRow): Promise<Blob[]> {
    return this.repository.blobs(object.id);
  }

  /**
   * The bytes from `from` up to `to`, message after message, and no faster than they are taken. The first are there already, so
   * that a failure before them can be told.
   * @throws BlobLostError
   */
  async read(pool: PoolRow, object: ObjectRow, from: number, to: number): Promise<Readable> {
    const blobs = await this.repository.blobs(object.id);
    const bots = (await this.pools.bots(pool.id)).map(({ sessionId }) => sessionId);
    const pieces = this.pieces(blobs, bots, from, to);
    const first = await pieces.next();
    return Readable.from(
      (async function* () {
        try {
          if (first.done !== true) yield first.value;
          yield* pieces;
        } finally {
          await pieces.return(undefined);
        }
      })(),
      { objectMode: false, highWaterMark: 1 },
    );
  }

  /** The message of another object's bytes, at no cost. @throws ObjectNotFoundError, PreconditionFailedError */
  async copy(pool: PoolRow, fromKey: string, toKey: string, precondition: Precondition): Promise<Replaced> {
    const replaced = await this.repository.copy(pool.id, fromKey, toKey, precondition);
    void this.erase(pool, replaced.freed);
    return replaced;
  }

  /** @returns whether it was there, and what became of its messages */
  async remove(
    pool: PoolRow,
    key: string,
    precondition: Precondition,
  ): Promise<{ readonly deleted: boolean; readonly remote: Remote }> {
    const freed = await this.repository.remove(pool.id, key, precondition);
    return { deleted: freed !== undefined, remote: await this.erase(pool, freed ?? []) };
  }

  /** Deletes messages that nothing refers to any more, also those that could not be deleted before. */
  async collect(pool: PoolRow): Promise<{ readonly found: number; readonly remote: Remote }> {
    await this.left.look(pool.id, COLLECT_AFTER_MS);
    const blobs = await this.repository.freeBlobs(pool.id, COLLECT_AFTER_MS);
    return { found: blobs.length, remote: await this.erase(pool, blobs) };
  }

  async list(
    pool: PoolRow,
    { prefix, delimiter, from, limit }: { prefix: string; delimiter: string; from: string; limit: number },
  ): Promise<ObjectPage> {
    const objects: ObjectRow[] = [];
    const prefixes: string[] = [];
    let begin = from;
    for (;;) {
      const rows = await this.repository.list(pool.id, prefix, begin, limit + 1);
      let jump: string | undefined;
      for (const row of rows) {
        if (objects.length + prefixes.length === limit) return { objects, prefixes, nextFrom: row.key };
        const end = delimiter === '' ? -1 : row.key.indexOf(delimiter, prefix.length);
        if (end >= 0) {
          const common = row.key.slice(0, end + delimiter.length);
          prefixes.push(common);
          // The next question does not read what else begins so.
          jump = behind(common);
          break;
        }
        objects.push(row);
      }
      if (jump === undefined) return { objects, prefixes, nextFrom: undefined };
      begin = jump;
    }
  }

  /** One part. @throws as PoolHost.store */
  async storeSlice(
    pool: PoolRow,
    slice: Slice,
    of: { readonly ownerId: string; readonly objectId: string },
    signal: AbortSignal,
  ): Promise<Blob> {
    const id = randomUUID();
    const { path, sizeBytes, sha256 } = slice;
    try {
      const stored = await this.host.store(pool.id, { id, ...of, path, sizeBytes, sha256 }, signal);
      const { chatId, messageId, botId: uploaderId } = stored;
      return { id, chatId, messageId, sizeBytes, sha256, uploaderId, storedAt: new Date() };
    } finally {
      await slice.release();
    }
  }

  /** Never rejects: what cannot be deleted stays known. */
  private async erase(pool: PoolRow, blobs: readonly Blob[]): Promise<Remote> {
    if (blobs.length === 0) return 'deleted';
    const bots = (await this.pools.bots(pool.id).catch(() => [])).map(({ sessionId }) => sessionId);
    const ends = await Promise.all(blobs.map((blob) => this.eraseOne(bots, blob)));
    if (ends.includes('pending')) return 'pending';
    return ends.includes('not_possible') ? 'not_possible' : 'deleted';
  }

  private async eraseOne(bots: readonly string[], { id, ...blob }: Blob): Promise<Remote> {
    try {
      if (Date.now() - blob.storedAt.getTime() > DELETABLE_MS) {
        await this.repository.noteBlob(id, 'unlinked', 'bots may delete messages for 48 hours only');
        return 'not_possible';
      }
      const message = { chat_id: blob.chatId, message_id: blob.messageId };
      let failure: unknown;
      for (const bot of startingWith(bots, blob.uploaderId)) {
        try {
          // TDLib deletes no message that it has not seen.
          await this.bots.call(bot, 'getMessage', message);
          await this.bots.call(bot, 'deleteMessages', {
            chat_id: blob.chatId,
            message_ids: [blob.messageId],
            revoke: true,
          });
          await this.repository.forgetBlob(id);
          return 'deleted';
        } catch (error) {
          failure = error;
        }
      }
      await this.repository.noteBlob(id, 'orphan', messageOf(failure ?? 'the pool has no bot'));
    } catch (error) {
      this.logger.warn(`a message was not deleted: ${messageOf(error)}`);
    }
    return 'pending';
  }

  private async *pieces(
    blobs: readonly Blob[],
    bots: readonly string[],
    from: number,
    to: number,
  ): AsyncGenerator<Buffer, undefined> {
    let begin = 0;
    for (const blob of blobs) {
      const end = begin + blob.sizeBytes;
      if (end > from && begin < to) {
        yield* this.piecesOf(blob, bots, Math.max(from, begin) - begin, Math.min(to, end) - begin);
      }
      begin = end;
    }
    return undefined;
  }

  /** The uploader first, whose TDLib knows the message; another bot goes on where one has broken off. */
  private async *piecesOf(
    blob: Blob,
    bots: readonly string[],
    from: number,
    to: number,
  ): AsyncGenerator<Buffer, undefined> {
    let at = from;
    let failure: unknown;
    for (const bot of startingWith(bots, blob.uploaderId)) {
      try {
        const body = await this.open(bot, blob, at, to);
        for await (const piece of body as AsyncIterable<Buffer>) {
          at += piece.length;
          yield piece;
        }
        if (at === to) return undefined;
        failure = new Error(`the message ended at ${at} of ${to}`);
      } catch (error) {
        failure = error;
      }
    }
    throw new BlobLostError(blob.chatId, blob.messageId, failure);
  }

  private async open(bot: string, { chatId, messageId, sizeBytes }: Blob, from: number, to: number): Promise<Readable> {
    const message = await this.bots.call(bot, 'getMessage', { chat_id: chatId, message_id: messageId });
    const file = documentOf(message);
    if (file?.size !== sizeBytes) throw new Error('the message has another document, or none');
    const { body } = await this.downloads.open({
      kind: 'bot',
      id: bot,
      fileId: file.id,
      message: { chatId, messageId },
      headers: { range: `bytes=${from}-${to - 1}` },
      isHead: false,
    });
    if (body === undefined) throw new Error('the download has no bytes');
    return body;
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
    private readonly pool: PoolRow,
    private readonly ownerId: string,
  ) {}

  /** Takes a slice on its way, as soon as there is room for one more. @throws the failure of an earlier part */
  async add(slice: Slice): Promise<void> {
    this.sizeBytes += slice.sizeBytes;
    const { ownerId, objectId } = this;
    const work = this.objects
      .storeSlice(this.pool, slice, { ownerId, objectId }, this.abortion.signal)
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
  async stored(): Promise<string[]> {
    const blobs = await Promise.all(this.all);
    if (this.failure !== undefined) throw new PartAbortedError();
    return blobs.flatMap((blob) => blob?.id ?? []);
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

function startingWith(bots: readonly string[], first: string): readonly string[] {
  return bots.includes(first) ? [first, ...bots.filter((bot) => bot !== first)] : bots;
}

/** The first key behind all that begin with `prefix`, in the order of bytes. */
function behind(prefix: string): string {
  const points = [...prefix];
  const last = points.pop()?.codePointAt(0) ?? 0;
  if (last === 0x10ffff) return behind(points.join(''));
  // There are no characters among the surrogates.
  return `${points.join('')}${String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)}`;
}
