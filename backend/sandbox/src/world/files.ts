import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RpcError } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import type { VirtualClock } from './clock.js';
import { generatedBytes, generatedPieces } from './generated.js';
import type { ImageSize } from './image-size.js';
import { IMAGE_HEAD_BYTES, imageSize } from './image-size.js';
import { randomLong } from './random.js';
import type { ArrivedFile } from './uploads.js';

/** A file that a message can carry. Its bytes never change. */
export interface StoredFile {
  readonly id: bigint;
  /** What the access hashes of the accounts are made from. */
  readonly accessHash: bigint;
  readonly kind: 'photo' | 'document';
  /** Unix seconds. */
  readonly date: number;
  readonly sizeBytes: number;
  readonly mimeType: string;
  /** `documentAttribute…` objects as the sender gave them; none for photos. */
  readonly attributes: readonly TlObject[];
  /** Of photos, and of thumbnails of documents. */
  readonly dimensions: ImageSize | undefined;
  /** The preview the sender attached. */
  readonly thumbnailId: bigint | undefined;
  /** Its bytes are made when they are read: it is as large as it says and takes no place. */
  readonly isGenerated?: boolean;
}

/** What is known of a file before it is stored. */
export type FileDescription = Partial<Pick<StoredFile, 'mimeType' | 'attributes' | 'thumbnailId'>> &
  Pick<StoredFile, 'kind'>;

export interface FilesState {
  readonly byId: Map<bigint, StoredFile>;
  /** Part of every file reference; moving on makes all older ones expire. */
  referenceEpoch: number;
  /** Seconds a reference is good for; 0 is for ever. */
  referenceLifetime: number;
}

/** First byte of a reference, so that anything else is recognised as not one of ours. */
const REFERENCE_TAG = 0x53;
const REFERENCE_BYTES = 9;
/** https://core.telegram.org/api/files#verifying-downloaded-chunks */
const HASHED_BYTES = 131_072;
const HASHES_AT_ONCE = 8;

/** Photos and documents, one file on disk each. Equal files are kept apart: nothing is deduplicated. */
export class Files {
  state: FilesState = Files.emptyState();
  private readonly hashes = new Map<bigint, Promise<string>>();
  private served = 0;

  constructor(
    private readonly directory: string,
    private readonly clock: VirtualClock,
  ) {
    mkdirSync(directory, { recursive: true });
  }

  static emptyState(): FilesState {
    return { byId: new Map(), referenceEpoch: 1, referenceLifetime: 0 };
  }

  /** Takes over an uploaded file. @throws RpcError `400 IMAGE_PROCESS_FAILED` when a photo is no image. */
  async adopt(arrived: ArrivedFile, description: FileDescription): Promise<StoredFile> {
    const dimensions = await dimensionsOf(arrived.path);
    if (description.kind === 'photo' && !dimensions) throw new RpcError(400, 'IMAGE_PROCESS_FAILED');
    const file = this.describe(arrived.sizeBytes, description, dimensions);
    await rename(arrived.path, this.pathOf(file.id));
    this.state.byId.set(file.id, file);
    return file;
  }

  /** Stores bytes that a test brings. @throws RpcError as `adopt` */
  async create(bytes: Buffer, description: FileDescription): Promise<StoredFile> {
    const path = join(this.directory, `incoming-${String(randomLong())}`);
    await writeFile(path, bytes);
    return this.adopt({ path, sizeBytes: bytes.length }, description);
  }

  /** A document of that many bytes which are made when they are read, always the same. */
  generate(sizeBytes: number, description: FileDescription): StoredFile {
    const file = { ...this.describe(sizeBytes, description, undefined), isGenerated: true };
    this.state.byId.set(file.id, file);
    return file;
  }

  /** Stores a copy of a file that a test names. @throws RpcError as `adopt` */
  async copyFrom(source: string, description: FileDescription): Promise<StoredFile> {
    const path = join(this.directory, `incoming-${String(randomLong())}`);
    await copyFile(source, path);
    return this.adopt({ path, sizeBytes: (await stat(path)).size }, description);
  }

  find(id: bigint): StoredFile | undefined {
    return this.state.byId.get(id);
  }

  /** How many bytes clients were given since the start. */
  get servedBytes(): number {
    return this.served;
  }

  /** At most `limit` bytes from `offset`, for a client; empty behind the end. */
  async read(file: StoredFile, offset: number, limit: number): Promise<Buffer> {
    const bytes = await this.bytesOf(file, offset, limit);
    this.served += bytes.length;
    return bytes;
  }

