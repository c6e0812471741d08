import { createCipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getWasmUrl, ige256Decrypt, initSync } from '@mtcute/wasm';

const BLOCK = 16;
/** Words of 32 bits in a block: exclusive-or is done on them, as byte by byte it costs more than the cipher. */
const WORDS = 4;

initSync(readFileSync(getWasmUrl()));

/**
 * AES-256-IGE encryption (https://core.telegram.org/mtproto/description#defining-aes-key-and-initialization-vector).
 *
 * IGE is c[i] = E(p[i] ^ c[i-1]) ^ p[i-1]. With y[i] = c[i] ^ p[i-1] this is CBC over p[i] ^ p[i-2], so one native call
 * does all the blocks.
 *
 * @param data a multiple of 16 bytes
 * @param iv 32 bytes: c[-1], then p[-1]
 */
export function encryptIge(data: Uint8Array, key: Uint8Array, iv: Uint8Array): Buffer {
  // p[-1], and the plaintext behind it.
  const plain = words(BLOCK + data.length);
  plain.bytes.set(iv.subarray(BLOCK));
  plain.bytes.set(data, BLOCK);
  const input = words(data.length);
  input.bytes.set(data);
  xor(input.words.subarray(WORDS), plain.words);
  const cipher = createCipheriv('aes-256-cbc', key, iv.subarray(0, BLOCK)).setAutoPadding(false);
  const output = words(data.length);
  output.bytes.set(cipher.update(input.bytes));
  xor(output.words, plain.words);
  return output.bytes;
}

/**
 * AES-256-IGE decryption: p[i] = D(c[i] ^ p[i-1]) ^ c[i-1]. It needs the result of one block before it can form the next
 * one's input, so node's native ciphers, which are fast only over many blocks in one call, cannot be used.
 *
 * @param data a multiple of 16 bytes
 * @param iv 32 bytes: c[-1], then p[-1]
 */
export function decryptIge(data: Uint8Array, key: Uint8Array, iv: Uint8Array): Buffer {
  const plain = ige256Decrypt(data, key, iv);
  return Buffer.from(plain.buffer, plain.byteOffset, plain.length);
}

/** Bytes that can be taken as words too. */
function words(length: number): { readonly bytes: Buffer; readonly words: Int32Array } {
  const buffer = new ArrayBuffer(length);
  return { bytes: Buffer.from(buffer), words: new Int32Array(buffer) };
}

/** The order of bytes within the words does not matter to it. */
function xor(target: Int32Array, source: Int32Array): void {
  for (let at = 0; at < target.length; at += 1) target[at] = (target[at] as number) ^ (source[at] as number);
}
