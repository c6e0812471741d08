import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { WorkerClient } from '../../common/cluster/index.js';
import { AppError, NotFoundError, WorkerUnreachableError } from '../../common/errors/index.js';
import type { DispatcherStatus } from './dispatcher/dispatcher.js';
import { PartAbortedError, PoolClosedError } from './dispatcher/dispatcher.errors.js';
import { type KeptPart, PoolHost } from './pool-host.js';
import type { PoolPart } from './pool-part.js';
import { type PoolRow, PoolsRepository } from './pools.repository.js';

/** A part may take as long as its deadline, and the way. */
const STORE_TIMEOUT_MS = 16 * 60_000;
/** How long a pool may be nobody's: the lease of a worker that has died, and a while for the next one to open the pool. */
const CHANGING_HANDS_MS = 30_000;
const ASK_AGAIN_MS = 500;

type Owner = NonNullable<PoolRow['owner']>;

/** The pools of a gateway: each question goes to the worker that runs the pool. */
@Injectable()
export class RemotePoolHost extends PoolHost {
  constructor(
    private readonly repository: PoolsRepository,
    private readonly workers: WorkerClient,
  ) {
    super();
  }

  override store(poolId: string, part: PoolPart, signal: AbortSignal): Promise<KeptPart> {
    let isAnew = false;
    return this.askWhoeverRuns(
      poolId,
      (owner) => {
        // What became of the part with another owner nobody knows: its message, if there is one, is found as an orphan.
        const asked = isAnew ? { ...part, id: randomUUID() } : part;
        isAnew = true;
        return this.storeAt(owner, poolId, asked, signal);
      },
      signal,
    );
  }

  override async admit(poolId: string, maxWaitMs?: number): Promise<void> {
    await this.askWhoeverRuns(poolId, (owner) =>
      this.workers.request(owner, {
        method: 'POST',
        path: `/internal/pools/${poolId}/admissions`,
        body: { maxWaitMs },
      }),
    );
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

  private async storeAt(owner: Owner, poolId: string, part: PoolPart, signal: AbortSignal): Promise<KeptPart> {
    // Not by ending the request, whose answer tells whether there is a message to delete.
    const cancel = (): void => {
      const path = `/internal/pools/${poolId}/parts/${part.id}`;
      void this.workers.request(owner, { method: 'DELETE', path }).catch(() => undefined);
    };
    signal.addEventListener('abort', cancel);
    try {
      if (signal.aborted) throw new PartAbortedError();
      return await this.workers.request<KeptPart>(owner, {
        method: 'POST',
        path: `/internal/pools/${poolId}/parts`,
        body: part,
        timeoutMs: STORE_TIMEOUT_MS,
      });
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Asks again when the owner has died or given the pool up, until another one has it. */
  private async askWhoeverRuns<Answer>(
    poolId: string,
    ask: (owner: Owner) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer> {
    let deadline = Infinity;
    for (;;) {
      try {
        return await ask(await this.ownerOf(poolId));
      } catch (error) {
        deadline = Math.min(deadline, performance.now() + CHANGING_HANDS_MS);
        if (!isOwnerLost(error) || performance.now() >= deadline || signal?.aborted === true) throw error;
      }
      // Aborted, the next question says so.
      await sleep(ASK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async ownerOf(poolId: string): Promise<Owner> {
    const pool = await this.repository.find(poolId);
    if (pool === undefined) throw new NotFoundError('pool', poolId);
    if (pool.owner === undefined) throw new PoolClosedError('no worker runs the pool');
    return pool.owner;
  }
}

/** Whether nobody runs the pool where it was asked for: whoever takes it next may be asked. */
function isOwnerLost(error: unknown): boolean {
  return error instanceof WorkerUnreachableError || (error instanceof AppError && error.code === 'pool_unavailable');
}
