import { createHash, type Hash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RequestTimeoutError } from '../../common/errors/index.js';
import { AppConfig } from '../../config/index.js';
import { UploadCutError } from '../uploads/index.js';
import { PoolSaturatedError } from './dispatcher/dispatcher.errors.js';

/** A stretch of a body, in a file that can be read again and again. */
export interface Slice {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Removes the file and gives its room back. */
  readonly release: () => Promise<void>;
}

/** What the slices of all bodies in this process may take at once. */
const SPOOL_BYTES = 1024 ** 3;
/** Bodies that may wait for room in it; their clients are connected meanwhile. */
const MAX_WAITING = 256;
const RETRY_AFTER_MS = 10_000;
/** How long a client may be silent in the middle of a body that is being read. */
const IDLE_MS = 30_000;
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

  /** Cuts a body. Whoever takes a slice releases it; one that breaks off leaves none but those that were taken. */
  async *slices(body: Readable, sliceBytes: number, hashes: BodyHashes): AsyncGenerator<Slice> {
    const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
    const next = (): Promise<Buffer | undefined> => nextOf(body, pieces);
    let rest: Buffer | undefined;
    for (;;) {
      rest ??= await next();
      if (rest === undefined) return;
      const writer = await this.begin(sliceBytes);
      try {
        while (rest !== undefined) {
          const piece: Buffer = rest.subarray(0, sliceBytes - writer.sizeBytes);
          hashes.update(piece);
          await writer.write(piece);
          rest = piece.length < rest.length ? rest.subarray(piece.length) : undefined;
          if (writer.sizeBytes === sliceBytes) break;
          rest ??= await next();
        }
      } catch (error) {
        await writer.abandon();
        throw error;
      }
      yield await writer.finish();
    }
  }

  private async begin(reserve: number): Promise<SliceWriter> {
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
    try {
      return new SliceWriter(path, await open(path, 'wx', 0o600), release);
    } catch (error) {
      await release();
      throw error;
    }
  }
}

class SliceWriter {
  sizeBytes = 0;
  private readonly hash = createHash('sha256');

  constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private readonly release: () => Promise<void>,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    this.hash.update(bytes);
    this.sizeBytes += bytes.length;
    await this.file.writeFile(bytes);
  }

  async finish(): Promise<Slice> {
    await this.file.close();
    const { path, sizeBytes, release } = this;
    return { path, sizeBytes, sha256: this.hash.digest('hex'), release };
  }

  async abandon(): Promise<void> {
    await this.file.close();
    await this.release();
  }
}

/** The next piece that has bytes. @throws UploadCutError, RequestTimeoutError */
async function nextOf(body: Readable, pieces: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  const timer = setTimeout(() => body.destroy(new RequestTimeoutError()), IDLE_MS);
  try {
    for (;;) {
      const piece = await pieces.next();
      if (piece.done === true) return undefined;
      if (piece.value.length > 0) return piece.value;
    }
  } catch (error) {
    throw error instanceof RequestTimeoutError ? error : new UploadCutError(false, error);
  } finally {
    clearTimeout(timer);
  }
}