  /** SHA-256 of the blocks of 128 KiB from the one that has `offset` on, some at a time. */
  async blockHashes(file: StoredFile, offset: number): Promise<{ offset: number; limit: number; hash: Buffer }[]> {
    const hashes = [];
    const first = offset - (offset % HASHED_BYTES);
    const end = Math.min(file.sizeBytes, first + HASHES_AT_ONCE * HASHED_BYTES);
    for (let at = first; at < end; at += HASHED_BYTES) {
      const block = await this.bytesOf(file, at, HASHED_BYTES);
      hashes.push({ offset: at, limit: block.length, hash: createHash('sha256').update(block).digest() });
    }
    return hashes;
  }

  private async bytesOf(file: StoredFile, offset: number, limit: number): Promise<Buffer> {
    const length = Math.max(0, Math.min(limit, file.sizeBytes - offset));
    if (file.isGenerated === true) return generatedBytes(offset, length);
    const bytes = Buffer.allocUnsafe(length);
    if (length === 0) return bytes;
    const handle = await open(this.pathOf(file.id), 'r');
    try {
      const { bytesRead } = await handle.read(bytes, 0, length, offset);
      return bytes.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  /** Hexadecimal SHA-256 of the contents, computed when first asked for. */
  sha256(file: StoredFile): Promise<string> {
    let hash = this.hashes.get(file.id);
    if (!hash) {
      hash = hashOf(
        file.isGenerated === true
          ? Readable.from(generatedPieces(file.sizeBytes))
          : createReadStream(this.pathOf(file.id)),
      );
      this.hashes.set(file.id, hash);
    }
    return hash;
  }

  /**
   * What an account has to show for a file. Each account has its own, so that the file id of one bot is no good to another
   * (https://core.telegram.org/bots/api#sending-files).
   */
  accessHash({ accessHash }: StoredFile, accountId: number): bigint {
    const digest = createHash('sha256')
      .update(`${String(accessHash)}:${String(accountId)}`)
      .digest();
    return digest.readBigUInt64LE() >> 1n;
  }

  /** A fresh file reference (https://core.telegram.org/api/file-references). */
  reference(): Buffer {
    const bytes = Buffer.alloc(REFERENCE_BYTES);
    bytes.writeUInt8(REFERENCE_TAG, 0);
    bytes.writeUInt32LE(this.state.referenceEpoch, 1);
    bytes.writeUInt32LE(this.clock.seconds(), 5);
    return bytes;
  }

  /** @returns the error text Telegram has for this reference, or undefined when it is good. */
  referenceProblem(
    reference: Buffer,
  ): 'FILE_REFERENCE_EMPTY' | 'FILE_REFERENCE_INVALID' | 'FILE_REFERENCE_EXPIRED' | undefined {
    if (reference.length === 0) return 'FILE_REFERENCE_EMPTY';
    if (reference.length !== REFERENCE_BYTES || reference[0] !== REFERENCE_TAG) return 'FILE_REFERENCE_INVALID';
    if (reference.readUInt32LE(1) < this.state.referenceEpoch) return 'FILE_REFERENCE_EXPIRED';
    const { referenceLifetime } = this.state;
    const age = this.clock.seconds() - reference.readUInt32LE(5);
    return referenceLifetime > 0 && age > referenceLifetime ? 'FILE_REFERENCE_EXPIRED' : undefined;
  }

  /** Every reference handed out so far stops being good. */
  expireReferences(): void {
    this.state.referenceEpoch += 1;
  }

  /** Links every file into another directory; files never change, so that is a copy. */
  async exportTo(directory: string): Promise<void> {
    await mkdir(directory, { recursive: true });
    for (const { id, isGenerated } of this.state.byId.values()) {
      if (isGenerated !== true) await link(this.pathOf(id), join(directory, String(id)));
    }
  }

  /** Replaces the files on disk with those that `exportTo` wrote. The state is replaced by the caller. */
  async importFrom(directory: string): Promise<void> {
    await this.clear();
    for (const name of await readdir(directory)) await link(join(directory, name), join(this.directory, name));
  }

  async clear(): Promise<void> {
    this.hashes.clear();
    await rm(this.directory, { recursive: true, force: true });
    await mkdir(this.directory, { recursive: true });
  }

  private pathOf(id: bigint): string {
    return join(this.directory, String(id));
  }

  private describe(
    sizeBytes: number,
    { kind, mimeType, attributes = [], thumbnailId }: FileDescription,
    dimensions: ImageSize | undefined,
  ): StoredFile {
    return {
      id: randomLong(),
      accessHash: randomLong(),
      kind,
      date: this.clock.seconds(),
      sizeBytes,
      mimeType: mimeType ?? (kind === 'photo' ? 'image/jpeg' : 'application/octet-stream'),
      attributes,
      dimensions,
      thumbnailId,
    };
  }
}

async function dimensionsOf(path: string): Promise<ImageSize | undefined> {
  const handle = await open(path, 'r');
  try {
    const head = Buffer.alloc(IMAGE_HEAD_BYTES);
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    return imageSize(head.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

async function hashOf(source: Readable): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(source, hash);
  return hash.digest('hex');
}
