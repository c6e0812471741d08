import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

/** Compares with one secret in a time that tells nothing about it, whatever is given. */
export class SecretMatcher {
  private readonly expected: Buffer;

  constructor(secret: string) {
    this.expected = digest(secret);
  }

  matches(given: string): boolean {
    return timingSafeEqual(digest(given), this.expected);
  }
}
