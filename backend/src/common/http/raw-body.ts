import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addRouteConfig } from './direct.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    rawBody?: boolean;
  }
  interface FastifyRequest {
    /** The Content-Type of a request whose route takes its body raw. */
    rawContentType: string | undefined;
  }
}

/** Fastify chooses how to read a body by its type alone. Nobody else knows this one. */
const RAW_TYPE = `application/x-raw-${randomUUID()}`;

/** The handler gets the body as a stream, whatever its Content-Type says, and reads as much of it as it wants. */
export const RawBody = (): MethodDecorator => (_target, _key, descriptor) => {
  addRouteConfig(descriptor.value as object, { rawBody: true });
};

/** Makes {@link RawBody} work. To be called before the hooks that look at the Content-Type. */
export function passRawBodies(fastify: FastifyInstance): void {
  fastify.decorateRequest('rawContentType', undefined);
  fastify.addContentTypeParser(RAW_TYPE, (_request, payload, done) => done(null, payload));
}

/** Has the body of a request passed as it is when its route wants that. */
export function markRaw(request: FastifyRequest): void {
  if (request.routeOptions.config.rawBody) {
    request.rawContentType = request.headers['content-type'];
    request.headers['content-type'] = RAW_TYPE;
  }
}
