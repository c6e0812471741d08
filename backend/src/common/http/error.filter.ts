import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppLogger } from '../log/app-logger.js';
import { toAppError } from './describe.js';
import { sendFailure } from './send-failure.js';

/**
 * Hands whatever a handler, guard or pipe threw to the server's error handler: that answers in the one form, and tells the audit log
 * of refusals.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: AppLogger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    if (reply.sent || reply.raw.headersSent) {
      sendFailure(thrown, http.getRequest<FastifyRequest>(), reply, this.logger);
    } else {
      void reply.send(toAppError(thrown));
    }
  }
}
