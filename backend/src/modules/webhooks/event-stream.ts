import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { type Departure } from '../../telegram/index.js';
import { toCursor } from './delivery.dto.js';
import { eventText, type EventReader, type Events, type EventsRequest } from './event-reader.js';

/** Proxies and browsers give up what is silent for longer. */
const HEARTBEAT_MS = 15_000;
/** A reader that takes nothing for so long is gone; its place in the events is its own affair. */
const STALLED_MS = 60_000;
/** What EventSource waits before it connects again. */
const RETRY_MS = 1_000;

/**
 * Server-sent events (HTML standard, 9.2): each event's id is its cursor, so that a browser which connects again goes on where
 * it was. Ends with the client, with the process, or when the subscription may not be read any more.
 */
export async function streamEvents(
  reply: FastifyReply,
  reader: EventReader,
  request: Omit<EventsRequest, 'waitMs'>,
): Promise<void> {
  // The first answer may still be a refusal.
  let events = await reader.read({ ...request, waitMs: 0 });
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  });
  try {
    // The id alone is kept by EventSource: also who has seen nothing yet goes on from here. It is before the events that follow: they
    // may never come.
    let isOpen = await write(reply, request.caller, `retry: ${RETRY_MS}\nid: ${toCursor(String(events.from))}\n\n`);
    while (isOpen) {
      isOpen = await write(reply, request.caller, textOf(events));
      if (!isOpen || events.isOver || reader.isStopping) break;
      events = await reader.read({ ...request, after: events.next, waitMs: HEARTBEAT_MS });
    }
  } finally {
    raw.end();
  }
}

function textOf({ rows, isOver }: Events): string {
  if (isOver) return 'event: end\ndata: {"reason":"the subscription is gone, or its token may not read it"}\n\n';
  if (rows.length === 0) return ':\n\n';
  return rows.map((row) => `id: ${toCursor(row.seq)}\ndata: ${eventText(row)}\n\n`).join('');
}

/** @returns false when nobody reads any more */
async function write({ raw }: FastifyReply, caller: Departure, text: string): Promise<boolean> {
  if (caller.left || raw.destroyed) return false;
  if (raw.write(text)) return true;
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(), STALLED_MS);
  try {
    await Promise.race([
      once(raw, 'drain', { signal: stalled.signal }),
      once(raw, 'close', { signal: stalled.signal }),
    ]);
    return !raw.destroyed;
  } catch {
    raw.destroy();
    return false;
  } finally {
    clearTimeout(timer);
    stalled.abort();
  }
}
