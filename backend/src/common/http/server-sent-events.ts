import { once } from 'node:events';
import type { FastifyReply } from 'fastify';

/** A reader that takes nothing for so long is gone; its place in the events is its own affair. */
const STALLED_MS = 60_000;
/** What EventSource waits before it connects again. */
const RETRY_MS = 1_000;

/** Proxies and browsers give up what is silent for longer: then {@link HEARTBEAT} is sent. */
export const HEARTBEAT_MS = 15_000;
export const HEARTBEAT = ':\n\n';

/**
 * Sends portions of server-sent events (HTML standard, 9.2) as they come, until they end, nobody takes them, or the client leaves. To be
 * called when nothing can be refused any more.
 * @param from the id of the place before the first. EventSource keeps the id alone: also who has seen nothing yet goes on from there.
 */
export async function sendEvents(reply: FastifyReply, from: string, portions: AsyncIterable<string>): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  });
  try {
    // Before the events that follow: they may never come.
    if (!(await write(reply, `retry: ${RETRY_MS}\nid: ${from}\n\n`))) return;
    for await (const text of portions) if (!(await write(reply, text))) return;
  } finally {
    raw.end();
  }
}

/** @returns false when nobody reads any more */
async function write({ raw }: FastifyReply, text: string): Promise<boolean> {
  if (raw.destroyed) return false;
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
