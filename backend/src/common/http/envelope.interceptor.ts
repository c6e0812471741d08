import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  StreamableFile,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Observable, map } from 'rxjs';
import { Page, RawEnvelope, RawJson, successEnvelope } from './envelope.js';
import { fieldsOf } from './openapi.js';
import { ANSWER_CLASS, type AnswerClass } from './returns.decorator.js';

const NO_ENVELOPE = 'tgcontrol:no-envelope';

/** The handler answers by itself: a page, a file, a stream of events. */
export const NoEnvelope = (): MethodDecorator & ClassDecorator => SetMetadata(NO_ENVELOPE, true);

function pick(value: unknown, fields: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const source = value as Record<string, unknown>;
  const picked: Record<string, unknown> = {};
  for (const field of fields) if (source[field] !== undefined) picked[field] = source[field];
  return picked;
}

function shaped(result: unknown, fields: readonly string[]): unknown {
  if (result instanceof RawJson || result instanceof RawEnvelope) return result;
  if (result instanceof Page) {
    return new Page(
      result.items.map((item) => pick(item, fields)),
      result.nextCursor,
    );
  }
  return Array.isArray(result) ? result.map((item) => pick(item, fields)) : pick(result, fields);
}

/** What decorators say about a handler: whether its result is put into the envelope, and which fields of it leave. */
interface AnswerPlan {
  readonly hasEnvelope: boolean;
  readonly fields: readonly string[] | undefined;
}

function planOf(context: ExecutionContext): AnswerPlan {
  const handler = context.getHandler();
  const answer = Reflect.getMetadata(ANSWER_CLASS, handler) as AnswerClass | undefined;
  const isBare = [handler, context.getClass()].some((target) => Reflect.getMetadata(NO_ENVELOPE, target) === true);
  return { hasEnvelope: !isBare, fields: answer && fieldsOf(answer) };
}

const ACCEPTED = 202;

/** Puts results into `{"ok":true,"result":…}`; of classes named by `@Returns`, only documented fields leave. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  /** By handler: reading metadata walks prototypes, which every call would pay for. */
  private readonly plans = new WeakMap<object, AnswerPlan>();

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const { hasEnvelope, fields } = this.planFor(context);
    if (!hasEnvelope) return next.handle();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((result) => {
        if (result instanceof StreamableFile || reply.sent) return result;
        // Creates answer 200 as everything else does; Nest would say 201 to a POST. What goes on after the answer says 202.
        void reply.code(reply.statusCode === ACCEPTED ? ACCEPTED : 200).type('application/json; charset=utf-8');
        return successEnvelope(fields ? shaped(result, fields) : result);
      }),
    );
  }

  private planFor(context: ExecutionContext): AnswerPlan {
    const handler = context.getHandler();
    const known = this.plans.get(handler);
    if (known) return known;
    const plan = planOf(context);
    this.plans.set(handler, plan);
    return plan;
  }
}
