import { createHash, type Hash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../config/index.js';
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
    {
      sliceBytes,
      sizeBytes = Infinity,
      hashes,
    }: { sliceBytes: number; sizeBytes?: number | undefined; hashes: BodyHashes },
  ): AsyncGenerator<Slice> {
    const pieces = body[Symbol.asyncIterator]();
    let left = sizeBytes;
    let rest: Buffer | undefined;
    try {
      for (;;) {
        // At the end of a body of known length what is left to be read is its end.
        const writer = await this.begin(Math.min(sliceBytes, Math.max(0, left)));
        try {
          rest ??= await nextOf(pieces);
          while (rest !== undefined) {
            const piece: Buffer = rest.subarray(0, sliceBytes - writer.sizeBytes);
            hashes.update(piece);
            await writer.write(piece);
            rest = piece.length < rest.length ? rest.subarray(piece.length) : undefined;
            if (writer.sizeBytes === sliceBytes) break;
            rest ??= await nextOf(pieces);
          }
        } catch (error) {
          await writer.abandon();
          throw error;
        }
        if (writer.sizeBytes === 0) {
          await writer.abandon();
          return;
        }
        left -= writer.sizeBytes;
        yield await writer.finish();
      }
    } finally {
      await pieces.return?.();
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
    return new SliceWriter(path, release);
  }
}

class SliceWriter {
  sizeBytes = 0;
  private readonly hash = createHash('sha256');
  private file: FileHandle | undefined;

  constructor(
    private readonly path: string,
    private readonly release: () => Promise<void>,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    this.file ??= await open(this.path, 'wx', 0o600);
    this.hash.update(bytes);
    this.sizeBytes += bytes.length;
    await this.file.writeFile(bytes);
  }

  async finish(): Promise<Slice> {
    await this.file?.close();
    const { path, sizeBytes, release } = this;
    return { path, sizeBytes, sha256: this.hash.digest('hex'), release };
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
