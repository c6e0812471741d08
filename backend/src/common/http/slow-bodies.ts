import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasBody } from './body-form.js';

interface Coming {
  readonly reply: FastifyReply;
  since: number;
}

/**
 * Ends requests whose body does not come to an end. Node's own limit is one for all routes, and an upload may take hours: routes
 * that take their body raw watch it themselves while they read, and are watched here only once they have answered.
 */
export class SlowBodies {
  private readonly coming = new Map<FastifyRequest, Coming>();
  private readonly sweeping: NodeJS.Timeout;

  /** @param refuse answers a request that took too long */
  constructor(
    private readonly limitMs: number,
    checkMs: number,
    private readonly refuse: (request: FastifyRequest, reply: FastifyReply) => void,
  ) {
    this.sweeping = setInterval(() => this.sweep(), checkMs).unref();
  }

  watch(request: FastifyRequest, reply: FastifyReply): void {
    if (hasBody(request)) this.coming.set(request, { reply, since: performance.now() });
  }

  /** The body is there. Told at once, for requests that are kept until the next look are garbage that is hard to collect. */
  arrived(request: FastifyRequest): void {
    if (request.raw.complete) this.coming.delete(request);
  }

  close(): void {
    clearInterval(this.sweeping);
  }

  private sweep(): void {
    const now = performance.now();
    for (const [request, each] of this.coming) {
      const { reply } = each;
      if (request.raw.complete || request.raw.destroyed) {
        this.coming.delete(request);
      } else if (request.routeOptions.config.rawBody === true && !reply.raw.writableEnded) {
        each.since = now;
      } else if (now - each.since > this.limitMs) {
        this.coming.delete(request);
        if (reply.raw.headersSent) request.raw.destroy();
        else this.refuse(request, reply);
      }
    }
  }
}
