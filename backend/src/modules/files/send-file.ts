import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';
import type { FileAnswer } from './downloads.js';

/** A client that takes nothing for so long is gone. */
const CLIENT_IDLE_MS = 5 * 60_000;

/**
 * Sends a file's answer. What fails after the first byte cuts the connection: nobody may take a part for the whole.
 * @returns whether every byte was handed over
 */
export async function sendFile(reply: FastifyReply, { status, headers, body }: FileAnswer): Promise<boolean> {
  const { raw } = reply;
  reply.headers(headers);
  const all = reply.getHeaders();
  reply.hijack();
  if (raw.destroyed) {
    body?.destroy();
    return false;
  }
  raw.setTimeout(CLIENT_IDLE_MS, () => raw.destroy());
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.statusCode = status;
  if (body === undefined) {
    raw.end();
    return false;
  }
  try {
    await pipeline(body, raw);
    return raw.writableFinished;
  } catch {
    raw.destroy();
    return false;
  }
}
