import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, opendir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { codeOf, NotFoundError, RequestTimeoutError } from '../../common/errors/index.js';
import { type Caller, type PagePosition, type PageRequest } from '../../common/http/index.js';
import { AppConfig } from '../../config/index.js';
import { takeIn } from './intake.js';
import {
  diskSpace,
  isUploadId,
  lastTouched,
  openData,
  readRecord,
  removeFolder,
  sizeOf,
  syncUpload,
  type UploadRecord,
  writeRecord,
} from './upload-folder.js';
import { type LedgerEntry, MASTER, UploadLedger } from './upload-ledger.js';
import { type FolderLock, lockFolder } from './upload-lock.js';
import { readMarks } from './upload-marks.js';
import { validUploadName } from './upload-name.js';
import {
  DiskFullError,
  EmptyFileError,
  UploadBusyError,
  UploadChecksumError,
  UploadCompleteError,
  UploadCutError,
  UploadIncompleteError,
  UploadInUseError,
  UploadOffsetError,
  UploadTooLargeError,
} from './uploads.errors.js';

/** An upload as it is at one moment. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  /** Absolute; what inputFileLocal names. */
  readonly path: string;
  /** How many bytes are there. */
  readonly offset: number;
  /** How many there will be; undefined while that is not known. */
  readonly length: number | undefined;
  readonly createdAt: Date;
  readonly metadata: Readonly<Record<string, string | null>> | undefined;
}

/** An upload with what only a list tells. */
export interface ListedUpload extends Upload {
  /** Whose it is: 'master', or the id of a token. */
  readonly owner: string;
  /** A call uses it: it goes when the messages with it have arrived. */
  readonly isUsed: boolean;
  /** When it will be removed unless somebody touches it. */
  readonly expiresAt: Date;
}

/** What uploads take, and what they may; in bytes. */
export interface UploadUsage {
  /** Declared lengths count. */
  readonly bytes: number;
  readonly count: number;
  readonly quotaBytes: number;
  readonly quotaPerTokenBytes: number;
  /** Of the disk that has them. */
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly minFreeBytes: number;
}

/** What a new upload is to be. */
export interface NewUpload {
  readonly name: unknown;
  readonly caller: Caller;
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
}

/** Where a chunk comes from. */
export interface Chunk {
  readonly offset: number;
  readonly source: Readable;
  /** How many bytes it has, when that is known before. */
  readonly bytes?: number | undefined;
  /** How many it may have. */
  readonly maxBytes: number;
  /** The SHA-256 that it must have; a chunk with another one, or one that breaks off, leaves nothing. */
  readonly sha256?: Buffer | undefined;
}

interface Writer {
  readonly controller: AbortController;
  readonly done: Promise<void>;
  lastByteAt: number;
}

/** How long a client may be silent in the middle of a body. */
const IDLE_MS = 30_000;
/** A writer that is silent for so long may be one whose connection is gone: whoever comes next takes its place. */
const SILENT_MS = 1_000;
/** How long a request waits for another one that is writing. */
const BUSY_MS = 5_000;
const BUSY_POLL_MS = 50;
/** How often free space is looked at while bytes come in. */
const CHECK_DISK_BYTES = 32 * 1024 * 1024;
/** What other processes have written to the folder is counted anew so often; sooner for those who ask what there is. */
const RECOUNT_MS = 10_000;
const RECOUNT_TO_TELL_MS = 500;
/** How many folders are looked at at the same time. */
const AT_ONCE = 16;

/** Who an upload of this caller belongs to. */
export function ownerOf(caller: Caller): string {
  return caller.kind === 'master' ? MASTER : caller.tokenId;
}

/**
 * Files on their way to Telegram, one folder each, beneath every protocol. Bytes go from the connection to the disk; what has
 * arrived is kept however the request ends. One request at a time writes an upload, also among processes that share the folder.
 */
@Injectable()
export class UploadStore {
  readonly root: string;
  private readonly ledger: UploadLedger;
  private readonly writers = new Map<string, Writer>();
  private readonly beingMade = new Set<string>();
  private counted: { readonly at: number; readonly done: Promise<void> } | undefined;

