import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PoolHost } from './pool-host.js';
import { PoolsRepository } from './pools.repository.js';

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

  constructor(
    private readonly host: PoolHost,
    private readonly pools: PoolsRepository,
  ) {}

  /** What new messages are encrypted with; undefined where they are not. @throws as PoolHost.key */
  async ofNew(poolId: string): Promise<PoolKey | undefined> {
    return (await this.pools.isEncrypted(poolId)) ? this.of(poolId) : undefined;
  }

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
