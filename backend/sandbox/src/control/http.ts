import Fastify from 'fastify';
import type { AddressInfo } from 'node:net';
import { toSnakeCase } from './case.js';
import type { Control } from './control.js';
import { sendFailure } from './http-errors.js';
import { accountRoutes, chatRoutes, stateRoutes, weatherRoutes } from './routes.js';

/** A running control API. */
export interface ControlServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A test's files come inside the JSON. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Serves the control object as JSON over HTTP, in the product's envelope. There is no authentication: whoever reaches
 * the port rules the sandbox, so it listens on loopback unless told otherwise.
 * @param port 0 takes any free one
 */
export async function startControlServer(control: Control, port: number, host = '127.0.0.1'): Promise<ControlServer> {
  const app = Fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    // Fastify's default silently drops fields it does not know; a typo should be told.
    ajv: { customOptions: { removeAdditional: false, allErrors: true } },
  });
  app.setErrorHandler((error, _request, reply) => {
    sendFailure(reply, error);
  });
  app.setNotFoundHandler((request, reply) => {
    const message = `there is no ${request.method} ${request.url}`;
    void reply.status(404).send({ ok: false, error: { source: 'sandbox', code: 'route_not_found', message } });
  });
  app.addHook('preSerialization', (_request, reply, payload, done) => {
    done(null, reply.statusCode < 400 ? { ok: true, result: toSnakeCase(payload) } : payload);
  });
  accountRoutes(app, control);
  chatRoutes(app, control);
  weatherRoutes(app, control);
  stateRoutes(app, control);
  await app.listen({ port, host });
  const address = app.server.address() as AddressInfo;
  return { port: address.port, close: () => app.close() };
}
