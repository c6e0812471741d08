import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Caller, HEARTBEAT, HEARTBEAT_MS } from '../../../common/http/index.js';
import type { Departure } from '../../../telegram/index.js';
import { PoolReaders } from '../pool-readers.js';
import { PoolHost } from '../pool-host.js';
import { toStatusDto } from '../pool.mapping.js';
import { PoolEventFeed } from './pool-event-feed.js';
import { PoolEventsRepository, type StoredPoolEvent } from './pool-events.repository.js';

/** What is sent at once. */
const PORTION = 500;
/** Between two portions: what happens meanwhile goes together. */
const PAUSE_MS = 200;
/** A notification can be lost with a connection: who waits looks again so often. */
const LOOK_AGAIN_MS = 5_000;

/** What happens in a pool, as server-sent events. */
@Injectable()
export class PoolEventStream {
  constructor(
    private readonly events: PoolEventsRepository,
    private readonly feed: PoolEventFeed,
    private readonly readers: PoolReaders,
    private readonly host: PoolHost,
  ) {}

  /** The place after the newest event. */
  end(poolId: string): Promise<number> {
    return this.events.newest(poolId);
  }

  /**
   * First how the pool is, then what has happened after a place, for as long as the caller is there and may see it. What is not kept
   * any more is told as a gap.
   */
  async *portions(
    poolId: string,
    after: number,
    caller: Caller,
    departure: Departure,
  ): AsyncGenerator<string, undefined> {
    const snapshot = await this.host.status(poolId).catch(() => undefined);
    if (snapshot !== undefined) yield `event: snapshot\ndata: ${JSON.stringify(toStatusDto(snapshot))}\n\n`;
    let place = after;
    let spokenAt = performance.now();
    while (!this.feed.wakes.isStopped && !departure.left) {
      const { arrived, leave } = this.feed.wakes.listen(poolId, LOOK_AGAIN_MS);
      departure.notify(leave);
      try {
        if (caller.kind === 'token' && !(await this.readers.mayRead(caller.tokenId, poolId))) {
          yield 'event: end\ndata: {"reason":"the token may not read in the pool any more"}\n\n';
          return undefined;
        }
        const rows = await this.events.after(poolId, place, PORTION);
        const last = rows.at(-1);
        if (last === undefined) {
          await arrived;
          if (performance.now() - spokenAt < HEARTBEAT_MS) continue;
          yield HEARTBEAT;
        } else {
          yield textOf(rows, place);
          place = last.seq;
          await sleep(PAUSE_MS);
        }
        spokenAt = performance.now();
      } finally {
        departure.notify(undefined);
        leave();
      }
    }
    return undefined;
  }
}

function textOf(rows: readonly StoredPoolEvent[], after: number): string {
  const first = rows[0]?.seq ?? after + 1;
  const gap = first === after + 1 ? '' : `event: gap\ndata: ${JSON.stringify({ from: after + 1, to: first - 1 })}\n\n`;
  return gap + rows.map(({ seq, type, data }) => `id: ${seq}\nevent: ${type}\ndata: ${data}\n\n`).join('');
}
