import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PoolHost } from './pool-host.js';

/** What the messages of a pool are encrypted with. */
export interface PoolKey {
  readonly key: Buffer;
  /** Tells keys apart without revealing them: 8 hexadecimal digits. */
  readonly keyId: string;
  /** Whose messages they are; authenticated. */
  readonly what: string;
}

/** The keys of pools. Only workers can unseal them; whoever encrypts asks the pool's worker, once. */
@Injectable()
export class PoolKeys {
  private readonly keys = new Map<string, Promise<PoolKey>>();

  constructor(private readonly host: PoolHost) {}

  /** @throws as PoolHost.key */
  of(poolId: string): Promise<PoolKey> {
    const known = this.keys.get(poolId);
    if (known !== undefined) return known;
    const asked = this.ask(poolId);
    this.keys.set(poolId, asked);
    asked.catch(() => this.keys.delete(poolId));
    return asked;
  }

  private async ask(poolId: string): Promise<PoolKey> {
    const key = await this.host.key(poolId);
    const keyId = createHash('sha256').update('tgcontrol pool key id').update(key).digest('hex').slice(0, 8);
    return { key, keyId, what: `the messages of pool ${poolId}` };
  }
}
