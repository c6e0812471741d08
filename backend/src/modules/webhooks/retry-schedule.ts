/** A delivery is given up after so many attempts. */
export const MAX_ATTEMPTS = 10;
const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 300_000;

/** @param attempt the number of the attempt that has failed, from 1 @returns milliseconds until the next one */
export function retryDelayMs(attempt: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`: the one form of a date that senders make; Date.parse takes nearly anything for one. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * What a receiver asks for with Retry-After (RFC 9110, 10.2.3), at most five minutes.
 * @returns milliseconds; undefined when the header is absent or makes no sense
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const asked = header?.trim() ?? '';
  const isSeconds = /^\d+$/.test(asked);
  if (!isSeconds && !HTTP_DATE.test(asked)) return undefined;
  const ms = isSeconds ? Number(asked) * 1_000 : Date.parse(asked) - now;
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_DELAY_MS, Math.max(0, ms));
}
