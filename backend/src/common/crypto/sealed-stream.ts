import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { MasterKeyMismatchError } from '../errors/errors.js';

const MAGIC = Buffer.from('TGS1');
const KEY_ID_BYTES = 4;
const SALT_BYTES = 32;
const HEAD_BYTES = MAGIC.length + KEY_ID_BYTES + SALT_BYTES;
const TAG_BYTES = 16;
const LENGTH_BYTES = 4;
const PIECE_BYTES = 64 * 1024;
/** Around each piece: its length before it, its tag behind it. */
const AROUND_BYTES = LENGTH_BYTES + TAG_BYTES;

type Bytes = AsyncIterable<Uint8Array>;

/** How long what {@link sealStream} makes of so many bytes is. */
export function sealedSize(plainBytes: number): number {
  return HEAD_BYTES + plainBytes + piecesOf(plainBytes) * AROUND_BYTES;
}

/** How many bytes were sealed to so many: the inverse of {@link sealedSize}. */
export function plainSize(sealedBytes: number): number {
  const body = sealedBytes - HEAD_BYTES;
  return body - Math.max(1, Math.ceil(body / (PIECE_BYTES + AROUND_BYTES))) * AROUND_BYTES;
}

/** Where what {@link openStretch} needs for a stretch of bytes is in what was sealed. */
export function sealedStretch({ from, to, of }: Stretch): { readonly from: number; readonly to: number } {
  const [first, behindLast] = [Math.floor(from / PIECE_BYTES), Math.ceil(to / PIECE_BYTES)];
  const at = (piece: number): number => HEAD_BYTES + piece * (PIECE_BYTES + AROUND_BYTES);
  return { from: at(first), to: Math.min(at(behindLast), sealedSize(of)) };
}

/** Bytes of a stream, before it was sealed: from one up to another, of so many altogether. At least one. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly of: number;
}

/**
 * Encrypts a stream of any length in pieces of 64 KiB, each with AES-256-GCM. The key is of this one stream: from the long-lived
 * key, a random salt and what the stream is, so that a piece opens in no other stream and no other place of its own. The last piece
 * says that it is the last: a stream that was cut off does not open.
 */
export class StreamSealer {
  /** What comes before all else. */
  readonly head: Buffer;
  private readonly streamKey: Buffer;
  private index = 0;
  private rest: Buffer = Buffer.alloc(0);

  /**
   * @param keyId 8 hexadecimal digits
   * @param what the stream is, such as whose state; authenticated
   */
  constructor(key: Buffer, keyId: string, what: string) {
    const salt = randomBytes(SALT_BYTES);
    this.streamKey = keyOf(key, salt, what);
    this.head = Buffer.concat([MAGIC, Buffer.from(keyId, 'hex'), salt]);
  }

  /** @returns what is ready of it */
  update(chunk: Uint8Array): Buffer {
    const sealed: Buffer[] = [];
    this.rest = Buffer.concat([this.rest, chunk]);
    while (this.rest.length > PIECE_BYTES) {
      sealed.push(this.seal(this.rest.subarray(0, PIECE_BYTES), false));
      this.rest = this.rest.subarray(PIECE_BYTES);
    }
    return Buffer.concat(sealed);
  }

  /** @returns the rest: it is the end */
  end(): Buffer {
    return this.seal(this.rest, true);
  }

  private seal(piece: Buffer, isLast: boolean): Buffer {
    const nonce = nonceOf(this.index++, isLast);
    const cipher = createCipheriv('aes-256-gcm', this.streamKey, nonce, { authTagLength: TAG_BYTES });
    const data = Buffer.concat([cipher.update(piece), cipher.final()]);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(isLast ? data.length : data.length + LAST_PIECE_LIMIT);
    return Buffer.concat([length, data, cipher.getAuthTag()]);
  }
}

/** Encrypts a stream as {@link StreamSealer} does. */
export async function* sealStream(key: Buffer, keyId: string, what: string, source: Bytes): AsyncGenerator<Buffer> {
  const sealer = new StreamSealer(key, keyId, what);
  yield sealer.head;
  for await (const chunk of source) {
    const sealed = sealer.update(chunk);
    if (sealed.length > 0) yield sealed;
  }
  yield sealer.end();
}

/** Lengths from here on are those of pieces that another one follows. */
const LAST_PIECE_LIMIT = 2 ** 31;

