import { createHash, randomBytes } from 'node:crypto';
import { DH_PRIME, leftPad } from '../dh-group.js';
import { checkProof, createChallenge, createVerifier, passwordHash } from './srp.js';
import type { PasswordChallenge, PasswordProof, PasswordVerifier } from './srp.js';

const sha256 = (...parts: readonly Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const toNumber = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);
const toBytes = (number: bigint): Buffer => Buffer.from(number.toString(16).padStart(512, '0'), 'hex');
const p = toNumber(DH_PRIME);

function pow(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base % p;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % p;
    square = (square * square) % p;
  }
  return result;
}

/** The client's half, written from https://core.telegram.org/api/srp without the code under test's arithmetic. */
function prove(password: string, { salt1, salt2 }: PasswordVerifier, { B }: PasswordChallenge): PasswordProof {
  const g = leftPad(Buffer.from([3]));
  const a = toNumber(randomBytes(256));
  const A = toBytes(pow(3n, a));
  const u = toNumber(sha256(A, B));
  const x = toNumber(passwordHash(Buffer.from(password), salt1, salt2));
  const k = toNumber(sha256(DH_PRIME, g));
  const base = (((toNumber(B) - k * pow(3n, x)) % p) + p) % p;
  const key = sha256(toBytes(pow(base, a + u * x)));
  const mixed = Buffer.from(sha256(DH_PRIME).map((byte, index) => byte ^ (sha256(g)[index] ?? 0)));
  return { A, M1: sha256(mixed, sha256(salt1), sha256(salt2), A, B, key) };
}

describe('the 2FA password check', () => {
  const verifier = createVerifier('correct horse', 'battery');

  it('accepts a proof made with the password', () => {
    const challenge = createChallenge(verifier);
    expect(checkProof(verifier, challenge, prove('correct horse', verifier, challenge))).toBe(true);
  });

  it('refuses a proof made with another password', () => {
    const challenge = createChallenge(verifier);
    expect(checkProof(verifier, challenge, prove('wrong horse', verifier, challenge))).toBe(false);
  });

  it('refuses a proof made for an earlier challenge', () => {
    const proof = prove('correct horse', verifier, createChallenge(verifier));
    expect(checkProof(verifier, createChallenge(verifier), proof)).toBe(false);
  });

  it('refuses an A that would make the shared secret known', () => {
    const challenge = createChallenge(verifier);
    const { M1 } = prove('correct horse', verifier, challenge);
    expect(checkProof(verifier, challenge, { A: Buffer.alloc(256), M1 })).toBe(false);
    expect(checkProof(verifier, challenge, { A: Buffer.from(DH_PRIME), M1 })).toBe(false);
  });
});
