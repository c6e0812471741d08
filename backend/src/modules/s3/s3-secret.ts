import { hkdfSync, randomBytes } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const SECRET_BYTES = 30;

/** A new access key id in the form of AWS's: 20 capitals and digits, of which 18 are random. */
export function makeKeyId(): string {
  return `TG${[...randomBytes(18)].map((byte) => ALPHABET[byte % ALPHABET.length] ?? '').join('')}`;
}

/** Whether this can be an id of ours at all. */
export function isKeyId(text: string): boolean {
  return /^TG[A-Z2-7]{18}$/.test(text);
}

/**
 * The secret of an access key. A signature can only be checked by who knows the secret, and what is not stored cannot be read from a
 * database: it follows from the key id and the token that only processes of this installation have.
 */
export function secretOf(keyId: string, clusterToken: string): string {
  const secret = hkdfSync('sha256', clusterToken, '', `tgcontrol s3 secret ${keyId}`, SECRET_BYTES);
  return Buffer.from(secret).toString('base64url');
}
