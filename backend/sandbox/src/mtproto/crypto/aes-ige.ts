import { createCipheriv } from 'node:crypto';
import { decryptBlock, expandDecryptionKey } from './aes-block.js';

const BLOCK = 16;

/**
 * AES-256-IGE encryption (https://core.telegram.org/mtproto/description#defining-aes-key-and-initialization-vector).
 *
 * IGE is c[i] = E(p[i] ^ c[i-1]) ^ p[i-1]. With y[i] = c[i] ^ p[i-1] this is CBC over p[i] ^ p[i-2], so one native call
 * does all the blocks: about six times the speed of a cipher written in JavaScript.
 *
 * @param data a multiple of 16 bytes
 * @param iv 32 bytes: c[-1], then p[-1]
 */
export function encryptIge(data: Uint8Array, key: Uint8Array, iv: Uint8Array): Buffer {
  const length = data.length;
  const input = Buffer.allocUnsafe(length);
  input.set(data.subarray(0, BLOCK), 0);
  for (let i = BLOCK; i < length; i++) {
    const twoBack = i < 2 * BLOCK ? (iv[i] as number) : (data[i - 2 * BLOCK] as number);
    input[i] = (data[i] as number) ^ twoBack;
  }
  const output = createCipheriv('aes-256-cbc', key, iv.subarray(0, BLOCK)).setAutoPadding(false).update(input);
  for (let i = 0; i < length; i++) {
    output[i] = (output[i] as number) ^ (i < BLOCK ? (iv[BLOCK + i] as number) : (data[i - BLOCK] as number));
  }
  return output;
}

/**
 * AES-256-IGE decryption: p[i] = D(c[i] ^ p[i-1]) ^ c[i-1].
 *
 * @param data a multiple of 16 bytes
 * @param iv 32 bytes: c[-1], then p[-1]
 */
export function decryptIge(data: Uint8Array, key: Uint8Array, iv: Uint8Array): Buffer {
  const keys = expandDecryptionKey(key);
  const output = Buffer.allocUnsafe(data.length);
  const block = new Uint32Array(4);
  const cipherBefore = new Uint32Array(4);
  const plainBefore = new Uint32Array(4);
  for (let word = 0; word < 4; word++) {
    cipherBefore[word] = load(iv, word * 4);
    plainBefore[word] = load(iv, BLOCK + word * 4);
  }
  for (let at = 0; at < data.length; at += BLOCK) {
    for (let word = 0; word < 4; word++) block[word] = load(data, at + word * 4) ^ (plainBefore[word] as number);
    decryptBlock(keys, block);
    for (let word = 0; word < 4; word++) {
      const plain = (block[word] as number) ^ (cipherBefore[word] as number);
      const place = at + word * 4;
      cipherBefore[word] = load(data, place);
      plainBefore[word] = plain;
      output[place] = plain >>> 24;
      output[place + 1] = plain >>> 16;
      output[place + 2] = plain >>> 8;
      output[place + 3] = plain;
    }
  }
  return output;
}

function load(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}
