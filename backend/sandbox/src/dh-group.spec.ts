import { createDiffieHellman } from 'node:crypto';
import { DH_BYTES, DH_GENERATOR, DH_PRIME, leftPad, modPow, randomExponent } from './dh-group.js';

describe('the Diffie-Hellman group', () => {
  it('is computed in as OpenSSL does it', () => {
    const group = createDiffieHellman(DH_PRIME, DH_GENERATOR);
    for (let round = 0; round < 5; round++) {
      const base = leftPad(randomExponent().subarray(0, DH_BYTES - round));
      const exponent = randomExponent();
      group.setPrivateKey(exponent);
      expect(modPow(base, exponent)).toEqual(leftPad(group.computeSecret(base)));
    }
  });

  it('takes any exponent below the prime', () => {
    expect(modPow(Buffer.of(3), Buffer.of(4))).toEqual(leftPad(Buffer.of(81)));
    expect(modPow(Buffer.of(3), Buffer.alloc(DH_BYTES, 0x7f))).toHaveLength(DH_BYTES);
  });

  it.each([0, 1])('refuses the base %d, which gives the secret away', (base) => {
    expect(() => modPow(Buffer.of(base), Buffer.of(5))).toThrow(RangeError);
  });

  it('refuses bases from the prime minus one on', () => {
    const largest = Buffer.from(DH_PRIME);
    expect(() => modPow(largest, Buffer.of(5))).toThrow(RangeError);
    largest.writeUInt8(largest.readUInt8(DH_BYTES - 1) - 1, DH_BYTES - 1);
    expect(() => modPow(largest, Buffer.of(5))).toThrow(RangeError);
  });
});
