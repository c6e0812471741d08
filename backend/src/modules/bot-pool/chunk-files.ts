import { createHash, randomBytes } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { createSHA256 } from 'hash-wasm';
import { AppConfig } from '../../config/index.js';
import { diskSpace, DiskFullError } from '../uploads/index.js';

const READ_BYTES = 1024 * 1024;

/** Hashes of a chunk, and the state of that of the whole behind it. */
export interface ChunkHashes {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly md5: string;
  readonly hashState: Buffer;
}

/** The state of a SHA-256 before its first byte. Node's own hashes cannot be written down and gone on with elsewhere. */
export async function emptyHash(): Promise<Buffer> {
  return Buffer.from((await createSHA256()).init().save());
}

/** @returns the SHA-256, hexadecimal, of what a state has seen */
export async function digestOf(hashState: Buffer): Promise<string> {
  return (await createSHA256()).load(hashState).digest('hex');
}

/** A file that is written. */
export class ChunkFile {
  constructor(private readonly handle: FileHandle) {}

  /** At a place, and not at the end: whoever was taken for dead and is not writes what is there already. */
  async write(bytes: Buffer, position: number): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      at += (await this.handle.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
    }
  }

  /** What was written survives a loss of power. */
  async close(): Promise<void> {
    try {
      await this.handle.datasync();
    } finally {
      await this.handle.close();
    }
  }
}

/**
 * The bytes of resumable uploads that are in no message yet, below the folder of uploads, which all processes share. Their names
 * are random: messages whose answers were lost are looked for by them.
 */
@Injectable()
export class ChunkFiles implements OnModuleInit {
  private readonly directory: string;

  constructor(private readonly config: AppConfig) {
    this.directory = join(config.uploads.dir, '.pool-uploads');
  }

  async onModuleInit(): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
  }

  newName(): string {
    return randomBytes(16).toString('hex');
  }

  pathOf(name: string): string {
    return join(this.directory, name);
  }

  /** Opens a file to write into it, also one that is not there yet. What is there beyond `bytes` was never acknowledged, and goes. */
  async open(name: string, bytes: number): Promise<ChunkFile> {
    const handle = await open(this.pathOf(name), constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    try {
      await handle.truncate(bytes);
      return new ChunkFile(handle);
    } catch (error) {
      await handle.close().catch(() => undefined);
      throw error;
    }
  }

  /** @param hashState of the whole before this chunk */
  async hashesOf(name: string, hashState: Buffer): Promise<ChunkHashes> {
    const [sha256, md5] = [createHash('sha256'), createHash('md5')];
    const whole = (await createSHA256()).load(hashState);
    for await (const piece of createReadStream(this.pathOf(name), { highWaterMark: READ_BYTES })) {
      const bytes = piece as Buffer;
      sha256.update(bytes);
      md5.update(bytes);
      whole.update(bytes);
    }
    return { sha256: sha256.digest('hex'), md5: md5.digest('hex'), hashState: Buffer.from(whole.save()) };
  }

  /** How many bytes a file has; undefined when it is not there. */
  async sizeOf(name: string): Promise<number | undefined> {
    return lstat(this.pathOf(name)).then(
      (entry) => (entry.isFile() ? entry.size : undefined),
      () => undefined,
    );
  }

  async remove(name: string): Promise<void> {
    await rm(this.pathOf(name), { force: true });
  }

  /** Names of files that nobody has changed for so long. */
  async olderThan(ms: number): Promise<string[]> {
    const old: string[] = [];
    for (const name of await readdir(this.directory)) {
      const entry = await lstat(this.pathOf(name)).catch(() => undefined);
      if (entry !== undefined && Date.now() - entry.mtimeMs > ms) old.push(name);
    }
    return old;
  }

  /** @throws DiskFullError when what is left of the disk is for the databases of sessions */
  async requireSpace(bytes: number): Promise<void> {
    const { freeBytes } = await diskSpace(this.directory);
    if (freeBytes - bytes < this.config.uploads.minFreeBytes) throw new DiskFullError();
  }
}
