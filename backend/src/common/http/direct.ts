import type { Type } from '@nestjs/common';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';

/** A handler that Fastify calls without Nest in between. */
export interface DirectHandler {
  readonly controller: Type;
  readonly method: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    direct?: DirectHandler;
  }
}

/** Adds to what Fastify knows of a route; Nest's own decorator replaces what others have said. */
export function addRouteConfig(handler: object, config: Readonly<Record<string, unknown>>): void {
  const known = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as object | undefined;
  Reflect.defineMetadata(FASTIFY_ROUTE_CONFIG_METADATA, { ...known, ...config }, handler);
}

/**
 * For the few routes that are asked thousands of times a second: guards, pipes and interceptors would be a quarter of what such a
 * request costs. The handler takes the request and the reply, checks its input itself, and returns what goes into the envelope.
 * Credentials, context, errors and security headers are as everywhere, since they are the server's.
 */
export const Direct =
  (): MethodDecorator =>
  (target, key, descriptor): void => {
    addRouteConfig(descriptor.value as object, {
      direct: { controller: target.constructor as Type, method: String(key) } satisfies DirectHandler,
    });
  };
