import { SetMetadata } from '@nestjs/common';

/** Who may use a route. */
export enum Access {
  /** Everybody, without credentials. */
  Public = 'public',
  /** The holder of API_TOKEN, also through the console's cookie. */
  Master = 'master',
  /** Any valid token; what it sees is filtered by its scope. */
  AnyToken = 'any_token',
  /** A token whose scope covers the session of the path. */
  CoveredSession = 'covered_session',
  /** Only our own processes, with CLUSTER_TOKEN. */
  Cluster = 'cluster',
}

/** Metadata key of {@link Requires}. */
export const ACCESS = 'tgcontrol:access';

/** Says who may use a controller or a route; one without it is refused to everybody. */
export const Requires = (access: Access): ClassDecorator & MethodDecorator => SetMetadata(ACCESS, access);

/** The holder of API_TOKEN: by the token itself, or by the console's cookie. */
export interface MasterCaller {
  readonly kind: 'master';
  readonly via: 'token' | 'console';
}

/** Who asked. A worker gets it from the gateway in a signed header and never sees a token. */
export type Caller = MasterCaller;
