import { mkdirSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RpcError } from '../rpc.js';
import type { Account } from './accounts.js';

/** A part as `upload.saveFilePart` or `upload.saveBigFilePart` brings it. */
export interface FilePart {
  readonly fileId: bigint;
  readonly index: number;
  readonly bytes: Buffer;
  /** Known for big files only; -1 while the client does not know it either. */
  readonly totalParts: number | undefined;
}

/** A file that arrived whole. Whoever takes it owns the path. */
export interface ArrivedFile {
  readonly path: string;
  readonly sizeBytes: number;
}

interface Upload {
  readonly path: string;
  readonly handle: Promise<FileHandle>;
  partSize: number | undefined;
  readonly arrived: Map<number, number>;
  /** Parts that came before the part size was known. */
  readonly waiting: Map<number, Buffer>;
}

/** https://core.telegram.org/api/files#uploading-files */
const MAX_PART_BYTES = 524_288;
const PART_UNIT = 1024;
/** 4,000 parts of 512 KiB are Telegram's 2 GB; premium accounts have twice that. */
const MAX_PARTS = 4_000;
const MAX_PARTS_PREMIUM = 8_000;

/** Parts on their way to the disk: whatever a file's size, only parts that came early wait in memory. */
export class Uploads {
  private readonly uploads = new Map<string, Upload>();

  constructor(private readonly directory: string) {
    // What a process before this one left here belongs to uploads that nobody can finish any more.
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
  }

  /** @throws RpcError when the part is not one Telegram would take. */
  async save({ id, premium }: Pick<Account, 'id' | 'premium'>, part: FilePart): Promise<void> {
    assertIsPart(part, premium ? MAX_PARTS_PREMIUM : MAX_PARTS);
    const upload = this.upload(id, part.fileId);
    upload.partSize ??= partSizeFrom(part);
    if (upload.partSize === undefined) {
      upload.waiting.set(part.index, part.bytes);
      return;
    }
    const ready: [number, Buffer][] = [[part.index, part.bytes], ...upload.waiting];
    upload.waiting.clear();
    for (const [index, bytes] of ready) await this.write(upload, upload.partSize, index, bytes);
  }

  /**
   * Hands over a file whose parts are all there.
   * @throws RpcError `400 FILE_PARTS_INVALID` or `400 FILE_PART_<n>_MISSING`
   */
  async take(accountId: number, fileId: bigint, parts: number): Promise<ArrivedFile> {
    const key = keyOf(accountId, fileId);
    const upload = this.uploads.get(key);
    if (!upload || parts < 1 || parts > MAX_PARTS_PREMIUM) throw new RpcError(400, 'FILE_PARTS_INVALID');
    for (const [index, bytes] of upload.waiting) {
      // Only the last part can be alone without a known size, and then it is the first one too.
      await this.write(upload, upload.partSize ?? bytes.length, index, bytes);
    }
    let sizeBytes = 0;
    for (let index = 0; index < parts; index++) {
      const length = upload.arrived.get(index);
      if (length === undefined) throw new RpcError(400, `FILE_PART_${String(index)}_MISSING`);
      if (index < parts - 1 && length !== upload.partSize) throw new RpcError(400, 'FILE_PART_SIZE_CHANGED');
      sizeBytes += length;
    }
    this.uploads.delete(key);
    await (await upload.handle).close();
    return { path: upload.path, sizeBytes };
  }

  /** Forgets everything that has not been taken. */
  async clear(): Promise<void> {
    const uploads = [...this.uploads.values()];
    this.uploads.clear();
    for (const upload of uploads) {
      await (await upload.handle).close();
      await rm(upload.path, { force: true });
    }
  }

  private upload(accountId: number, fileId: bigint): Upload {
    const key = keyOf(accountId, fileId);
    let upload = this.uploads.get(key);
    if (!upload) {
      const path = join(this.directory, `${String(accountId)}-${String(fileId)}`);
      upload = { path, handle: open(path, 'w'), partSize: undefined, arrived: new Map(), waiting: new Map() };
      this.uploads.set(key, upload);
    }
    return upload;
  }

  private async write(upload: Upload, partSize: number, index: number, bytes: Buffer): Promise<void> {
    const handle = await upload.handle;
    await handle.write(bytes, 0, bytes.length, index * partSize);
    upload.arrived.set(index, bytes.length);
  }
}

function assertIsPart({ index, bytes, totalParts = 0 }: FilePart, maxParts: number): void {
  if (totalParts > maxParts) throw new RpcError(400, 'FILE_PARTS_INVALID');
  if (bytes.length === 0) throw new RpcError(400, 'FILE_PART_EMPTY');
  if (bytes.length > MAX_PART_BYTES) throw new RpcError(400, 'FILE_PART_TOO_BIG');
  if (index < 0 || index >= maxParts) throw new RpcError(400, 'FILE_PART_INVALID');
}

/**
 * All parts but the last have one length, a multiple of 1 KiB. The first part therefore tells it, and so does any part
 * of a big file that is not its last.
 */
function partSizeFrom({ index, bytes, totalParts }: FilePart): number | undefined {
  const isLast = totalParts === undefined || totalParts < 0 || index === totalParts - 1;
  if (index !== 0 && isLast) return undefined;
  if (!isLast && bytes.length % PART_UNIT !== 0) throw new RpcError(400, 'FILE_PART_SIZE_INVALID');
  return bytes.length;
}

function keyOf(accountId: number, fileId: bigint): string {
  return `${String(accountId)}:${String(fileId)}`;
}
