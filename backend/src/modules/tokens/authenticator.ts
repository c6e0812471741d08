import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppConfig } from '../../config/index.js';
import { CALLER_HEADER, CallerSignature } from '../../common/cluster/index.js';
import { AuthenticationThrottledError, CsrfFailedError, UnauthenticatedError } from '../../common/errors/index.js';
import { Access, type Caller, type RequestContext } from '../../common/http/index.js';
import { CONSOLE_COOKIE, type ConsoleSession, ConsoleSessions } from './console-sessions.js';
import { FailureThrottle } from './failure-throttle.js';
import { SecretMatcher } from './secret-matcher.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The value of a cookie of this name in a Cookie header. */
function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [key, ...value] = part.split('=');
    if (key?.trim() === name) return value.join('=').trim();
  }
  return undefined;
}

/** Finds out who a request comes from. */
@Injectable()
export class Authenticator {
  private readonly master: SecretMatcher | undefined;
  private readonly cluster: SecretMatcher | undefined;
  private readonly consoleSessions: ConsoleSessions | undefined;
  private readonly signature: CallerSignature | undefined;
  private readonly throttle: FailureThrottle;

  constructor(config: AppConfig) {
    const { apiToken, clusterToken } = config.secrets;
    this.master = apiToken === undefined ? undefined : new SecretMatcher(apiToken);
    this.consoleSessions = apiToken === undefined ? undefined : new ConsoleSessions(apiToken);
    this.cluster = clusterToken === undefined ? undefined : new SecretMatcher(clusterToken);
    this.signature = clusterToken === undefined ? undefined : new CallerSignature(clusterToken);
    this.throttle = new FailureThrottle(config.authFailuresPerMinute);
  }

  /**
   * Notes in the context who the request comes from, if that is somebody with this level of access.
   * @throws UnauthenticatedError, CsrfFailedError, AuthenticationThrottledError
   */
  admit(access: Access, request: FastifyRequest, context: RequestContext): void {
    if (access === Access.Cluster) {
      this.requireCluster(request.headers.authorization, context.remoteAddress);
      const header = request.headers[CALLER_HEADER];
      const caller = typeof header === 'string' ? this.callerOf(header) : undefined;
      if (caller) context.caller = caller;
    } else if (access !== Access.Public) {
      // There is one kind of caller so far, the master, who may do everything that is open to tokens.
      context.caller = this.authenticate(request, context.remoteAddress);
    }
    context.admitted = access;
  }

  /**
   * The caller of a public route: by bearer token, else by the console's cookie.
   * @throws UnauthenticatedError, CsrfFailedError, AuthenticationThrottledError
   */
  authenticate(request: FastifyRequest, address: string): Caller {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      if (this.bearerMatches(this.master, authorization)) return { kind: 'master', via: 'token' };
      this.refuse(address, 'invalid bearer token');
    }
    const session = this.consoleSession(request);
    if (!session) this.refuse(address, 'missing bearer token');
    if (!this.isCsrfSafe(request, session)) throw new CsrfFailedError();
    return { kind: 'master', via: 'console' };
  }

  /**
   * Opens a console session for the holder of the API token.
   * @throws UnauthenticatedError, AuthenticationThrottledError
   */
  openConsoleSession(token: string, address: string): ConsoleSession {
    if (!this.master?.matches(token) || !this.consoleSessions) this.refuse(address, 'invalid token');
    return this.consoleSessions.open();
  }

  /** The console session of a request's cookie, if there is a living one. */
  consoleSession(request: FastifyRequest): ConsoleSession | undefined {
    const cookie = cookieOf(request.headers.cookie, CONSOLE_COOKIE);
    return cookie === undefined ? undefined : this.consoleSessions?.find(cookie);
  }

  endConsoleSession(session: ConsoleSession): void {
    this.consoleSessions?.end(session);
  }

  /** @throws UnauthenticatedError for everybody who is not one of our processes */
  requireCluster(authorization: string | undefined, address: string): void {
    if (authorization === undefined || !this.bearerMatches(this.cluster, authorization)) {
      this.refuse(address, 'this route is for gateways only');
    }
  }

  /** Who asked the gateway, by its signed header. */
  callerOf(header: string): Caller | undefined {
    return this.signature?.verify(header);
  }

  /** Whether the request changes nothing, or proves that a page of ours sent it. */
  isCsrfSafe(request: FastifyRequest, session: ConsoleSession): boolean {
    if (SAFE_METHODS.has(request.method)) return true;
    const given = request.headers['x-csrf-token'];
    return typeof given === 'string' && this.consoleSessions?.isCsrfToken(session, given) === true;
  }

  private bearerMatches(secret: SecretMatcher | undefined, authorization: string): boolean {
    const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
    return token !== undefined && secret?.matches(token) === true;
  }

  private refuse(address: string, message: string): never {
    const seconds = this.throttle.fail(address);
    if (seconds !== undefined) throw new AuthenticationThrottledError(seconds);
    throw new UnauthenticatedError(message);
  }
}
