import { randomBytes, type KeyObject } from 'node:crypto';
import type { Clock } from '../rpc.js';
import { bytesOf, numberOf, type TlObject } from '../schema/tl-object.js';
import type { TlSchema } from '../schema/tl-schema.js';
import { decryptIge, encryptIge } from './crypto/aes-ige.js';
import type { ServerDiffieHellman } from './crypto/diffie-hellman.js';
import { sha1 } from './crypto/hashes.js';
import { deriveHandshakeKeys } from './crypto/key-derivation.js';
import { decryptRsaPad } from './crypto/rsa-pad.js';
import type { KeyStore } from './key-store.js';

/** Any product of two primes does: factoring it is a toll for the client, not a secret. */
const PQ = Buffer.from('17ed48941a08f981', 'hex');

/** What all handshakes of a process share. */
export interface HandshakeParts {
  readonly schema: TlSchema;
  readonly clock: Clock;
  readonly keys: KeyStore;
  readonly diffieHellman: ServerDiffieHellman;
  /** The private halves of the keys in the patched library, by fingerprint. */
  readonly rsaKeys: ReadonlyMap<bigint, KeyObject>;
}

interface Progress {
  readonly nonce: Buffer;
  readonly serverNonce: Buffer;
  newNonce?: Buffer;
  /** Seconds, when a temporary key is being made. */
  expiresIn?: number | undefined;
}

/** The key exchange on one connection (https://core.telegram.org/mtproto/auth_key), the server's side. */
export class Handshake {
  private progress: Progress | undefined;

  constructor(
    private readonly parts: HandshakeParts,
    private readonly dc: number,
    private readonly testMode: boolean,
  ) {}

  /** The answer to one step; undefined when the step does not fit, and the connection should be closed. */
  answer(query: TlObject): TlObject | undefined {
    if (query._ === 'mt_req_pq_multi') return this.start(bytesOf(query, 'nonce'));
    const progress = this.progress;
    if (!progress || !progress.nonce.equals(bytesOf(query, 'nonce'))) return undefined;
    if (!progress.serverNonce.equals(bytesOf(query, 'server_nonce'))) return undefined;
    if (query._ === 'mt_req_DH_params') return this.offer(progress, query);
    if (query._ === 'mt_set_client_DH_params') return this.finish(progress, query);
    return undefined;
  }

  private start(nonce: Buffer): TlObject {
    // The packet's memory belongs to the connection, so what outlives this call is copied.
    this.progress = { nonce: Buffer.from(nonce), serverNonce: randomBytes(16) };
    return {
      _: 'mt_resPQ',
      nonce,
      server_nonce: this.progress.serverNonce,
      pq: PQ,
      server_public_key_fingerprints: [...this.parts.rsaKeys.keys()],
    };
  }

  private offer(progress: Progress, query: TlObject): TlObject | undefined {
    const inner = this.readInnerData(query);
    if (!inner || !bytesOf(inner, 'nonce').equals(progress.nonce)) return undefined;
    const newNonce = bytesOf(inner, 'new_nonce');
    progress.newNonce = newNonce;
    progress.expiresIn = inner._ === 'mt_p_q_inner_data_temp_dc' ? numberOf(inner, 'expires_in') : undefined;
    const { diffieHellman, clock } = this.parts;
    const answer = this.parts.schema.write({
      _: 'mt_server_DH_inner_data',
      nonce: progress.nonce,
      server_nonce: progress.serverNonce,
      g: diffieHellman.generator,
      dh_prime: diffieHellman.prime,
      g_a: diffieHellman.publicValue,
      // TDLib sets its clock by this and by nothing else in the exchange.
      server_time: Math.floor(clock.now() / 1000),
    });
    const { key, iv } = deriveHandshakeKeys(newNonce, progress.serverNonce);
    const withHash = Buffer.concat([sha1(answer), answer]);
    const padding = randomBytes(-withHash.length & 15);
    return {
      _: 'mt_server_DH_params_ok',
      nonce: progress.nonce,
      server_nonce: progress.serverNonce,
      encrypted_answer: encryptIge(Buffer.concat([withHash, padding]), key, iv),
    };
  }

  private readInnerData(query: TlObject): TlObject | undefined {
    const fingerprint = query.public_key_fingerprint;
    const rsaKey = typeof fingerprint === 'bigint' ? this.parts.rsaKeys.get(fingerprint) : undefined;
    const data = rsaKey && decryptRsaPad(bytesOf(query, 'encrypted_data'), rsaKey);
    if (!data) return undefined;
    const inner = this.parts.schema.read(data);
    return inner._ === 'mt_p_q_inner_data_dc' || inner._ === 'mt_p_q_inner_data_temp_dc' ? inner : undefined;
  }

  private finish(progress: Progress, query: TlObject): TlObject | undefined {
    const { newNonce, serverNonce } = progress;
    const encrypted = bytesOf(query, 'encrypted_data');
    if (!newNonce || encrypted.length % 16 !== 0) return undefined;
    const { key, iv } = deriveHandshakeKeys(newNonce, serverNonce);
    const inner = this.parts.schema.read(decryptIge(encrypted, key, iv).subarray(20));
    if (inner._ !== 'mt_client_DH_inner_data') return undefined;
    const secret = this.parts.diffieHellman.agree(bytesOf(inner, 'g_b'));
    const firstSalt = newNonce.readBigInt64LE(0) ^ serverNonce.readBigInt64LE(0);
    if (progress.expiresIn === undefined) this.parts.keys.addPermanent(secret, firstSalt, this.dc, this.testMode);
    else this.parts.keys.addTemporary(secret, firstSalt, progress.expiresIn);
    this.progress = undefined;
    const auxiliaryHash = sha1(secret).subarray(0, 8);
    return {
      _: 'mt_dh_gen_ok',
      nonce: progress.nonce,
      server_nonce: serverNonce,
      new_nonce_hash1: sha1(newNonce, Buffer.of(1), auxiliaryHash).subarray(4, 20),
    };
  }
}
