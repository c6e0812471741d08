import { SetMetadata } from '@nestjs/common';
import { addRouteConfig } from './direct.js';

/** Who may use a route. */
export enum Access {
  /** Everybody, without credentials. */
  Public = 'public',
  /** The holder of API_TOKEN, also through the console's cookie. */
  Master = 'master',
  /** Any valid token; what it sees is filtered by its scope. */
  AnyToken = 'any_token',
  /** A token whose scope covers the session of the path, which is its parameter `id`. */
  CoveredSession = 'covered_session',
  /** Only our own processes, with CLUSTER_TOKEN. */
  Cluster = 'cluster',
}

/** Metadata key of {@link Requires}. */
export const ACCESS = 'tgcontrol:access';

type DecoratedClass = new (...args: never[]) => unknown;

function handlersOf({ prototype }: DecoratedClass): object[] {
  return Object.getOwnPropertyNames(prototype)
    .map((name) => Object.getOwnPropertyDescriptor(prototype, name)?.value as unknown)
    .filter((value) => typeof value === 'function' && value !== (prototype as object).constructor) as object[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Known to Fastify too, which asks for credentials before it reads a body. */
    access?: Access;
    /** Whether a ticket in the query may stand for credentials. */
    takesTicket?: boolean;
  }
}

/** For streams, which a browser opens without headers: `?ticket=` of POST /v1/events/ticket lets in as well. */
export const TakesTicket = (): MethodDecorator => (_target, _key, descriptor) => {
  addRouteConfig(descriptor.value as object, { takesTicket: true });
};

/** Says who may use a controller or a route; one without it is refused to everybody. */
export const Requires =
  (access: Access): ClassDecorator & MethodDecorator =>
  (target: object, key?: string | symbol, descriptor?: PropertyDescriptor): void => {
    const handlers = descriptor ? [descriptor.value as object] : handlersOf(target as DecoratedClass);
    if (descriptor && key !== undefined) SetMetadata(ACCESS, access)(target, key, descriptor);
    else SetMetadata(ACCESS, access)(target as DecoratedClass);
    for (const handler of handlers) {
      // Decorators of methods ran before that of their class, and are meant instead of it.
      if (!descriptor && Reflect.hasOwnMetadata(ACCESS, handler)) continue;
      addRouteConfig(handler, { access });
    }
  };

/** The holder of API_TOKEN: by the token itself, or by the console's cookie. */
export interface MasterCaller {
  readonly kind: 'master';
  readonly via: 'token' | 'console';
}

/** Which sessions a scoped token may use: all, or those named and those of the apps named, also future ones. */
export interface TokenScope {
  readonly allSessions: boolean;
  readonly sessionIds: ReadonlySet<string>;
  readonly appIds: ReadonlySet<string>;
}

/** Covers nothing. */
export const NO_SCOPE: TokenScope = { allSessions: false, sessionIds: new Set(), appIds: new Set() };

/** The holder of a scoped token. */
export interface TokenCaller {
  readonly kind: 'token';
  readonly tokenId: string;
  /** What its owner calls it. */
  readonly name?: string;
  /** {@link NO_SCOPE} in a worker: the gateway has decided before it asks. */
  readonly scope: TokenScope;
}

/** Who asked. A worker gets it from the gateway in a signed header and never sees a token. */
export type Caller = MasterCaller | TokenCaller;
