import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Type } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppConfig } from '../../config/index.js';
import {
  MethodNotAllowedError,
  PayloadTooLargeError,
  RequestTimeoutError,
  RouteNotFoundError,
  ShuttingDownError,
  ValidationFailedError,
  codeOf,
} from '../errors/index.js';
import type { AppLogger } from '../log/app-logger.js';
import { Access } from './access.js';
import { isChange, type RequestObserver } from './audited.js';
import { requirePlainBody, requireUtf8Json } from './body-form.js';
import { BODY_LIMIT_BYTES } from './describe.js';
import type { DirectHandler } from './direct.js';
import { successEnvelope } from './envelope.js';
import { continueWhenRead } from './expect-continue.js';
import { readJsonBody } from './json-body.js';
import { markRaw, passRawBodies } from './raw-body.js';
import { type RequestContext, runInContext } from './request-context.js';
import { RouteTable } from './route-table.js';
import { pathOf, sendFailure } from './send-failure.js';
import { SlowBodies } from './slow-bodies.js';
import type { StaticSite } from './static-site.js';
import { answerForNode, endWith, refuseConnection } from './unserved.js';

/** How long slow clients are waited for, in milliseconds. */
export interface HttpDeadlines {
  readonly headersMs: number;
  /** For the whole of a request whose route reads its body at once. */
  readonly requestMs: number;
  /** How often those two are looked after. */
  readonly checkMs: number;
}

export const HTTP_DEADLINES: HttpDeadlines = { headersMs: 15_000, requestMs: 30_000, checkMs: 2_000 };
const KEEP_ALIVE_MS = 75_000;
/** How soon the other side of an idle upgraded connection is asked whether it is there. */
const UPGRADED_KEEP_ALIVE_MS = 10_000;
/** Longer than a shutdown gives what is in flight. Node would wait for ever for a connection on which nothing was ever sent. */
const CLOSE_PATIENCE_MS = 8_000;

/** The largest body, in bytes, of a route that needs no credentials. */
const PUBLIC_BODY_LIMIT_BYTES = 16 * 1024;

/** A request's own id, when it is something that may stand in a log and a header. */
const SANE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;|$)/;

/** On every answer of the API; pages add what they may load. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Made by the first hook; the same object that `currentContext()` gives inside handlers. */
    requestContext: RequestContext;
  }
}

function requestIdOf(raw: IncomingMessage): string {
  const given = raw.headers['x-request-id'];
  return typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID();
}

function dress(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.headers(SECURITY_HEADERS);
}

/** Connections that ask to go on in another protocol. */
export interface Upgrade {
  readonly path: string;
  /** The value of the Upgrade header. */
  readonly protocol: string;
  /** Throws when the request's credentials do not suffice. */
  readonly admit: (request: IncomingMessage) => void;
  /** Gives what says goodbye when the server ends. */
  readonly accept: (connection: Socket, head: Buffer) => () => void;
}

/** The instance of a controller class. */
export type ControllerOf = (controller: Type) => object;

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Throws, at once or later, when the request's credentials do not suffice for the level of access. */
export type Admit = (access: Access, request: FastifyRequest, context: RequestContext) => Promise<void> | undefined;

/**
 * Fastify under Nest, set up so that every answer has the envelope, the request's id and the security headers, also
 * those that are given before Nest sees the request.
 */
export class HttpServer extends FastifyAdapter {
  private readonly routes = new RouteTable();
  private isRefusing = false;
  private admit: Admit | undefined;
  private controllerOf: ControllerOf | undefined;
  private observer: RequestObserver | undefined;
  private readonly upgraded = new Map<Socket, () => void>();

