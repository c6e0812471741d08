import type { FastifyReply } from 'fastify';

/** Aborts when the client leaves before it has its whole answer. */
export function leaveSignal({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) left.abort();
  });
  return left.signal;
}
