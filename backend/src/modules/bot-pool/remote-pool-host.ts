import { Injectable } from '@nestjs/common';
import { WorkerClient } from '../../common/cluster/index.js';
import { NotFoundError } from '../../common/errors/index.js';
import type { DispatcherStatus } from './dispatcher/dispatcher.js';
import { PartAbortedError, PoolClosedError } from './dispatcher/dispatcher.errors.js';
import type { StoredPart } from './dispatcher/part.js';
import { PoolHost } from './pool-host.js';
import type { PoolPart } from './pool-part.js';
import { PoolsRepository } from './pools.repository.js';

/** A part may take as long as its deadline, and the way. */
const STORE_TIMEOUT_MS = 16 * 60_000;

/** The pools of a gateway: each question goes to the worker that runs the pool. */
@Injectable()
export class RemotePoolHost extends PoolHost {
  constructor(
    private readonly repository: PoolsRepository,
    private readonly workers: WorkerClient,
  ) {
    super();
  }

  override async store(poolId: string, part: PoolPart, signal: AbortSignal): Promise<StoredPart> {
    const owner = await this.ownerOf(poolId);
    // Not by ending the request, whose answer tells whether there is a message to delete.
    const cancel = (): void => {
      const path = `/internal/pools/${poolId}/parts/${part.id}`;
      void this.workers.request(owner, { method: 'DELETE', path }).catch(() => undefined);
    };
    signal.addEventListener('abort', cancel);
    try {
      if (signal.aborted) throw new PartAbortedError();
      return await this.workers.request<StoredPart>(owner, {
        method: 'POST',
        path: `/internal/pools/${poolId}/parts`,
        body: part,
        timeoutMs: STORE_TIMEOUT_MS,
      });
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  override async admit(poolId: string, maxWaitMs?: number): Promise<void> {
    await this.workers.request(await this.ownerOf(poolId), {
      method: 'POST',
      path: `/internal/pools/${poolId}/admissions`,
      body: { maxWaitMs },
    });
  }

  override async evict(poolId: string, botId: string): Promise<void> {
    await this.workers.request(await this.ownerOf(poolId), {
      method: 'DELETE',
      path: `/internal/pools/${poolId}/bots/${botId}`,
    });
  }

  override async key(poolId: string): Promise<Buffer> {
    const request = { method: 'GET', path: `/internal/pools/${poolId}/key` } as const;
    const { key } = await this.workers.request<{ readonly key: string }>(await this.ownerOf(poolId), request);
    return Buffer.from(key, 'base64');
  }

  override async status(poolId: string): Promise<DispatcherStatus> {
    return this.workers.request(await this.ownerOf(poolId), {
      method: 'GET',
      path: `/internal/pools/${poolId}/status`,
    });
  }

  private async ownerOf(poolId: string): Promise<{ readonly id: string; readonly addr: string }> {
    const pool = await this.repository.find(poolId);
    if (pool === undefined) throw new NotFoundError('pool', poolId);
    if (pool.owner === undefined) throw new PoolClosedError('no worker runs the pool');
    return pool.owner;
  }
}
