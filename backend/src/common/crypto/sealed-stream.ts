import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { MasterKeyMismatchError } from '../errors/errors.js';

const MAGIC = Buffer.from('TGS1');
const KEY_ID_BYTES = 4;
const SALT_BYTES = 32;
const HEAD_BYTES = MAGIC.length + KEY_ID_BYTES + SALT_BYTES;
const TAG_BYTES = 16;
const LENGTH_BYTES = 4;
const PIECE_BYTES = 64 * 1024;

type Bytes = AsyncIterable<Uint8Array>;

/**
 * Encrypts a stream of any length in pieces of 64 KiB, each with AES-256-GCM. The key is of this one stream: from the long-lived
 * key, a random salt and what the stream is, so that a piece opens in no other stream and no other place of its own. The last piece
 * says that it is the last: a stream that was cut off does not open.
 * @param keyId 8 hexadecimal digits
 * @param what the stream is, such as whose state; authenticated
 */
export async function* sealStream(key: Buffer, keyId: string, what: string, source: Bytes): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const streamKey = keyOf(key, salt, what);
  yield Buffer.concat([MAGIC, Buffer.from(keyId, 'hex'), salt]);
  let index = 0;
  const sealed = (piece: Buffer, isLast: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', streamKey, nonceOf(index++, isLast), { authTagLength: TAG_BYTES });
    const data = Buffer.concat([cipher.update(piece), cipher.final()]);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(isLast ? data.length : data.length + LAST_PIECE_LIMIT);
    return Buffer.concat([length, data, cipher.getAuthTag()]);
  };
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length > PIECE_BYTES) {
      yield sealed(rest.subarray(0, PIECE_BYTES), false);
      rest = rest.subarray(PIECE_BYTES);
    }
  }
  yield sealed(rest, true);
}

/** Lengths from here on are those of pieces that another one follows. */
const LAST_PIECE_LIMIT = 2 ** 31;

/**
 * Opens what {@link sealStream} wrote. What it yields before it ends is authentic, but may be cut: use it only after the end.
 * @throws MasterKeyMismatchError for another key, another `what`, or bytes that were changed, cut off or added
 */
export async function* openStream(key: Buffer, keyId: string, what: string, source: Bytes): AsyncGenerator<Buffer> {
  const reader = new Reader(source);
  const head = await reader.take(HEAD_BYTES);
  if (head === undefined || !head.subarray(0, MAGIC.length).equals(MAGIC)) throw damaged(what);
  if (head.toString('hex', MAGIC.length, MAGIC.length + KEY_ID_BYTES) !== keyId) {
    throw new MasterKeyMismatchError(`${what} was encrypted with another key`);
  }
  const streamKey = keyOf(key, head.subarray(MAGIC.length + KEY_ID_BYTES), what);
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
