import { createPrivateKey, createPublicKey, generateKeyPair, randomUUID, type KeyObject } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rsaFingerprint } from '../mtproto/crypto/rsa-pad.js';

/** The server's RSA key, of which the patched library has the public half. */
export interface RsaKey {
  readonly privateKey: KeyObject;
  /** PKCS#1, 425 bytes without a newline at the end: exactly as long as the keys in the library. */
  readonly publicPem: string;
  readonly fingerprint: bigint;
}

const FILE = 'rsa.pem';
const PEM_BYTES = 425;
/** A 2048-bit key may come out with a shorter encoding; that happens rarely and never twenty times in a row. */
const ATTEMPTS = 20;

/** The key of this directory; made on first use. It has to stay the same for a library that was patched with it. */
export async function loadRsaKey(directory: string): Promise<RsaKey> {
  const path = join(directory, FILE);
  if (existsSync(path)) return describe(createPrivateKey(readFileSync(path)));
  const key = await generate();
  mkdirSync(directory, { recursive: true });
  const fresh = `${path}.${randomUUID()}`;
  writeFileSync(fresh, key.privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  linkUnlessThere(fresh, path);
  unlinkSync(fresh);
  return describe(createPrivateKey(readFileSync(path)));
}

/** Another process may have made its key in the meantime. The first one counts, for both. */
function linkUnlessThere(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

async function generate(): Promise<RsaKey> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048, publicExponent: 0x10001 });
    const key = describe(privateKey);
    if (key.publicPem.length === PEM_BYTES) return key;
  }
  throw new Error('no RSA key of the right length came out');
}

function describe(privateKey: KeyObject): RsaKey {
  const publicKey = createPublicKey(privateKey);
  const publicPem = publicKey.export({ type: 'pkcs1', format: 'pem' }).toString().trimEnd();
  return { privateKey, publicPem, fingerprint: rsaFingerprint(publicKey) };
}
