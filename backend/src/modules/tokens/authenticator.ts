import { Injectable, Optional } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppConfig } from '../../config/index.js';
import { CALLER_HEADER, CallerSignature } from '../../common/cluster/index.js';
import { DatabaseClock } from '../../common/db/database-clock.js';
import {
  AuthenticationThrottledError,
  CsrfFailedError,
  ScopeDeniedError,
  UnauthenticatedError,
} from '../../common/errors/index.js';
import {
  Access,
  type Caller,
  type MasterCaller,
  type RequestContext,
  type RouteRight,
  type TokenCaller,
  type TokenRights,
} from '../../common/http/index.js';
import { CONSOLE_COOKIE, type ConsoleSession, ConsoleSessions } from './console-sessions.js';
import { EventTickets } from './event-tickets.js';
import { FailureThrottle } from './failure-throttle.js';
import { PoolCoverage } from './pool-coverage.js';
import { ScopedTokens } from './scoped-tokens.js';
import { SecretMatcher } from './secret-matcher.js';
import { SessionCoverage } from './session-coverage.js';

/** One object each: the signature of a caller is remembered by it. */
const MASTER_BY_TOKEN: MasterCaller = { kind: 'master', via: 'token' };
const MASTER_BY_CONSOLE: MasterCaller = { kind: 'master', via: 'console' };

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The value of a cookie of this name in a Cookie header. */
function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [key, ...value] = part.split('=');
    if (key?.trim() === name) return value.join('=').trim();
  }
  return undefined;
}

/** The token of `Authorization: Bearer …`; undefined for anything else. */
function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

/** The ticket of a request that may come with one, and brings nothing better. */
function ticketOf({ headers, routeOptions, query }: FastifyRequest): string | undefined {
  if (routeOptions.config.takesTicket !== true || headers.authorization !== undefined) return undefined;
  const { ticket } = query as { readonly ticket?: unknown };
  return typeof ticket === 'string' ? ticket : undefined;
}

/** @throws ScopeDeniedError naming the classes of which one is needed */
function requireRight(right: RouteRight, { classes }: TokenRights): void {
  if (typeof right !== 'string' && !right.some((each) => classes.includes(each))) {
    const message = `the token needs the class ${right.join(' or ')} for this`;
    throw new ScopeDeniedError(message, { details: { classes: right } });
  }
}

/** Finds out who a request comes from, and whether that is enough. */
@Injectable()
export class Authenticator {
  private readonly apiToken: SecretMatcher | undefined;
  private readonly cluster: SecretMatcher | undefined;
  private readonly consoleSessions: ConsoleSessions | undefined;
  private readonly signature: CallerSignature | undefined;
  private readonly throttle: FailureThrottle;

  /** In a worker all but the first two are absent: nobody of any client gets in there. */
  constructor(
    config: AppConfig,
    clock: DatabaseClock,
    @Optional() private readonly tokens?: ScopedTokens,
    @Optional() private readonly coverage?: SessionCoverage,
    @Optional() private readonly tickets?: EventTickets,
    @Optional() private readonly pools?: PoolCoverage,
  ) {
    const { apiToken, clusterToken } = config.secrets;
    this.apiToken = apiToken === undefined ? undefined : new SecretMatcher(apiToken);
    this.consoleSessions = apiToken === undefined ? undefined : new ConsoleSessions(apiToken);
    this.cluster = clusterToken === undefined ? undefined : new SecretMatcher(clusterToken);
    this.signature = clusterToken === undefined ? undefined : new CallerSignature(clusterToken, clock.now);
    this.throttle = new FailureThrottle(config.authFailuresPerMinute);
  }

  /**
   * Notes in the context who the request comes from, if that is somebody with this level of access. Nothing is waited for where
   * the master asks, or one of our processes.
   * @throws UnauthenticatedError, CsrfFailedError, AuthenticationThrottledError; the promise is also rejected with
   *   TokenDisabledError, TokenExpiredError, ScopeDeniedError and DatabaseUnavailableError
   */
  admit(access: Access, request: FastifyRequest, context: RequestContext): Promise<void> | undefined {
    if (access === Access.Cluster) {
      this.requireCluster(request.headers.authorization, context.remoteAddress);
      const header = request.headers[CALLER_HEADER];
      if (header !== undefined) context.caller = this.callerOf(header);
    } else if (access !== Access.Public) {
      const ticket = ticketOf(request);
      if (ticket !== undefined) return this.admitTicket(ticket, access, request, context);
      const master = this.masterOf(request, context.remoteAddress);
      if (!master) return this.admitToken(access, request, context);
      context.caller = master;
    }
    context.admitted = access;
    return undefined;
  }

