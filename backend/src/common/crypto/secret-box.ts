import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { MasterKeyMismatchError } from '../errors/errors.js';
import { openStream, sealStream } from './sealed-stream.js';

/** Where a sealed value is stored. It is authenticated with the value, so that one row's secret cannot be put into another. */
export interface SealedAt {
  readonly table: string;
  readonly column: string;
  readonly id: string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts what is stored, with AES-256-GCM under MASTER_KEY. */
export class SecretBox {
  /** Tells keys apart without revealing them: the start of the key's hash. */
  readonly keyId: string;

  /** @param key 32 bytes */
  constructor(private readonly key: Buffer) {
    if (key.length !== 32) throw new RangeError('the key must have 32 bytes');
    this.keyId = createHash('sha256').update('tgcontrol key id').update(key).digest('hex').slice(0, 8);
  }

  /** The text to store: `v1.<key id>.<nonce>.<tag>.<data>`, base64url. */
  seal(plaintext: string | Buffer, where: SealedAt): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(associated(where));
    const data = Buffer.concat([
      cipher.update(typeof plaintext === 'string' ? Buffer.from(plaintext, 'utf8') : plaintext),
      cipher.final(),
    ]);
    return ['v1', this.keyId, ...[nonce, cipher.getAuthTag(), data].map((part) => part.toString('base64url'))].join(
      '.',
    );
  }

  /** Encrypts a stream of any length; see {@link sealStream}. @param what the stream is, which {@link openStream} has to know */
  sealStream(what: string, source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    return sealStream(this.key, this.keyId, what, source);
  }

  /** @throws MasterKeyMismatchError while it is read: for another key, another stream, or one that was changed or cut off */
  openStream(what: string, source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    return openStream(this.key, this.keyId, what, source);
  }

  /** @throws MasterKeyMismatchError for another key, another place, or a value that was changed */
  open(sealed: string, where: SealedAt): Buffer {
    const [version, keyId, nonce, tag, data] = sealed.split('.');
    if (version !== 'v1' || keyId === undefined || nonce === undefined || tag === undefined || data === undefined) {
      throw new MasterKeyMismatchError(`the stored secret ${where.table}.${where.column} is not readable`);
    }
    if (keyId !== this.keyId) throw new MasterKeyMismatchError();
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key, Buffer.from(nonce, 'base64url'), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(associated(where));
      decipher.setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(data, 'base64url')), decipher.final()]);
    } catch {
      throw new MasterKeyMismatchError(`the stored secret ${where.table}.${where.column} does not open`);
    }
  }
}

function associated({ table, column, id }: SealedAt): Buffer {
  return Buffer.from(JSON.stringify([table, column, id]), 'utf8');
}
