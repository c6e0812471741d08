import { createCipheriv, createDecipheriv, type Cipher, type Decipher } from 'node:crypto';
import { sha256 } from './crypto/hashes.js';

/** Bytes a client sends before its first frame. */
export const OBFUSCATION_HEADER_BYTES = 64;

/** How frames are told apart (https://core.telegram.org/mtproto/mtproto-transports). */
export type Framing = 'intermediate' | 'padded-intermediate';

/** What a client's obfuscation header says, and the two ciphers it sets up. */
export interface Obfuscation {
  readonly framing: Framing;
  /** Number of the data centre the client means to talk to. */
  readonly dc: number;
  readonly testMode: boolean;
  /** The client wants to load media only. */
  readonly media: boolean;
  readonly decrypt: Decipher;
  readonly encrypt: Cipher;
}

const TEST_DC_OFFSET = 10_000;
const FRAMINGS: ReadonlyMap<number, Framing> = new Map([
  [0xeeeeeeee, 'intermediate'],
  [0xdddddddd, 'padded-intermediate'],
]);

/**
 * Reads the header of obfuscated2 (https://core.telegram.org/mtproto/mtproto-transports#transport-obfuscation). Its bytes
 * 8..40 and 40..56 are key and iv of what the client sends; the same places of the reversed header are those of what we
 * send.
 *
 * @param secret of an MTProto proxy, 16 bytes
 * @returns undefined when the header asks for a framing that is not spoken here
 */
export function readObfuscation(header: Buffer, secret?: Buffer): Obfuscation | undefined {
  const decrypt = createDecipheriv('aes-256-ctr', keyOf(header, secret), header.subarray(40, 56));
  // The counter has to move over the whole header although only its end is encrypted.
  const opened = decrypt.update(header);
  const framing = FRAMINGS.get(opened.readUInt32LE(56));
  if (framing === undefined) return undefined;
  const reversed = Buffer.from(header.subarray(0, OBFUSCATION_HEADER_BYTES)).reverse();
  const encrypt = createCipheriv('aes-256-ctr', keyOf(reversed, secret), reversed.subarray(40, 56));
  const rawDc = opened.readInt16LE(60);
  const dc = Math.abs(rawDc);
  return {
    framing,
    dc: dc >= TEST_DC_OFFSET ? dc - TEST_DC_OFFSET : dc,
    testMode: dc >= TEST_DC_OFFSET,
    media: rawDc < 0,
    decrypt,
    encrypt,
  };
}

/** An MTProto proxy's secret goes into both keys, so that only who knows it can talk to the proxy. */
function keyOf(header: Buffer, secret: Buffer | undefined): Buffer {
  const key = header.subarray(8, 40);
  return secret ? sha256(key, secret) : key;
}
