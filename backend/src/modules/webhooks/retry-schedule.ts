/** A delivery is given up after so many attempts. */
export const MAX_ATTEMPTS = 10;
const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 300_000;

/** @param attempt the number of the attempt that has failed, from 1 @returns milliseconds until the next one */
export function retryDelayMs(attempt: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
}

/**
 * What a receiver asks for with Retry-After (RFC 9110, 10.2.3), at most five minutes.
 * @returns milliseconds; undefined when the header is absent or makes no sense
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_DELAY_MS, Math.max(0, ms));
}
