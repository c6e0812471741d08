import type { EncryptionKey } from './auth-key.js';
import { sha256 } from './crypto/hashes.js';

const PERIOD_SECONDS = 3600;
/** Salts of this many periods are handed out at once: TDLib asks again every minute while it knows only a few. */
const HANDED_OUT = 64;

/** A salt with the time it may be used in, unix seconds. */
export interface Salt {
  readonly validSince: number;
  readonly validUntil: number;
  readonly value: bigint;
}

/**
 * Server salts (https://core.telegram.org/mtproto/description#server-salt). They follow from key and hour, so that they
 * are the same after a restart; each is valid for its hour and the next one.
 */
export function currentSalt(key: EncryptionKey, nowSeconds: number): bigint {
  return saltOf(key, Math.floor(nowSeconds / PERIOD_SECONDS));
}

/** Salts from now on, for `future_salts`. @param count as asked by the client */
export function futureSalts(key: EncryptionKey, nowSeconds: number, count: number): Salt[] {
  const first = Math.floor(nowSeconds / PERIOD_SECONDS);
  return Array.from({ length: Math.max(1, Math.min(count, HANDED_OUT)) }, (_unused, index) => {
    const period = first + index;
    return {
      validSince: period * PERIOD_SECONDS,
      validUntil: (period + 2) * PERIOD_SECONDS,
      value: saltOf(key, period),
    };
  });
}

/** True for a salt of this hour, the one before it or the one after it, and for the key's first one. */
export function isValidSalt(key: EncryptionKey, salt: bigint, nowSeconds: number): boolean {
  const period = Math.floor(nowSeconds / PERIOD_SECONDS);
  return (
    salt === key.firstSalt ||
    salt === saltOf(key, period) ||
    salt === saltOf(key, period - 1) ||
    salt === saltOf(key, period + 1)
  );
}

function saltOf(key: EncryptionKey, period: number): bigint {
  const hour = Buffer.alloc(8);
  hour.writeBigInt64LE(BigInt(period));
  return sha256(key.secret, hour).readBigInt64LE(0);
}
