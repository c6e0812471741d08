import { timingSafeEqual } from 'node:crypto';

/** Compares with one secret in a time that tells nothing of it but its length, whatever is given. */
export class SecretMatcher {
  private readonly expected: Buffer;

  constructor(secret: string) {
    this.expected = Buffer.from(secret, 'utf8');
  }

  matches(given: string): boolean {
    const bytes = Buffer.from(given, 'utf8');
    return bytes.length === this.expected.length && timingSafeEqual(bytes, this.expected);
  }
}