/**
 * Opens what {@link sealStream} wrote. What it yields before it ends is authentic, but may be cut: use it only after the end.
 * @throws MasterKeyMismatchError for another key, another `what`, or bytes that were changed, cut off or added
 */
export async function* openStream(key: Buffer, keyId: string, what: string, source: Bytes): AsyncGenerator<Buffer> {
  const reader = new Reader(source);
  const streamKey = keyBehind(await reader.take(HEAD_BYTES), key, keyId, what);
  for (let index = 0; ; index++) {
    const marked = (await reader.take(LENGTH_BYTES))?.readUInt32BE();
    if (marked === undefined) throw damaged(what);
    const isLast = marked < LAST_PIECE_LIMIT;
    const length = isLast ? marked : marked - LAST_PIECE_LIMIT;
    const sealed = length > PIECE_BYTES ? undefined : await reader.take(length + TAG_BYTES);
    if (sealed === undefined) throw damaged(what);
    yield openPiece(streamKey, nonceOf(index, isLast), sealed, what);
    if (!isLast) continue;
    if ((await reader.take(1)) !== undefined) throw damaged(what);
    return;
  }
}

/**
 * Opens a stretch of what {@link sealStream} wrote. What it yields is authentic, and in its place.
 * @param head of the stream, see {@link StreamSealer.head}
 * @param source where {@link sealedStretch} says
 * @throws MasterKeyMismatchError as {@link openStream}
 */
export async function* openStretch(
  {
    key,
    keyId,
    what,
    head,
  }: { readonly key: Buffer; readonly keyId: string; readonly what: string; readonly head: Buffer },
  { from, to, of }: Stretch,
  source: Bytes,
): AsyncGenerator<Buffer> {
  const reader = new Reader(source);
  const streamKey = keyBehind(head, key, keyId, what);
  const last = piecesOf(of) - 1;
  try {
    for (let index = Math.floor(from / PIECE_BYTES); index * PIECE_BYTES < to; index++) {
      const begin = index * PIECE_BYTES;
      const sealed = await reader.take(Math.min(PIECE_BYTES, of - begin) + AROUND_BYTES);
      if (sealed === undefined) throw damaged(what);
      const piece = openPiece(streamKey, nonceOf(index, index === last), sealed.subarray(LENGTH_BYTES), what);
      yield piece.subarray(Math.max(0, from - begin), to - begin);
    }
  } finally {
    await reader.close();
  }
}

function piecesOf(plainBytes: number): number {
  return Math.max(1, Math.ceil(plainBytes / PIECE_BYTES));
}

function keyBehind(head: Buffer | undefined, key: Buffer, keyId: string, what: string): Buffer {
  if (head?.length !== HEAD_BYTES || !head.subarray(0, MAGIC.length).equals(MAGIC)) throw damaged(what);
  if (head.toString('hex', MAGIC.length, MAGIC.length + KEY_ID_BYTES) !== keyId) {
    throw new MasterKeyMismatchError(`${what} was encrypted with another key`);
  }
  return keyOf(key, head.subarray(MAGIC.length + KEY_ID_BYTES), what);
}

function openPiece(key: Buffer, nonce: Buffer, sealed: Buffer, what: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)), decipher.final()]);
  } catch {
    throw damaged(what);
  }
}

function keyOf(key: Buffer, salt: Buffer, what: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `tgcontrol stream ${what}`, 32));
}

/** The place in the stream and whether it ends there: both are authenticated by being part of the nonce. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt8(isLast ? 1 : 0, 0);
  nonce.writeBigUInt64BE(BigInt(index), 4);
  return nonce;
}

function damaged(what: string): Error {
  return new MasterKeyMismatchError(`${what} does not open: it was changed, cut off, or belongs to something else`);
}

/** Takes counted bytes out of chunks of any size. */
class Reader {
  private readonly chunks: AsyncIterator<Uint8Array>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(source: Bytes) {
    this.chunks = source[Symbol.asyncIterator]();
  }

  /** Nobody wants more. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  /** @returns undefined when fewer bytes are left */
  async take(count: number): Promise<Buffer | undefined> {
    const parts = [this.rest];
    let size = this.rest.length;
    while (size < count) {
      const next = await this.chunks.next();
      if (next.done === true) return undefined;
      const { buffer, byteOffset, byteLength } = next.value;
      parts.push(Buffer.from(buffer, byteOffset, byteLength));
      size += byteLength;
    }
    const all = parts.length === 1 ? this.rest : Buffer.concat(parts);
    this.rest = all.subarray(count);
    return all.subarray(0, count);
  }
}
