import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from './access.js';
import { addRouteConfig } from './direct.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route does, by the name that the OpenAPI document has for it. */
    operation?: string;
    /** Set by {@link NoChange}. */
    noChange?: boolean;
  }
}

/**
 * For routes that are asked by POST and the like, but change nothing that an administrator would look for: calls, uploads, questions.
 * Every other such route is in the audit log by itself.
 */
export const NoChange =
  (): MethodDecorator & ClassDecorator => (target: object, _key?: unknown, descriptor?: unknown) => {
    const { value } = (descriptor ?? {}) as { readonly value?: object };
    if (value) {
      addRouteConfig(value, { noChange: true });
      return;
    }
    const { prototype } = target as { readonly prototype: object };
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const handler: unknown = Reflect.get(prototype, name);
      if (typeof handler === 'function' && name !== 'constructor') addRouteConfig(handler, { noChange: true });
    }
  };

/** Who writes down what clients have changed and what they were refused. */
export interface RequestObserver {
  /** A change was asked for, and is answered with this: the result or the refusal. Must not throw, nor wait. */
  changed(request: FastifyRequest, reply: FastifyReply, answer: string): void;
  /** A request for something else was refused. Must not throw, nor wait. */
  refused(request: FastifyRequest, reason: unknown): void;
}

const UNSAFE = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Whether requests to a route are changes. */
export function isChange(
  methods: readonly string[],
  config: { readonly access?: Access; readonly noChange?: boolean } | undefined,
): boolean {
  return (
    config?.access !== undefined &&
    config.access !== Access.Cluster &&
    config.noChange !== true &&
    methods.some((each) => UNSAFE.has(each))
  );
}
