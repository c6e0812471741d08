import { constants, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto';

/**
 * The 2048-bit safe prime that Telegram's own servers use. TDLib knows it and skips its primality tests
 * (td/mtproto/DhHandshake.cpp), and with generator 3 it is valid for key exchange and for 2FA alike.
 */
export const DH_PRIME = Buffer.from(
  'c71caeb9c6b1c9048e6c522f70f13f73980d40238e3e21c14934d037563d930f48198a0aa7c14058229493d22530f4dbfa336f6e0ac925139543' +
    'aed44cce7c3720fd51f69458705ac68cd4fe6b6b13abdc9746512969328454f18faf8c595f642477fe96bb2a941d5bcd1d4ac8cc49880708fa9b' +
    '378e3c4f3a9060bee67cf9a4a4a695811051907e162753b56b0f6b410dba74d8a84b2a14b3144e0ef1284754fd17ed950d5965b4b9dd46582db1' +
    '178d169c6bc465b0d6ff9ca3928fef5b9ae4e418fc15e83ebea0f87fa9ff5eed70050ded2849f47bf959d956850ce929851f0d8115f635b105ee' +
    '2e4e15d04b2454bf6f4fadf034b10403119cd8e3b92fcc5b',
  'hex',
);

export const DH_GENERATOR = 3;

/** Length of every number of the group on the wire. */
export const DH_BYTES = 256;

/**
 * base^exponent modulo the prime, by OpenSSL: a JavaScript loop over 2048-bit numbers takes ten times as long. An RSA
 * public key is nothing but a modulus and an exponent, and OpenSSL asks neither to be prime; its Diffie-Hellman would test
 * the prime for 300 ms first, each time.
 *
 * @param exponent less than the prime
 * @throws Error when `base` is not between 1 and the prime minus one, or the exponent is too large.
 */
export function modPow(base: Buffer, exponent: Buffer): Buffer {
  const padded = leftPad(base);
  const isInGroup = padded.compare(ONE) > 0 && padded.compare(PRIME_MINUS_ONE) < 0;
  if (!isInGroup) throw new RangeError('not a number of the group');
  const jwk = { kty: 'RSA', n: DH_PRIME.toString('base64url'), e: exponent.toString('base64url') };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, padded);
}

/** A random exponent; its first bit is clear, so it is less than the prime. */
export function randomExponent(): Buffer {
  const exponent = randomBytes(DH_BYTES);
  exponent.writeUInt8(exponent.readUInt8(0) & 0x7f, 0);
  return exponent;
}

/** The number in 256 bytes. */
export function leftPad(number: Buffer): Buffer {
  return number.length >= DH_BYTES ? number : Buffer.concat([Buffer.alloc(DH_BYTES - number.length), number]);
}

const ONE = leftPad(Buffer.of(1));
/** The prime is odd, so only its last byte changes. */
const PRIME_MINUS_ONE = Buffer.from(DH_PRIME);
PRIME_MINUS_ONE.writeUInt8(DH_PRIME.readUInt8(DH_BYTES - 1) - 1, DH_BYTES - 1);
