import { createDecipheriv, randomBytes } from 'node:crypto';
import { decryptIge, encryptIge } from './aes-ige.js';

describe('AES-IGE', () => {
  it.each([16, 32, 48, 1024, 16 * 1001])('decrypts what it encrypted: %d bytes', (length) => {
    const key = randomBytes(32);
    const iv = randomBytes(32);
    const plain = randomBytes(length);
    expect(decryptIge(encryptIge(plain, key, iv), key, iv)).toEqual(plain);
  });

  it('follows the definition of IGE block by block', () => {
    const key = randomBytes(32);
    const iv = randomBytes(32);
    const plain = randomBytes(64);
    const cipher = encryptIge(plain, key, iv);
    const decrypt = (block: Buffer): Buffer =>
      createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(block);
    const xor = (a: Buffer, b: Buffer): Buffer => Buffer.from(a.map((byte, index) => byte ^ (b[index] ?? 0)));
    let cipherBefore = iv.subarray(0, 16);
    let plainBefore = iv.subarray(16);
    for (let at = 0; at < 64; at += 16) {
      const block = cipher.subarray(at, at + 16);
      plainBefore = xor(decrypt(xor(block, plainBefore)), cipherBefore);
      cipherBefore = block;
      expect(plainBefore).toEqual(plain.subarray(at, at + 16));
    }
  });
});