  constructor(private readonly config: AppConfig) {
    const { dir, quotaBytes, quotaPerTokenBytes } = config.uploads;
    this.root = dir;
    this.ledger = new UploadLedger({ totalBytes: quotaBytes, perTokenBytes: quotaPerTokenBytes });
  }

  /**
   * Begins an upload of a known length.
   * @throws ValidationFailedError, EmptyFileError, UploadTooLargeError, UploadQuotaError, DiskFullError
   */
  async begin(upload: NewUpload & { readonly length: number }): Promise<Upload> {
    const { maxBytes } = this.config.uploads;
    const name = validUploadName(upload.name);
    if (upload.length === 0) {
      throw new EmptyFileError('Upload-Length is 0');
    }
    if (upload.length > maxBytes) {
      throw new UploadTooLargeError('upload exceeds allowed size', maxBytes);
    }
    return this.make({ ...upload, name }, upload.length);
  }

  /**
   * Takes a whole upload in one request; nothing remains of one that fails.
   * @param bytes how many will come, when that is known
   * @throws ValidationFailedError, EmptyFileError, UploadTooLargeError, UploadQuotaError, DiskFullError, UploadCutError,
   *   RequestTimeoutError
   */
  async take(upload: NewUpload, source: Readable, bytes: number | undefined): Promise<Upload> {
    const { maxSingleShotBytes } = this.config.uploads;
    const name = validUploadName(upload.name);
    if (bytes !== undefined && bytes > maxSingleShotBytes) {
      throw new UploadTooLargeError('body exceeds allowed size', maxSingleShotBytes);
    }
    if (bytes === 0) {
      throw new EmptyFileError('the file is empty');
    }
    const { id } = await this.make({ ...upload, name }, undefined, bytes);
    try {
      return await this.exclusively(id, async (writer, record) => {
        const size = await this.receive(id, record, writer, { offset: 0, source, maxBytes: maxSingleShotBytes });
        if (size === 0) {
          throw new EmptyFileError('the file is empty');
        }
        const whole = { ...record, length: size };
        await writeRecord(this.folderOf(id), whole);
        await this.sync(id, name);
        return this.toUpload(id, whole, size);
      });
    } catch (error) {
      await this.discard(id);
      throw error;
    }
  }

  /** @throws NotFoundError for one that is not there or belongs to somebody else */
  async find(id: string, caller: Caller): Promise<Upload> {
    const record = await this.recordOf(id, caller);
    const size = await sizeOf(this.folderOf(id), record.name);
    if (size === undefined) {
      throw new NotFoundError('upload', id);
    }
    return this.toUpload(id, record, size);
  }

  /** The caller's uploads, for the master those of all, the newest first. */
  async list(
    caller: Caller,
    { limit, after }: PageRequest,
  ): Promise<{ readonly uploads: readonly ListedUpload[]; readonly next: PagePosition | undefined }> {
    await this.count(RECOUNT_TO_TELL_MS);
    const positions = this.ledger.all
      .filter(([, entry]) => mayUse(caller, entry))
      .map(([id, { createdAt }]) => ({ id, createdAt: new Date(createdAt) }))
      .filter((each) => after === undefined || byAge(after, each) < 0)
      .toSorted(byAge);
    const page = positions.slice(0, limit);
    const look = pLimit(AT_ONCE);
    const uploads = await Promise.all(page.map(({ id }) => look(() => this.look(id))));
    return {
      uploads: uploads.filter((upload) => upload !== undefined),
      next: page.length < positions.length ? page.at(-1) : undefined,
    };
  }

  /** What all uploads take. */
  async usage(): Promise<UploadUsage> {
    await this.count(RECOUNT_TO_TELL_MS);
    const { quotaBytes, quotaPerTokenBytes, minFreeBytes } = this.config.uploads;
    const { all, totalBytes: bytes } = this.ledger;
    return {
      bytes,
      count: all.length,
      quotaBytes,
      quotaPerTokenBytes,
      minFreeBytes,
      ...(await diskSpace(this.root)),
    };
  }