  constructor(
    config: AppConfig,
    private readonly log: AppLogger,
    /** Served at `/` for GET and HEAD where no route is. */
    private readonly site: StaticSite | undefined,
    private readonly deadlines = HTTP_DEADLINES,
  ) {
    super({
      bodyLimit: BODY_LIMIT_BYTES,
      clientErrorHandler: refuseConnection,
      forceCloseConnections: 'idle',
      // A malformed URL, and one with a part that is longer than any id, is answered before any hook runs.
      frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
        dress(request, reply);
        const isUnknown = codeOf(error) === 'FST_ERR_MAX_PARAM_LENGTH';
        const failure = isUnknown ? new RouteNotFoundError(request.method, pathOf(request.url)) : error;
        sendFailure(failure, request, reply, log);
      },
      genReqId: requestIdOf,
      http: {
        connectionsCheckingInterval: deadlines.checkMs,
        headersTimeout: deadlines.headersMs,
        requestTimeout: 0,
        maxHeaderSize: 32 * 1024,
        // Ours to refuse: Node would do it without the envelope.
        requireHostHeader: false,
      },
      keepAliveTimeout: KEEP_ALIVE_MS,
      logger: false,
      multipart: false,
      requestIdHeader: false,
      // One limit for all routes would end long uploads: SlowBodies knows which are.
      requestTimeout: 0,
      return503OnClosing: false,
      routerOptions: { maxParamLength: 500 },
      skipMiddie: true,
      trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    });
    this.setUp(this.getInstance());
  }

  /** From now on credentials are checked before a request's body is read, so that nobody unknown makes work. */
  admitWith(admit: Admit): void {
    this.admit = admit;
  }

  /** Says where the handlers of `@Direct()` routes are found, once they are needed. */
  runWith(controllerOf: ControllerOf): void {
    this.controllerOf = controllerOf;
  }

  /** Says who writes down changes and refusals. */
  observeWith(observer: RequestObserver): void {
    this.observer = observer;
  }

  /** Lets connections go on in a protocol of ours. They end with the server. */
  upgradeTo({ path, protocol, admit, accept }: Upgrade): void {
    const { server } = this.getInstance();
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      try {
        const asked = pathOf(request.url ?? '/');
        if (asked !== path || request.headers.upgrade !== protocol) {
          throw new RouteNotFoundError(request.method ?? 'GET', asked);
        }
        admit(request);
      } catch (error) {
        endWith(socket, error);
        return;
      }
      socket.once('close', () => this.upgraded.delete(socket));
      socket.setTimeout(0).setNoDelay(true).setKeepAlive(true, UPGRADED_KEEP_ALIVE_MS);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
      this.upgraded.set(socket, accept(socket, head));
    });
  }

  override async close(): Promise<void> {
    // The server would wait for them for ever; what was answered still leaves.
    for (const [socket, farewell] of this.upgraded) {
      farewell();
      socket.destroySoon();
    }
    await super.close();
  }

  /** From the first moment of a shutdown nothing new is taken. */
  override beforeClose(): void {
    this.isRefusing = true;
    setTimeout(() => this.getInstance().server.closeAllConnections(), CLOSE_PATIENCE_MS).unref();
    super.beforeClose();
  }

  /** Nest would answer in a form of its own; ours are set already. */
  override setErrorHandler(): ReturnType<FastifyAdapter['setErrorHandler']> {
    return this.getInstance();
  }

  override setNotFoundHandler(): ReturnType<FastifyAdapter['setNotFoundHandler']> {
    return this.getInstance();
  }

  private setUp(fastify: FastifyInstance): void {
    answerForNode(fastify.server);
    continueWhenRead(fastify.server);
    fastify.decorateRequest('requestContext');
    const slowBodies = new SlowBodies(this.deadlines.requestMs, this.deadlines.checkMs, (request, reply) => {
      reply.header('connection', 'close');
      sendFailure(new RequestTimeoutError(), request, reply, this.log);
    });
    fastify.addHook('onClose', (_instance, done) => {
      slowBodies.close();
      done();
    });
    fastify.addHook('onRoute', (route) => {
      this.routes.add([route.method].flat(), route.url);
      if (route.config?.access === Access.Public) route.bodyLimit = PUBLIC_BODY_LIMIT_BYTES;
      if (isChange([route.method].flat(), route.config)) {
        route.onSend = (request, reply, payload, done) => {
          this.observer?.changed(request, reply, typeof payload === 'string' ? payload : '');
          done();
        };
      }
      if (route.config?.direct) {
        // The guard that refuses routes without a level of access is Nest's.
        if (route.config.access === undefined) throw new Error(`${route.url} says nothing of who may use it`);
        route.handler = this.directHandler(route.config.direct);
      }
    });
    fastify.addHook('onRequest', (request, reply, done) => {
      request.requestContext = { requestId: request.id, remoteAddress: request.ip };
      dress(request, reply);
      // What is no media type at all is as good as none; the body is JSON in any case.
      const type = request.headers['content-type'];
      if (type !== undefined && !MEDIA_TYPE.test(type)) delete request.headers['content-type'];
      if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
        reply.header('connection', 'close');
        done(new ValidationFailedError([{ path: 'Host', message: 'the header Host is required' }]));
        return;
      }
      markRaw(request);
      slowBodies.watch(request, reply);
      if (!this.isRefusing) {
        done();
        return;
      }
      reply.header('connection', 'close');
      done(new ShuttingDownError());
    });
    fastify.addHook('onRequest', (request, _reply, done) => {
      const { access } = request.routeOptions.config;
      const admitting = access === undefined ? undefined : this.admit?.(access, request, request.requestContext);
      if (admitting) admitting.then(() => done(), done);
      else done();
    });
    fastify.addHook('onRequest', (request, _reply, done) => {
      // No name of ours has the one character that PostgreSQL's text cannot hold: what is asked for is not there. Routes that take all
      // that is left of a path judge that themselves.
      const path = pathOf(request.url);
      const { '*': left, ...names } = request.params as Readonly<Record<string, string>>;
      const isNamed = request.is404 || left === undefined;
      if (isNamed ? path.includes('%00') : Object.values(names).some((name) => name.includes('\0'))) {
        done(new RouteNotFoundError(request.method, path));
        return;
      }
      // Routes that take their body raw look themselves: they may have to answer in a form of their own.
      if (!request.routeOptions.config.rawBody) {
        requirePlainBody(request);
        requireUtf8Json(request);
      }
      done();
    });
    // Not earlier: a body arrives in the context of its socket, which knows nothing of the request's.
    fastify.addHook('preHandler', (request, _reply, done) => {
      slowBodies.arrived(request);
      runInContext(request.requestContext, done);
    });
    fastify.removeAllContentTypeParsers();
    passRawBodies(fastify);
    fastify.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => {
      try {
        done(null, readJsonBody(text as string));
      } catch (error) {
        done(error as Error);
      }
    });
    fastify.setErrorHandler((error, request, reply) => {
      if (codeOf(error) === 'ECONNRESET' && request.raw.destroyed && !request.raw.complete) {
        // Nobody is there to read an answer, and going away is the client's right.
        const context = { requestId: request.id, method: request.method, path: pathOf(request.url) };
        this.log.debug('client went away before its body was whole', context);
        reply.hijack();
        return;
      }
      const isTooLarge = codeOf(error) === 'FST_ERR_CTP_BODY_TOO_LARGE';
      const limit = request.routeOptions.bodyLimit;
      if (!isChange([request.method], request.routeOptions.config)) this.observer?.refused(request, error);
      sendFailure(isTooLarge ? new PayloadTooLargeError(limit) : error, request, reply, this.log);
    });
    fastify.setNotFoundHandler((request, reply) => this.answerUnknown(request, reply));
  }

  private directHandler({ controller, method }: DirectHandler): Handler {
    let handler: Handler | undefined;
    return async (request, reply) => {
      handler ??= this.handlerOf(controller, method);
      const result = await handler(request, reply);
      void reply.type('application/json; charset=utf-8');
      return successEnvelope(result);
    };
  }

  private handlerOf(controller: Type, method: string): Handler {
    const instance = this.controllerOf?.(controller);
    const handler: unknown = instance && Reflect.get(instance, method);
    if (typeof handler !== 'function') throw new Error(`${controller.name} has no ${method}`);
    return handler.bind(instance) as Handler;
  }

  private answerUnknown(request: FastifyRequest, reply: FastifyReply): void {
    const path = pathOf(request.url);
    const { method } = request;
    const allowed = this.routes.methodsOf(path);
    if (allowed.length > 0) {
      sendFailure(new MethodNotAllowedError(method, allowed), request, reply, this.log);
      return;
    }
    const isRead = method === 'GET' || method === 'HEAD';
    if (this.site && isRead && !/^\/(v1|internal)(\/|$)/.test(path)) {
      if (this.site.serve(path, request, reply)) return;
      const wantsPage = request.headers.accept?.includes('text/html') === true;
      if (wantsPage && this.site.serve('/404.html', request, reply, 404)) return;
    }
    sendFailure(new RouteNotFoundError(method, path), request, reply, this.log);
  }
}
