import { constants, privateDecrypt, type KeyObject } from 'node:crypto';
import { decryptIge } from './aes-ige.js';
import { sha1, sha256 } from './hashes.js';
import { TlWriter } from '../../schema/tl-writer.js';

const MODULUS_BYTES = 256;
const DATA_BYTES = 192;

/**
 * Undoes RSA_PAD (https://core.telegram.org/mtproto/auth_key#41-rsa-paddata-server-public-key).
 *
 * @returns the 192 bytes with their random padding, or undefined when the hash inside does not match: the client used
 *   another key.
 */
export function decryptRsaPad(encrypted: Uint8Array, privateKey: KeyObject): Buffer | undefined {
  if (encrypted.length !== MODULUS_BYTES) return undefined;
  let opened: Buffer;
  try {
    opened = privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, encrypted);
  } catch {
    return undefined; // not smaller than the modulus
  }
  const body = opened.subarray(32);
  const tempKey = xor(opened.subarray(0, 32), sha256(body));
  const withHash = decryptIge(body, tempKey, Buffer.alloc(32));
  const data = Buffer.from(withHash.subarray(0, DATA_BYTES)).reverse();
  return sha256(tempKey, data).equals(withHash.subarray(DATA_BYTES)) ? data : undefined;
}

/** Last 64 bits of SHA-1 over the TL strings of modulus and exponent, without a constructor id. */
export function rsaFingerprint(publicKey: KeyObject): bigint {
  const { n, e } = publicKey.export({ format: 'jwk' });
  if (n === undefined || e === undefined) throw new Error('not an RSA key');
  const serialized = new TlWriter().bytes(Buffer.from(n, 'base64url')).bytes(Buffer.from(e, 'base64url')).finish();
  return sha1(serialized).readBigInt64LE(12);
}

function xor(a: Uint8Array, b: Uint8Array): Buffer {
  return Buffer.from(a.map((byte, index) => byte ^ (b[index] ?? 0)));
}