  /** How many bytes an upload has; undefined when it is gone. */
  async bytesOf(id: string): Promise<number | undefined> {
    const record = await readRecord(this.folderOf(id));
    return record && sizeOf(this.folderOf(id), record.name);
  }

  /**
   * Appends a chunk. What arrives of one that breaks off is kept; one that is too long leaves nothing. Once the upload is whole it
   * is on the disk for good before this resolves.
   * @throws NotFoundError, UploadOffsetError, UploadBusyError, UploadCompleteError, UploadTooLargeError, DiskFullError,
   *   UploadCutError, RequestTimeoutError
   */
  async append(id: string, caller: Caller, chunk: Chunk): Promise<Upload> {
    await this.recordOf(id, caller);
    return this.exclusively(id, async (writer, record) => {
      const offset = await sizeOf(this.folderOf(id), record.name);
      if (offset === undefined) {
        throw new NotFoundError('upload', id);
      }
      if (offset !== chunk.offset) {
        throw new UploadOffsetError(chunk.offset, offset);
      }
      const { length } = record;
      if (offset === length && (chunk.bytes ?? 0) > 0) {
        throw new UploadCompleteError(offset);
      }
      if (chunk.bytes !== undefined && chunk.bytes > chunk.maxBytes) {
        throw new UploadTooLargeError('chunk exceeds allowed size', chunk.maxBytes);
      }
      const room = length === undefined ? chunk.maxBytes : length - offset;
      if (chunk.bytes !== undefined && chunk.bytes > room) {
        throw new UploadTooLargeError('chunk goes beyond the declared length', room);
      }
      const size = await this.receive(id, record, writer, { ...chunk, maxBytes: Math.min(room, chunk.maxBytes) });
      if (size === length) {
        await this.sync(id, record.name);
      }
      return this.toUpload(id, record, size);
    });
  }

  /** Confirms that all bytes are there and on the disk for good. @throws NotFoundError, UploadIncompleteError */
  async complete(id: string, caller: Caller): Promise<Upload> {
    const upload = await this.find(id, caller);
    if (upload.length !== upload.offset) {
      throw new UploadIncompleteError(upload.offset, upload.length);
    }
    await this.sync(id, upload.name);
    return upload;
  }

  /**
   * Removes an upload, also one that is being written.
   * @throws NotFoundError for one that is not there or belongs to somebody else
   * @throws UploadInUseError while TDLib may still read it for a message
   */
  async remove(id: string, caller: Caller): Promise<void> {
    await this.recordOf(id, caller);
    if (await this.isUsed(id)) {
      throw new UploadInUseError();
    }
    const writer = this.writers.get(id);
    writer?.controller.abort(new NotFoundError('upload', id));
    await writer?.done;
    await this.discard(id);
  }

  /** Removes an upload that is used up or that nobody wants any more. */
  async discard(id: string): Promise<void> {
    this.ledger.remove(id);
    await removeFolder(this.root, id);
  }

  folderOf(id: string): string {
    return join(this.root, id);
  }

  private async make(
    { name, caller, metadata }: NewUpload & { readonly name: string },
    length: number | undefined,
    expected = length,
  ): Promise<Upload> {
    await this.count(RECOUNT_MS);
    await this.requireSpace(expected ?? 0);
    const id = randomBytes(16).toString('hex');
    const record: UploadRecord = {
      name,
      owner: ownerOf(caller),
      createdAt: Date.now(),
      ...(length !== undefined && { length }),
      ...(metadata && { metadata }),
    };
    this.ledger.reserve(id, entryOf(record, expected ?? 0));
    const folder = this.folderOf(id);
    this.beingMade.add(id);
    try {
      await mkdir(folder, { mode: 0o700 });
      await writeFile(join(folder, name), '', { flag: 'wx', mode: 0o600 });
      await writeRecord(folder, record);
    } catch (error) {
      await this.discard(id).catch(() => undefined);
      throw asDiskFull(error);
    } finally {
      this.beingMade.delete(id);
    }
    return this.toUpload(id, record, 0);
  }

