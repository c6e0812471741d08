import { createHash, type Hash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { plainSize, sealedSize, StreamSealer } from '../../common/crypto/sealed-stream.js';
import { notePassed } from '../../common/memory/passing-bytes.js';
import { AppConfig } from '../../config/index.js';
import { PoolSaturatedError } from './dispatcher/dispatcher.errors.js';
import type { PoolKey } from './pool-keys.js';

/** A stretch of a body, in a file that can be read again and again. */
export interface Slice {
  readonly path: string;
  /** Of the file. */
  readonly sizeBytes: number;
  /** Of the file, hexadecimal. */
  readonly sha256: string;
  /** What the file begins with when it is encrypted. */
  readonly sealHead: Buffer | undefined;
  /** Removes the file and gives its room back. */
  readonly release: () => Promise<void>;
}

/** How a body is cut. */
interface SliceOptions {
  /** Of a file at most. */
  readonly sliceBytes: number;
  /** How many bytes will come, where that is known. */
  readonly sizeBytes?: number | undefined;
  /** Of the whole body. */
  readonly hashes?: BodyHashes;
  /** What the files are encrypted with, if they are. */
  readonly key?: PoolKey | undefined;
}

/** What the slices of all bodies in this process may take at once. */
const SPOOL_BYTES = 1024 ** 3;
/** Bodies that may wait for room in it; their clients are connected meanwhile. */
const MAX_WAITING = 256;
const RETRY_AFTER_MS = 10_000;
/** Files that a killed process has left are nobody's after so long. */
const LEFT_AFTER_MS = 24 * 3_600_000;

/** Hashes of a whole body. */
export class BodyHashes {
  readonly sha256: Hash = createHash('sha256');
  readonly md5: Hash = createHash('md5');

  update(bytes: Uint8Array): void {
    this.sha256.update(bytes);
    this.md5.update(bytes);
  }
}

/**
 * Bodies on their way into messages: cut into files, as a send may have to be made again over another bot. While the room is used up
 * no body is read, so that the client waits.
 */
@Injectable()
export class Spool implements OnModuleInit {
  protected readonly limitBytes: number = SPOOL_BYTES;
  private readonly directory: string;
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(config: AppConfig) {
    // Below the folder of uploads, which gateways and workers share.
    this.directory = join(config.uploads.dir, '.pools');
  }

  async onModuleInit(): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.directory)) {
      const path = join(this.directory, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > LEFT_AFTER_MS) await rm(path, { force: true });
    }
  }

  /** @throws PoolSaturatedError when as many bodies as may wait for room */
  admit(): void {
    if (this.waiting.length >= MAX_WAITING) {
      throw new PoolSaturatedError('too many uploads wait for room on the disk', RETRY_AFTER_MS);
    }
  }

  /**
   * Cuts a body, of which nothing is read before there is room for it. Whoever takes a slice releases it; one that breaks off leaves
   * none but those that were taken.
   */
  async *slices(
    body: AsyncIterable<Buffer>,
    { sliceBytes: fileBytes, sizeBytes = Infinity, hashes, key }: SliceOptions,
  ): AsyncGenerator<Slice> {
    const sliceBytes = key === undefined ? fileBytes : plainSize(fileBytes);
    const pieces = body[Symbol.asyncIterator]();
    let left = sizeBytes;
    let rest: Buffer | undefined;
    try {
      for (;;) {
        // At the end of a body of known length what is left to be read is its end.
        const writer = await this.begin(Math.min(sliceBytes, Math.max(0, left)), key);
        try {
          rest ??= await nextOf(pieces);
          while (rest !== undefined) {
            const piece: Buffer = rest.subarray(0, sliceBytes - writer.plainBytes);
            hashes?.update(piece);
            await writer.write(piece);
            notePassed(piece.length);
            rest = piece.length < rest.length ? rest.subarray(piece.length) : undefined;
            if (writer.plainBytes === sliceBytes) break;
            rest ??= await nextOf(pieces);
          }
        } catch (error) {
          await writer.abandon();
          throw error;
        }
        if (writer.plainBytes === 0) {
          await writer.abandon();
          return;
        }
        left -= writer.plainBytes;
        yield await writer.finish();
      }
    } finally {
      await pieces.return?.();
    }
  }

  /** A whole file, encrypted into another one; the file itself stays. */
  async seal(path: string, sizeBytes: number, key: PoolKey): Promise<Slice> {
    const slices = this.slices(createReadStream(path), { sliceBytes: sealedSize(sizeBytes), sizeBytes, key });
    for await (const slice of slices) return slice;
    throw new Error('the file is empty');
  }

  private async begin(plainBytes: number, key: PoolKey | undefined): Promise<SliceWriter> {
    const reserve = key === undefined || plainBytes === 0 ? plainBytes : sealedSize(plainBytes);
    while (this.taken > 0 && this.taken + reserve > this.limitBytes) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.taken += reserve;
    const path = join(this.directory, randomBytes(16).toString('hex'));
    const release = async (): Promise<void> => {
      this.taken -= reserve;
      for (const wake of this.waiting.splice(0)) wake();
      await rm(path, { force: true });
    };
    return new SliceWriter(path, release, key);
  }
}

class SliceWriter {
  /** Of the body. */
  plainBytes = 0;
  private sizeBytes = 0;
  private readonly hash = createHash('sha256');
  private readonly sealer: StreamSealer | undefined;
  private file: FileHandle | undefined;

  constructor(
    private readonly path: string,
    private readonly release: () => Promise<void>,
    key: PoolKey | undefined,
  ) {
    this.sealer = key && new StreamSealer(key.key, key.keyId, key.what);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.sealer !== undefined && this.plainBytes === 0) await this.append(this.sealer.head);
    this.plainBytes += bytes.length;
    await this.append(this.sealer === undefined ? bytes : this.sealer.update(bytes));
  }

  async finish(): Promise<Slice> {
    if (this.sealer !== undefined) await this.append(this.sealer.end());
    await this.file?.close();
    const { path, sizeBytes, release, sealer } = this;
    return { path, sizeBytes, sha256: this.hash.digest('hex'), sealHead: sealer?.head, release };
  }

  private async append(bytes: Uint8Array): Promise<void> {
    this.file ??= await open(this.path, 'wx', 0o600);
    this.hash.update(bytes);
    this.sizeBytes += bytes.length;
    await this.file.writeFile(bytes);
  }

  async abandon(): Promise<void> {
    await this.file?.close();
    await this.release();
  }
}

/** The next piece that has bytes. */
async function nextOf(pieces: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  for (;;) {
    const piece = await pieces.next();
    if (piece.done === true) return undefined;
    if (piece.value.length > 0) return piece.value;
  }
}
