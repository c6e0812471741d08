import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppLogger } from '../log/app-logger.js';
import { describe } from './describe.js';

/** Sends the failure's envelope and logs what nobody expected; does nothing when an answer has already begun. */
export function sendFailure(thrown: unknown, request: FastifyRequest, reply: FastifyReply, logger: AppLogger): void {
  const { status, body, headers, unexpected } = describe(thrown);
  const context = { requestId: request.id, method: request.method, path: pathOf(request.url), code: body.error.code };
  if (unexpected) logger.failure('request failed', thrown, context);
  else if (status >= 500) logger.info('request refused', { ...context, message: body.error.message });
  if (reply.sent || reply.raw.headersSent) return;
  void reply.code(status).headers(headers).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** The path of a URL without its query, which may carry secrets. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}