  /** Writes what comes to the end of the upload's file. @returns its size then */
  private async receive(
    id: string,
    record: UploadRecord,
    writer: Writer,
    { offset, source, maxBytes, sha256 }: Chunk,
  ): Promise<number> {
    const hash = sha256 && createHash('sha256');
    const handle = await openData(this.folderOf(id), record.name);
    let position = offset;
    let unchecked = 0;
    try {
      await takeIn(
        source,
        async (pieces) => {
          const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
          writer.lastByteAt = performance.now();
          if (position + bytes - offset > maxBytes) {
            throw offset === record.length
              ? new UploadCompleteError(offset)
              : new UploadTooLargeError('body exceeds allowed size', maxBytes);
          }
          if (record.length === undefined) {
            this.ledger.reserve(id, entryOf(record, position + bytes));
          }
          unchecked += bytes;
          if (unchecked >= CHECK_DISK_BYTES) {
            unchecked = 0;
            await this.requireSpace(0);
          }
          await writeAll(handle, pieces, position);
          position += bytes;
          if (hash !== undefined) pieces.forEach((piece) => hash.update(piece));
        },
        {
          signal: writer.controller.signal,
          idleMs: IDLE_MS,
          onIdle: () => new RequestTimeoutError(),
          // A single request that is cut leaves nothing; its length is not known before its end.
          onCut: (cause) => new UploadCutError(record.length !== undefined && sha256 === undefined, cause),
        },
      );
      if (hash !== undefined && !hash.digest().equals(sha256 ?? Buffer.alloc(0))) {
        throw new UploadChecksumError();
      }
      return position;
    } catch (error) {
      if (error instanceof UploadTooLargeError || sha256 !== undefined) {
        // Whatever this was, it is not the chunk that was announced.
        await handle.truncate(offset);
      } else if (codeOf(error) === 'ENOSPC') {
        await handle.truncate(position);
      }
      throw asDiskFull(error);
    } finally {
      await handle.close();
    }
  }

