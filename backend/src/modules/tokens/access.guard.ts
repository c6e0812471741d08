import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ForbiddenError } from '../../common/errors/index.js';
import { ACCESS, Access, currentContext } from '../../common/http/index.js';
import { Authenticator } from './authenticator.js';

/** Decides on every request whether its caller may use the route; a route without `@Requires` is nobody's. */
@Injectable()
export class AccessGuard implements CanActivate {
  /** By handler: reading metadata walks prototypes, which every call would pay for. */
  private readonly levels = new WeakMap<object, Access | undefined>();

  constructor(private readonly authenticator: Authenticator) {}

  canActivate(execution: ExecutionContext): boolean | Promise<boolean> {
    const access = this.accessOf(execution);
    if (access === Access.Public) return true;
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    const context = currentContext();
    if (access === undefined || context === undefined) throw new ForbiddenError('this route is open to nobody');
    const admitting = context.admitted === access ? undefined : this.authenticator.admit(access, request, context);
    return admitting?.then(() => true) ?? true;
  }

  private accessOf(execution: ExecutionContext): Access | undefined {
    const handler = execution.getHandler();
    if (!this.levels.has(handler)) {
      const level = (Reflect.getMetadata(ACCESS, handler) ?? Reflect.getMetadata(ACCESS, execution.getClass())) as
        Access | undefined;
      this.levels.set(handler, level);
    }
    return this.levels.get(handler);
  }
}