  /**
   * Opens a console session for the holder of the API token, and notes in the context who that is, also of who is refused.
   * @throws UnauthenticatedError, AuthenticationThrottledError; ScopeDeniedError, TokenDisabledError for a scoped token
   */
  async openConsoleSession(token: string, context: RequestContext): Promise<ConsoleSession> {
    if (this.apiToken?.matches(token) && this.consoleSessions) {
      context.caller = MASTER_BY_CONSOLE;
      return this.consoleSessions.open();
    }
    const caller = await this.tokens?.find(token);
    if (caller) {
      context.caller = caller;
      throw new ScopeDeniedError('this token is limited to its sessions: the console needs the master token');
    }
    this.refuse(context.remoteAddress, 'invalid token');
  }

  /** The console session of a request's cookie, if there is a living one. */
  consoleSession(request: FastifyRequest): ConsoleSession | undefined {
    const cookie = cookieOf(request.headers.cookie, CONSOLE_COOKIE);
    return cookie === undefined ? undefined : this.consoleSessions?.find(cookie);
  }

  /** Ends it; its holder is noted in the context. */
  endConsoleSession(session: ConsoleSession, context: RequestContext): void {
    context.caller = MASTER_BY_CONSOLE;
    this.consoleSessions?.end(session);
  }

  /** Whether the request changes nothing, or proves that a page of ours sent it. */
  isCsrfSafe(request: FastifyRequest, session: ConsoleSession): boolean {
    if (SAFE_METHODS.has(request.method)) return true;
    const given = request.headers['x-csrf-token'];
    return typeof given === 'string' && this.consoleSessions?.isCsrfToken(session, given) === true;
  }

  /** The master, by bearer token, else by the console's cookie; undefined for another bearer token. */
  private masterOf(request: FastifyRequest, address: string): MasterCaller | undefined {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const token = bearerOf(authorization);
      return token !== undefined && this.apiToken?.matches(token) ? MASTER_BY_TOKEN : undefined;
    }
    const session = this.consoleSession(request);
    if (!session) this.refuse(address, 'missing bearer token');
    if (!this.isCsrfSafe(request, session)) throw new CsrfFailedError();
    return MASTER_BY_CONSOLE;
  }

  private async admitToken(access: Access, request: FastifyRequest, context: RequestContext): Promise<void> {
    const token = bearerOf(request.headers.authorization);
    const caller = token === undefined ? undefined : await this.tokens?.find(token);
    if (!caller) this.refuse(context.remoteAddress, 'invalid bearer token');
    // Also of who is refused: the audit log names it.
    context.caller = caller;
    await this.requireScope(caller, access, request);
    context.admitted = access;
  }

  private async admitTicket(
    ticket: string,
    access: Access,
    request: FastifyRequest,
    context: RequestContext,
  ): Promise<void> {
    const caller = await this.tickets?.take(ticket);
    if (!caller) this.refuse(context.remoteAddress, 'the ticket is unknown, used or too old');
    context.caller = caller;
    if (caller.kind === 'token') await this.requireScope(caller, access, request);
    context.admitted = access;
  }

  /** @throws ScopeDeniedError */
  private async requireScope(caller: TokenCaller, access: Access, request: FastifyRequest): Promise<void> {
    const { right = [] } = request.routeOptions.config;
    if (access === Access.CoveredPool) {
      const { pool = '' } = request.params as { readonly pool?: string };
      await this.pools?.require(caller.scope, pool, right === 'read' ? 'read' : 'write');
      return;
    }
    if (access === Access.CoveredSession) {
      const { id } = request.params as { readonly id?: string };
      await this.coverage?.require(caller.scope, id ?? '');
    } else if (access !== Access.AnyToken) {
      throw new ScopeDeniedError('the token is limited to its sessions: this needs the master token');
    }
    requireRight(right, caller.rights);
  }

  /**
   * Lets only our own processes pass.
   * @throws UnauthenticatedError, AuthenticationThrottledError
   */
  requireCluster(authorization: string | undefined, address: string): void {
    const token = bearerOf(authorization);
    if (token === undefined || !this.cluster?.matches(token)) this.refuse(address, 'this route is for gateways only');
  }

  /** Who asked the gateway. A header that is not ours or too old is refused: to go on without it would give every right. */
  private callerOf(header: string | string[]): Caller {
    const caller = typeof header === 'string' ? this.signature?.verify(header) : undefined;
    if (!caller) throw new UnauthenticatedError('the signature of the caller is not valid: are the clocks right?');
    return caller;
  }

  /**
   * Counts a failed authentication that another way in has refused.
   * @returns the seconds that the address has to wait when there were too many
   */
  noteFailure(address: string): number | undefined {
    return this.throttle.fail(address);
  }

  private refuse(address: string, message: string): never {
    const seconds = this.throttle.fail(address);
    if (seconds !== undefined) throw new AuthenticationThrottledError(seconds);
    throw new UnauthenticatedError(message);
  }
}