  /** Runs the one work at a time that writes an upload. @throws UploadBusyError, NotFoundError */
  private async exclusively<T>(id: string, work: (writer: Writer, record: UploadRecord) => Promise<T>): Promise<T> {
    // Several may have waited for the same one: nothing comes between the last look and the entry.
    while (this.writers.has(id)) {
      await this.untilFree(id);
    }
    let finish: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (finish = resolve));
    const writer: Writer = { controller: new AbortController(), done, lastByteAt: performance.now() };
    this.writers.set(id, writer);
    let lock: FolderLock | undefined;
    try {
      lock = await this.lock(id);
      const record = await readRecord(this.folderOf(id));
      if (record === undefined) {
        throw new NotFoundError('upload', id);
      }
      return await work(writer, record);
    } finally {
      await lock?.release().catch(() => undefined);
      this.writers.delete(id);
      finish();
    }
  }

  private async lock(id: string): Promise<FolderLock> {
    try {
      const lock = await lockFolder(this.folderOf(id));
      if (lock === undefined) {
        throw new UploadBusyError();
      }
      return lock;
    } catch (error) {
      throw codeOf(error) === 'ENOENT' ? new NotFoundError('upload', id) : asDiskFull(error);
    }
  }

  /** Waits for a request that is writing; one that is silent is ended, since its client may be the one that comes again. */
  private async untilFree(id: string): Promise<void> {
    const deadline = performance.now() + BUSY_MS;
    for (let writer = this.writers.get(id); writer !== undefined; writer = this.writers.get(id)) {
      if (performance.now() - writer.lastByteAt > SILENT_MS) {
        writer.controller.abort(new UploadBusyError());
        await writer.done;
      } else if (performance.now() > deadline) {
        throw new UploadBusyError();
      } else {
        await Promise.race([writer.done, sleep(BUSY_POLL_MS)]);
      }
    }
  }

  private async sync(id: string, name: string): Promise<void> {
    try {
      await syncUpload(this.root, id, name);
    } catch (error) {
      throw codeOf(error) === 'ENOENT' ? new NotFoundError('upload', id) : asDiskFull(error);
    }
  }

  /** @throws DiskFullError unless so many more bytes leave enough for everything else */
  private async requireSpace(bytes: number): Promise<void> {
    if ((await diskSpace(this.root)).freeBytes - bytes < this.config.uploads.minFreeBytes) {
      throw new DiskFullError();
    }
  }

  /** Enters what other processes have made, and strikes what they have removed. */
  private count(maxAgeMs: number): Promise<void> {
    const now = performance.now();
    if (this.counted === undefined || now - this.counted.at > maxAgeMs) {
      const done = this.recount();
      done.catch(() => (this.counted = undefined));
      this.counted = { at: now, done };
    }
    return this.counted.done;
  }

  private async recount(): Promise<void> {
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    const before = new Set(this.ledger.ids);
    for await (const { name: id } of await opendir(this.root)) {
      if (!isUploadId(id) || before.delete(id) || this.ledger.has(id)) {
        continue;
      }
      const record = await readRecord(this.folderOf(id));
      const bytes = record && (record.length ?? (await sizeOf(this.folderOf(id), record.name)));
      if (record !== undefined && bytes !== undefined && !this.ledger.has(id)) {
        this.ledger.set(id, entryOf(record, bytes));
      }
    }
    for (const id of before) {
      if (!this.beingMade.has(id) && (await readRecord(this.folderOf(id))) === undefined) {
        this.ledger.remove(id);
      }
    }
  }

  private async recordOf(id: string, caller: Caller): Promise<UploadRecord> {
    const record = isUploadId(id) ? await readRecord(this.folderOf(id)) : undefined;
    if (record === undefined || !mayUse(caller, record)) {
      throw new NotFoundError('upload', id);
    }
    return record;
  }

  /** Whether a call uses an upload; nothing uses one that is gone. */
  private async isUsed(id: string): Promise<boolean> {
    try {
      return (await readMarks(this.folderOf(id))).size > 0;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /** @returns undefined for one that is gone, or going */
  private async look(id: string): Promise<ListedUpload | undefined> {
    const folder = this.folderOf(id);
    const record = await readRecord(folder);
    const size = record && (await sizeOf(folder, record.name));
    if (record === undefined || size === undefined) {
      return undefined;
    }
    try {
      const [touched, marks] = await Promise.all([lastTouched(folder), readMarks(folder)]);
      const expiresAt = new Date(touched + this.config.uploads.ttlMs);
      return { ...this.toUpload(id, record, size), owner: record.owner, isUsed: marks.size > 0, expiresAt };
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  private toUpload(id: string, { name, length, createdAt, metadata }: UploadRecord, offset: number): Upload {
    const path = join(this.folderOf(id), name);
    return { id, name, path, offset, length, createdAt: new Date(createdAt), metadata };
  }
}

/** Whether a caller may see and use an upload: its owner may, and the master. */
export function mayUse(caller: Caller, { owner }: Pick<UploadRecord, 'owner'>): boolean {
  return caller.kind === 'master' || owner === caller.tokenId;
}

function entryOf({ owner, createdAt }: UploadRecord, bytes: number): LedgerEntry {
  return { owner, createdAt, bytes };
}

/** The newest first; of those of one moment the larger id. */
function byAge(one: PagePosition, other: PagePosition): number {
  const age = other.createdAt.getTime() - one.createdAt.getTime();
  if (age !== 0 || one.id === other.id) {
    return age;
  }
  return one.id < other.id ? 1 : -1;
}

function asDiskFull(error: unknown): unknown {
  const code = codeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT' ? new DiskFullError(error) : error;
}

/** One call may write less than it was given. */
async function writeAll(handle: FileHandle, pieces: readonly Buffer[], position: number): Promise<void> {
  let left = [...pieces];
  let at = position;
  while (left.length > 0) {
    const { bytesWritten } = await handle.writev(left, at);
    at += bytesWritten;
    let taken = bytesWritten;
    left = left.flatMap((piece) => {
      const ofThis = Math.min(taken, piece.length);
      taken -= ofThis;
      return ofThis === piece.length ? [] : [piece.subarray(ofThis)];
    });
  }
}
