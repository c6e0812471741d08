import { createHash, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { DH_BYTES, DH_GENERATOR, DH_PRIME, leftPad, modPow, randomExponent } from '../dh-group.js';

/** What a server keeps of a 2FA password; the password itself is not kept (https://core.telegram.org/api/srp). */
export interface PasswordVerifier {
  readonly salt1: Buffer;
  readonly salt2: Buffer;
  /** g^x mod p, 256 bytes. */
  readonly verifier: Buffer;
  readonly hint: string | undefined;
}

/** One question put to a client; good for one answer. */
export interface PasswordChallenge {
  readonly id: bigint;
  readonly privateKey: Buffer;
  /** The server's public value, 256 bytes. */
  readonly B: Buffer;
}

/** A client's answer. */
export interface PasswordProof {
  readonly A: Buffer;
  readonly M1: Buffer;
}

const PRIME = toNumber(DH_PRIME);
const GENERATOR = leftPad(Buffer.from([DH_GENERATOR]));
const PBKDF2_ROUNDS = 100_000;

/** Takes about 65 ms: the hash is slow on purpose. */
export function createVerifier(password: string, hint?: string): PasswordVerifier {
  const salt1 = randomBytes(16);
  const salt2 = randomBytes(16);
  const x = passwordHash(Buffer.from(password), salt1, salt2);
  return { salt1, salt2, verifier: modPow(GENERATOR, x), hint };
}

/** A verifier that a client computed itself (`account.updatePasswordSettings`). */
export function adoptVerifier(salt1: Buffer, salt2: Buffer, hash: Buffer, hint: string | undefined): PasswordVerifier {
  return { salt1, salt2, verifier: leftPad(hash), hint };
}

export function createChallenge({ verifier }: PasswordVerifier): PasswordChallenge {
  const privateKey = randomExponent();
  const kv = (multiplier() * toNumber(verifier)) % PRIME;
  const B = (kv + toNumber(modPow(GENERATOR, privateKey))) % PRIME;
  return { id: randomBytes(8).readBigInt64LE(), privateKey, B: toBytes(B) };
}

/** Whether the proof was made with the password; a nonsensical proof is simply wrong. */
export function checkProof(known: PasswordVerifier, challenge: PasswordChallenge, proof: PasswordProof): boolean {
  if (proof.A.length !== DH_BYTES || proof.M1.length !== 32) return false;
  const A = toNumber(proof.A);
  if (A <= 1n || A >= PRIME - 1n) return false;
  const u = sha256(proof.A, challenge.B);
  const base = (A * toNumber(modPow(known.verifier, u))) % PRIME;
  if (base <= 1n) return false;
  const key = sha256(modPow(toBytes(base), challenge.privateKey));
  const expected = sha256(
    xor(sha256(DH_PRIME), sha256(GENERATOR)),
    sha256(known.salt1),
    sha256(known.salt2),
    proof.A,
    challenge.B,
    key,
  );
  return timingSafeEqual(expected, proof.M1);
}

/** PH2 of https://core.telegram.org/api/srp. */
export function passwordHash(password: Buffer, salt1: Buffer, salt2: Buffer): Buffer {
  const first = salted(salted(password, salt1), salt2);
  return salted(pbkdf2Sync(first, salt1, PBKDF2_ROUNDS, 64, 'sha512'), salt2);
}

/** k of https://core.telegram.org/api/srp. */
function multiplier(): bigint {
  return toNumber(sha256(DH_PRIME, GENERATOR));
}

function salted(data: Buffer, salt: Buffer): Buffer {
  return sha256(salt, data, salt);
}

function sha256(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function xor(a: Buffer, b: Buffer): Buffer {
  return Buffer.from(a.map((byte, index) => byte ^ (b[index] ?? 0)));
}

function toNumber(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

function toBytes(number: bigint): Buffer {
  return leftPad(Buffer.from(number.toString(16).padStart(DH_BYTES * 2, '0'), 'hex'));
}
