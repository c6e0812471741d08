import type { FastifyReply } from 'fastify';

/** Aborts when the connection closes before the answer was sent: the caller has gone. */
export function abortedWith(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { raw } = reply;
  raw.once('close', () => {
    if (!raw.writableFinished) {
      controller.abort();
    }
  });
  return controller.signal;
}
