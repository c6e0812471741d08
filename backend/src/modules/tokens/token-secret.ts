import { createHash, randomBytes } from 'node:crypto';

/** 32 bytes in URL-safe base64. Anything else is no token of ours and needs no look at the database. */
const FORM = /^[A-Za-z0-9_-]{43}$/;
const PREFIX_LENGTH = 6;

/** A token that was just made: the only moment at which it is known whole. */
export interface NewSecret {
  readonly token: string;
  readonly hash: Buffer;
  readonly prefix: string;
}

export function makeSecret(): NewSecret {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: digestOf(token), prefix: token.slice(0, PREFIX_LENGTH) };
}

/** What is stored of a token. Tokens are found by it: how long a comparison of digests takes tells nothing of the token. */
export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

export function isTokenForm(text: string): boolean {
  return FORM.test(text);
}
