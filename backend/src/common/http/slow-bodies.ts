import type { FastifyReply, FastifyRequest } from 'fastify';

interface Coming {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  since: number;
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Ends requests whose body does not come to an end. Node's own limit is one for all routes, and an upload may take hours: routes
 * that take their body raw watch it themselves while they read, and are watched here only once they have answered.
 */
export class SlowBodies {
  private readonly coming = new Set<Coming>();
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
    if (hasBody(request)) this.coming.add({ request, reply, since: performance.now() });
  }

  close(): void {
    clearInterval(this.sweeping);
  }

  private sweep(): void {
    const now = performance.now();
    for (const each of this.coming) {
      const { request, reply } = each;
      if (request.raw.complete || request.raw.destroyed) {
        this.coming.delete(each);
      } else if (request.routeOptions.config.rawBody === true && !reply.raw.writableEnded) {
        each.since = now;
      } else if (now - each.since > this.limitMs) {
        this.coming.delete(each);
        if (reply.raw.headersSent) request.raw.destroy();
        else this.refuse(request, reply);
      }
    }
  }
}
