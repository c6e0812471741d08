import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { WorkerUnreachableError } from '../errors/index.js';
import { ApiHeader, currentContext, describe, pathOf } from '../http/index.js';
import { idempotencyKeyOf, IDEMPOTENCY_KEY, markReplayed } from './idempotency-header.js';
import { IdempotencyOutcomeUnknownError } from './idempotency.errors.js';
import { Idempotency, type IdempotentRequest } from './idempotency.js';

/** Failures after which the request may have taken effect. */
const MAY_HAVE_HAPPENED: ReadonlySet<string | number> = new Set([
  'worker_unreachable',
  'deadline_exceeded',
  'internal_error',
  'database_unavailable',
]);

/** Serves an Idempotency-Key around a route that creates something. A refusal leaves nothing behind, so it frees the key. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly idempotency: Idempotency) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const http = context.switchToHttp();
    const { headers, method, url, body } = http.getRequest<FastifyRequest>();
    const key = idempotencyKeyOf(headers[IDEMPOTENCY_KEY]);
    if (key === undefined) return next.handle();
    const request = { caller: currentContext()?.caller, method, path: pathOf(url), key, body };
    return from(this.once(request, http.getResponse<FastifyReply>(), () => lastValueFrom(next.handle())));
  }

  private async once(request: IdempotentRequest, reply: FastifyReply, serve: () => Promise<unknown>): Promise<unknown> {
    const claim = await this.idempotency.claim(request);
    if (claim.kind === 'died') throw new IdempotencyOutcomeUnknownError([]);
    if (claim.kind === 'answered') {
      markReplayed(reply);
      return JSON.parse(claim.answer.text) as unknown;
    }
    let result: unknown;
    try {
      result = await serve();
    } catch (error) {
      const { code } = describe(error).body.error;
      const didNothing = error instanceof WorkerUnreachableError && error.neverReached;
      await (MAY_HAVE_HAPPENED.has(code) && !didNothing
        ? this.idempotency.giveUp(claim.id)
        : this.idempotency.release(claim.id));
      throw error;
    }
    await this.idempotency.finish(claim.id, { status: 200, text: JSON.stringify(result ?? null) });
    return result;
  }
}

/** Documents the header on a route. */
export const ApiIdempotencyKey = (): MethodDecorator =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'Up to 255 characters. A repeat within 24 hours gets the first answer and does nothing.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  });

/** A route whose request is served once for each Idempotency-Key. */
export const Idempotent = (): MethodDecorator =>
  applyDecorators(UseInterceptors(IdempotencyInterceptor), ApiIdempotencyKey());
