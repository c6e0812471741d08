import { ValidationFailedError } from '../../common/errors/index.js';

/**
 * A phone number as E.164 digits (at most 15), whatever it was typed with: spaces, dashes, brackets, a plus or 00 before it.
 * Whether it exists is Telegram's to say.
 * @throws ValidationFailedError for a text that cannot be a number
 */
export function normalizePhone(text: string): string {
  const digits = text
    .trim()
    .replace(/[\s().\-–—/]/g, '')
    .replace(/^\+/, '')
    .replace(/^00/, '');
  if (!/^\d{5,15}$/.test(digits)) {
    throw new ValidationFailedError([{ path: 'phone', message: 'phone must be a number with its country code' }]);
  }
  return digits;
}
