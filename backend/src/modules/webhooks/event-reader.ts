import { Injectable } from '@nestjs/common';
import { RawJson } from '../../common/http/index.js';
import type { ChatView, Departure } from '../../telegram/index.js';
import { DeliveriesRepository, type EventRow } from './deliveries.repository.js';
import { toCursor } from './delivery.dto.js';
import { EventFeed } from './event-feed.js';
import { visibleStored } from './visible-update.js';

/** What a reader asks for. */
export interface EventsRequest {
  readonly subscriptionId: string;
  /** The number after which it wants events; undefined for what comes from now on. */
  readonly after: number | undefined;
  readonly limit: number;
  /** How long it waits while there is nothing. */
  readonly waitMs: number;
  readonly caller: Departure;
  /** What the reader may see; undefined for everything. What was stored for a token may be more than it has a right to now. */
  readonly view: ChatView | undefined;
}

/** Events with the places around them. */
export interface Events {
  readonly rows: readonly EventRow[];
  /** The place before them. */
  readonly from: number;
  readonly next: number;
  /** Whether the subscription is gone, or its token must not read it any more. */
  readonly isOver: boolean;
}

/** A notification can be lost with a connection: who waits looks again so often. */
const LOOK_AGAIN_MS = 5_000;

/** Reads the events of subscriptions, from wherever a reader is; readers know nothing of each other. */
@Injectable()
export class EventReader {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly feed: EventFeed,
  ) {}

  get isStopping(): boolean {
    return this.feed.isStopping;
  }

  /** Answers with what there is; with nothing, once there is something, or the time is over, or the caller has left. */
  async read({ subscriptionId, after, limit, waitMs, caller, view }: EventsRequest): Promise<Events> {
    const deadline = performance.now() + waitMs;
    const position = after ?? (await this.deliveries.newest(subscriptionId));
    for (;;) {
      const left = deadline - performance.now();
      const { arrived, leave } = this.feed.listen(subscriptionId, Math.max(0, Math.min(left, LOOK_AGAIN_MS)));
      caller.notify(leave);
      try {
        const found = await this.deliveries.events(subscriptionId, position, limit);
        const isOver = found === undefined;
        const rows = found ?? [];
        const last = rows.at(-1);
        if (last !== undefined || isOver || left <= 0 || caller.left || this.feed.isStopping) {
          return {
            rows: visibleRows(rows, view),
            from: position,
            next: last === undefined ? position : Number(last.seq),
            isOver,
          };
        }
        await arrived;
      } finally {
        caller.notify(undefined);
        leave();
      }
    }
  }
}

function visibleRows(rows: readonly EventRow[], view: ChatView | undefined): readonly EventRow[] {
  return rows.flatMap((row) => {
    const payload = visibleStored(view, row.payload);
    return payload === undefined ? [] : [{ ...row, payload }];
  });
}

/** An event as the API has it; the update stands in it as TDLib wrote it. */
export function eventText({ id, seq, at, payload }: EventRow): string {
  const members = JSON.stringify({ id, cursor: toCursor(seq), at: at.toISOString() });
  return `${members.slice(0, -1)},"update":${payload}}`;
}

/** The answer of a poll. */
export function pollAnswer({ rows, next }: Events): RawJson {
  return new RawJson(`[${rows.map(eventText).join(',')}]`, { next_cursor: toCursor(String(next)) });
}
