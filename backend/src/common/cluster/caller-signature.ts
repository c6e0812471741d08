import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Caller, type MasterCaller, NO_SCOPE, type TokenCaller } from '../http/access.js';

/** The header in which a gateway tells a worker who asked. */
export const CALLER_HEADER = 'x-tgcontrol-caller';

/** How old a signed caller may be, and how far clocks may differ, in milliseconds. */
const MAX_AGE_MS = 60_000;
/** One signature serves so long: signing each call anew would be a good part of its cost. */
const REUSE_MS = 1000;

/** So many identities are remembered as verified. */
const MAX_VERIFIED = 100;

/** What of a caller travels. A scope does not: it may be too long for a header, and the gateway has applied it. */
type Identity = MasterCaller | Omit<TokenCaller, 'scope'>;

function identityOf(caller: Caller): Identity {
  if (caller.kind === 'master') return caller;
  const { scope: _scope, ...identity } = caller;
  return identity;
}

function isIdentity(value: unknown): value is Identity {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  if (value.kind === 'master') return 'via' in value && (value.via === 'token' || value.via === 'console');
  if (value.kind !== 'token' || !('tokenId' in value) || typeof value.tokenId !== 'string') return false;
  if (!('rights' in value) || typeof value.rights !== 'object' || value.rights === null) return false;
  return !('name' in value) || typeof value.name === 'string';
}

interface Signed {
  readonly caller: Caller;
  readonly at: number;
}

/** Signs and verifies caller identities with a key derived from CLUSTER_TOKEN. */
export class CallerSignature {
  private readonly key: Buffer;
  /** By the caller itself, which the gateway remembers: to write its rights down for each call would cost more than to sign. */
  private readonly signed = new WeakMap<Caller, { readonly at: number; readonly header: string }>();
  private readonly verified = new Map<string, Signed>();

  constructor(
    clusterToken: string,
    private readonly now: () => number = Date.now,
  ) {
    this.key = createHmac('sha256', clusterToken).update('tgcontrol caller signature').digest();
  }

  /** The header's value. */
  sign(caller: Caller): string {
    const at = this.now();
    const known = this.signed.get(caller);
    if (known && at - known.at < REUSE_MS && at >= known.at) return known.header;
    const payload = Buffer.from(JSON.stringify({ caller: identityOf(caller), at }), 'utf8').toString('base64url');
    const header = `${payload}.${this.mac(payload).toString('base64url')}`;
    this.signed.set(caller, { at, header });
    return header;
  }

  /** Who asked; undefined when the header is not ours, or too old. */
  verify(header: string): Caller | undefined {
    const known = this.verified.get(header);
    const signed = known ?? this.read(header);
    if (!signed || Math.abs(this.now() - signed.at) > MAX_AGE_MS) return undefined;
    if (!known) {
      if (this.verified.size >= MAX_VERIFIED) this.verified.clear();
      this.verified.set(header, signed);
    }
    return signed.caller;
  }

  private read(header: string): Signed | undefined {
    const [payload, mac] = header.split('.');
    if (payload === undefined || mac === undefined) return undefined;
    const given = Buffer.from(mac, 'base64url');
    const expected = this.mac(payload);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const value = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { caller?: unknown; at?: unknown };
    const { caller, at } = value;
    if (!isIdentity(caller) || typeof at !== 'number') return undefined;
    return { caller: caller.kind === 'token' ? { ...caller, scope: NO_SCOPE } : caller, at };
  }

  private mac(payload: string): Buffer {
    return createHmac('sha256', this.key).update(payload).digest();
  }
}
