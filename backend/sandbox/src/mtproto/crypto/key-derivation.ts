import { sha1, sha256 } from './hashes.js';

/** What one message is encrypted with. */
export interface MessageKeys {
  readonly key: Buffer;
  readonly iv: Buffer;
}

/** `x` of the key derivation (https://core.telegram.org/mtproto/description#defining-aes-key-and-initialization-vector). */
export type Direction = typeof FROM_CLIENT | typeof FROM_SERVER;
export const FROM_CLIENT = 0;
export const FROM_SERVER = 8;

/** MTProto 2.0: the middle 128 bits of SHA-256 over a part of the key and the padded plaintext. */
export function messageKey(authKey: Buffer, padded: Uint8Array, x: Direction): Buffer {
  return sha256(authKey.subarray(88 + x, 120 + x), padded).subarray(8, 24);
}

/** MTProto 2.0 key and iv of one message. */
export function deriveKeys(authKey: Buffer, msgKey: Buffer, x: Direction): MessageKeys {
  const a = sha256(msgKey, authKey.subarray(x, x + 36));
  const b = sha256(authKey.subarray(40 + x, 76 + x), msgKey);
  return {
    key: Buffer.concat([a.subarray(0, 8), b.subarray(8, 24), a.subarray(24, 32)]),
    iv: Buffer.concat([b.subarray(0, 8), a.subarray(8, 24), b.subarray(24, 32)]),
  };
}

/**
 * MTProto 1.0 key and iv, which the inner message of `auth.bindTempAuthKey` still uses
 * (https://core.telegram.org/method/auth.bindTempAuthKey, https://core.telegram.org/mtproto/description_v1).
 */
export function deriveKeysV1(authKey: Buffer, msgKey: Buffer): MessageKeys {
  const a = sha1(msgKey, authKey.subarray(0, 32));
  const b = sha1(authKey.subarray(32, 48), msgKey, authKey.subarray(48, 64));
  const c = sha1(authKey.subarray(64, 96), msgKey);
  const d = sha1(msgKey, authKey.subarray(96, 128));
  return {
    key: Buffer.concat([a.subarray(0, 8), b.subarray(8, 20), c.subarray(4, 16)]),
    iv: Buffer.concat([a.subarray(8, 20), b.subarray(0, 8), c.subarray(16, 20), d.subarray(0, 8)]),
  };
}

/** MTProto 1.0: the lower 128 bits of SHA-1 over the plaintext without its padding. */
export function messageKeyV1(plain: Uint8Array): Buffer {
  return sha1(plain).subarray(4, 20);
}

/** Keys for the encrypted parts of the key exchange (https://core.telegram.org/mtproto/auth_key, step 5). */
export function deriveHandshakeKeys(newNonce: Buffer, serverNonce: Buffer): MessageKeys {
  const a = sha1(newNonce, serverNonce);
  const b = sha1(serverNonce, newNonce);
  const c = sha1(newNonce, newNonce);
  return {
    key: Buffer.concat([a, b.subarray(0, 12)]),
    iv: Buffer.concat([b.subarray(12, 20), c, newNonce.subarray(0, 4)]),
  };
}

/** The 64-bit id that packets carry: the lower half of SHA-1 of the key, as a signed number. */
export function authKeyId(authKey: Buffer): bigint {
  return sha1(authKey).readBigInt64LE(12);
}
