import { randomBytes, randomInt } from 'node:crypto';

/** A positive 63-bit number, as used for access hashes and ids of files. */
export function randomLong(): bigint {
  return randomBytes(8).readBigUInt64LE() >> 1n;
}

/** Decimal digits, leading zeros included. */
export function randomDigits(length: number): string {
  return Array.from({ length }, () => String(randomInt(10))).join('');
}

/** URL-safe characters, as in invite links and bot tokens. */
export function randomToken(length: number): string {
  return randomBytes(length).toString('base64url').slice(0, length);
}
