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
  /** A token that may use the pool of the path, which is its parameter `pool`. */
  CoveredPool = 'covered_pool',
  /** Only our own processes, with CLUSTER_TOKEN. */
  Cluster = 'cluster',
}

/**
 * What a td_api method does to an account, so that a token can be given one kind of act and not another: `read` looks,
 * `send` puts something before other people, `manage` changes chats, contacts and settings, `account` can take over, end
 * or empty the account.
 */
export type MethodClass = 'read' | 'send' | 'manage' | 'account';

/**
 * What a scoped token needs beside its scope to use a route: one of these classes. `any` asks for none; a route that runs td_api
 * methods asks for the class of each.
 */
export type RouteRight = readonly MethodClass[] | 'any' | PoolAccess;

/** What a token may do in a pool of bots: `write` is also to read. */
export type PoolAccess = 'read' | 'write';

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
    /** What a scoped token has to have. A route that says nothing is open to none. */
    right?: RouteRight;
    /** Whether a ticket in the query may stand for credentials. */
    takesTicket?: boolean;
  }
}

/** For streams, which a browser opens without headers: `?ticket=` of POST /v1/events/ticket lets in as well. */
export const TakesTicket = (): MethodDecorator => (_target, _key, descriptor) => {
  addRouteConfig(descriptor.value as object, { takesTicket: true });
};

type ScopedAccess = Access.AnyToken | Access.CoveredSession;

/** Says who may use a controller or a route; one without it is refused to everybody. */
export function Requires(access: Exclude<Access, ScopedAccess | Access.CoveredPool>): ClassDecorator & MethodDecorator;
/** @param right what scoped tokens need beside their scope */
export function Requires(
  access: ScopedAccess,
  right: Exclude<RouteRight, PoolAccess>,
): ClassDecorator & MethodDecorator;
export function Requires(access: Access.CoveredPool, right: PoolAccess): ClassDecorator & MethodDecorator;
export function Requires(access: Access, right?: RouteRight): ClassDecorator & MethodDecorator {
  return (target: object, key?: string | symbol, descriptor?: PropertyDescriptor): void => {
    const handlers = descriptor ? [descriptor.value as object] : handlersOf(target as DecoratedClass);
    if (descriptor && key !== undefined) SetMetadata(ACCESS, access)(target, key, descriptor);
    else SetMetadata(ACCESS, access)(target as DecoratedClass);
    for (const handler of handlers) {
      // Decorators of methods ran before that of their class, and are meant instead of it.
      if (!descriptor && Reflect.hasOwnMetadata(ACCESS, handler)) continue;
      addRouteConfig(handler, { access, right });
    }
  };
}

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
  /** The pools of bots that it may use, by their ids; absent for none. */
  readonly pools?: ReadonlyMap<string, PoolAccess>;
}

/** Covers nothing. */
export const NO_SCOPE: TokenScope = { allSessions: false, sessionIds: new Set(), appIds: new Set() };

/** What a scoped token may do in the sessions that its scope covers. Everything that is given must allow an act. */
export interface TokenRights {
  readonly classes: readonly MethodClass[];
  /** The td_api methods it may call; absent for all of its classes, empty for none. */
  readonly methods?: readonly string[];
  /** The chats it may see and act in; absent for all, empty for none. */
  readonly chats?: readonly number[];
}

/** The holder of a scoped token. */
export interface TokenCaller {
  readonly kind: 'token';
  readonly tokenId: string;
  /** What its owner calls it. */
  readonly name?: string;
  /** {@link NO_SCOPE} in a worker: the gateway has decided before it asks. */
  readonly scope: TokenScope;
  readonly rights: TokenRights;
}

/** Who asked. A worker gets it from the gateway in a signed header and never sees a token. */
export type Caller = MasterCaller | TokenCaller;
