import type { FastifyReply } from 'fastify';
import { HEARTBEAT, HEARTBEAT_MS, sendEvents } from '../../common/http/index.js';
import { toCursor } from './delivery.dto.js';
import { eventText, type EventReader, type Events, type EventsRequest } from './event-reader.js';

/**
 * The events of a subscription as a stream: each event's id is its cursor, so that a browser which connects again goes on where it was.
 * Ends with the client, with the process, or when the subscription may not be read any more.
 */
export async function streamEvents(
  reply: FastifyReply,
  reader: EventReader,
  request: Omit<EventsRequest, 'waitMs'>,
): Promise<void> {
  // The first answer may still be a refusal.
  const first = await reader.read({ ...request, waitMs: 0 });
  await sendEvents(reply, toCursor(String(first.from)), portions(reader, request, first));
}

async function* portions(
  reader: EventReader,
  request: Omit<EventsRequest, 'waitMs'>,
  first: Events,
): AsyncGenerator<string, undefined> {
  let events = first;
  for (;;) {
    yield textOf(events);
    if (events.isOver || reader.isStopping || request.caller.left) return undefined;
    events = await reader.read({ ...request, after: events.next, waitMs: HEARTBEAT_MS });
  }
}

function textOf({ rows, isOver }: Events): string {
  if (isOver) return 'event: end\ndata: {"reason":"the subscription is gone, or its token may not read it"}\n\n';
  if (rows.length === 0) return HEARTBEAT;
  return rows.map((row) => `id: ${toCursor(row.seq)}\ndata: ${eventText(row)}\n\n`).join('');
}
