import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppLogger } from '../../common/log/app-logger.js';
import type { ObjectStore } from './object-store.js';
import { Payload } from './payload.js';
import { RequestHead } from './request-head.js';
import { serve, targetOf } from './routing.js';
import type { AccessKeys, Grant, S3Answer } from './s3-call.js';
import { S3Error, type S3ErrorCode } from './s3-error.js';
import { type ChunkSignatures, readClaim, verifySignature } from './signature-v4.js';
import { toS3Error } from './to-s3-error.js';
import { XML_DECLARATION, withoutDeclaration, xmlError } from './xml.js';

/** How long slow clients are waited for, in milliseconds. */
export interface S3Deadlines {
  readonly headersMs: number;
  /** For the next bytes of a body, and for the client to take the next ones of an answer. */
  readonly idleMs: number;
  /** For what is left of the body of a request that is refused. */
  readonly lingerMs: number;
  /** How long a client hears nothing of work that goes on: many give up after a minute. */
  readonly silentMs: number;
}

const DEADLINES: S3Deadlines = { headersMs: 15_000, idleMs: 60_000, lingerMs: 2_000, silentMs: 10_000 };
const KEEP_ALIVE_MS = 75_000;
/** What is left of a refused body is read up to so much, so that the client gets to read the answer. */
const MAX_LINGER_BYTES = 4 * 1024 * 1024;
/** Longer than a shutdown gives what is in flight. */
const CLOSE_PATIENCE_MS = 8_000;

export interface S3ServerOptions {
  readonly store: ObjectStore;
  readonly keys: AccessKeys;
  readonly log: AppLogger;
  /** The names below which the first part of a host is a bucket, in lower case. */
  readonly domains: readonly string[];
  /** Milliseconds; signatures are compared with it. */
  readonly now?: () => number;
  readonly deadlines?: Partial<S3Deadlines>;
  /**
   * Told of each request that does not prove who it is from.
   * @returns the seconds to wait when its sender has failed too often
   */
  readonly failed?: (request: IncomingMessage) => number | undefined;
}

/** The errors of who is nobody. */
const OF_NOBODY: ReadonlySet<S3ErrorCode> = new Set(['AccessDenied', 'InvalidAccessKeyId', 'SignatureDoesNotMatch']);

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
}

/**
 * The S3-compatible endpoint: a server of its own, on Node's. Which operation is meant stands in method, query and headers, and the
 * signature covers the path as it was sent, so a router of paths would only be in the way. Every answer has S3's form, also that to
 * what is no request at all.
 */
export class S3Server {
  private readonly server: Server;
  private readonly deadlines: S3Deadlines;
  private readonly now: () => number;
  /** The last request of each connection. */
  private readonly lastOf = new WeakMap<Duplex, IncomingMessage>();

  constructor(private readonly options: S3ServerOptions) {
    this.deadlines = { ...DEADLINES, ...options.deadlines };
    this.now = options.now ?? Date.now;
    this.server = createServer({
      headersTimeout: this.deadlines.headersMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: 32 * 1024,
      requestTimeout: 0,
      requireHostHeader: false,
    });
    this.server.on('request', (request, response) => void this.answer(request, response));
    // Not answered before the store reads: a client that waits for it sends nothing in vain.
    this.server.on('checkContinue', (request, response) => void this.answer(request, response));
    this.server.on('checkExpectation', (request, response) => void this.answer(request, response));
    this.server.on('connect', (_request, socket) => {
      endWith(socket, new S3Error('MethodNotAllowed', 'this is no proxy'));
    });
    this.server.on('clientError', (error, socket) => refuseConnection(error, socket, this.lastOf.get(socket)));
  }

  /** @returns where it listens. @throws what the system says of the address */
  async listen(host: string, port: number): Promise<AddressInfo> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
    return this.server.address() as AddressInfo;
  }

  /** Takes nothing new, and ends when what is in flight has ended, or a few seconds later. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeIdleConnections();
    const timer = setTimeout(() => this.server.closeAllConnections(), CLOSE_PATIENCE_MS);
    await closed;
    clearTimeout(timer);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange: Exchange = { request, response, requestId: randomUUID() };
    this.lastOf.set(request.socket, request);
    response.on('error', () => undefined);
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    try {
      await this.send(exchange, await this.outcome(exchange, gone.signal));
    } catch (error) {
      await this.refuse(exchange, error).catch(() => response.destroy());
    }
  }

  /** @throws S3Error, and what the store throws */
  private async outcome({ request, response }: Exchange, signal: AbortSignal): Promise<S3Answer> {
    const { store, keys, domains } = this.options;
    const head = new RequestHead(request.method ?? 'GET', request.url ?? '/', request.rawHeaders);
    const { grant, payloadHash, signatures } = await this.signerOf(head).catch((error: unknown) => {
      throw this.counted(request, error);
    });
    keys.noteUse(grant);
    const payload = new Payload(head, payloadHash, signatures, this.bodyOf(request, response));
    return serve({ head, payload, grant, store, signal }, targetOf(head, domains));
  }

  /** @throws S3Error, DatabaseUnavailableError */
  private async signerOf(
    head: RequestHead,
  ): Promise<{ readonly grant: Grant; readonly payloadHash: string; readonly signatures: ChunkSignatures }> {
    const claim = readClaim(head, this.now());
    const key = await this.options.keys.find(claim.accessKeyId);
    if (!key) throw new S3Error('InvalidAccessKeyId', 'the access key does not exist or is not in force');
    const signatures = verifySignature(head, claim, key.secret);
    return { grant: key.grant, payloadHash: claim.payloadHash, signatures };
  }

  /** What a request is refused with that has not proved who it is from. */
  private counted(request: IncomingMessage, error: unknown): unknown {
    if (!(error instanceof S3Error) || !OF_NOBODY.has(error.code)) return error;
    const retryAfterSeconds = this.options.failed?.(request);
    if (retryAfterSeconds === undefined) return error;
    return new S3Error('SlowDown', 'too many requests of nobody came from this address', { retryAfterSeconds });
  }

  /** The body as it comes. @throws (while iterated) S3Error RequestTimeout, IncompleteBody */
  private async *bodyOf(request: IncomingMessage, response: ServerResponse): AsyncGenerator<Buffer, void, undefined> {
    if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
    const pieces = request.iterator({ destroyOnReturn: false });
    for (;;) {
      const next = await inTime(
        pieces.next().catch((cause: unknown) => {
          throw new S3Error('IncompleteBody', `the connection broke off: ${String(cause)}`);
        }),
        this.deadlines.idleMs,
        () => new S3Error('RequestTimeout', 'the body did not come in time'),
      );
      if (next.done === true) return;
      yield next.value as Buffer;
    }
  }

  private async send(exchange: Exchange, { status, headers, body }: S3Answer): Promise<void> {
    const { request, response } = exchange;
    if (typeof body === 'string' || body === undefined) {
      await this.finish(exchange, status, { ...headers }, body ?? '');
      return;
    }
    if (typeof body === 'function') {
      await this.sendWork(exchange, body());
      return;
    }
    const bytes = request.method === 'HEAD' ? undefined : body.bytes?.[Symbol.asyncIterator]();
    try {
      // The first bytes come before the headers: what cannot be read is told as an error.
      let next = await bytes?.next();
      this.begin(exchange, status, { ...headers, 'content-length': String(body.sizeBytes) });
      // Nobody may take for whole what is short.
      if (bytes) response.strictContentLength = true;
      while (bytes && next && next.done !== true) {
        if (!response.write(next.value)) await inTime(drained(response), this.deadlines.idleMs, clientGone);
        next = await bytes.next();
      }
      response.end();
    } finally {
      await bytes?.return?.();
    }
  }

  /** Begins the answer when the work takes long, and goes on with it now and then, so that the client knows that it is waited for. */
  private async sendWork(exchange: Exchange, work: Promise<string>): Promise<void> {
    const { response } = exchange;
    const ended = await within(work, this.deadlines.silentMs);
    if (ended !== undefined) {
      await this.finish(exchange, 200, {}, ended);
      return;
    }
    this.begin(exchange, 200, { 'content-type': 'application/xml' });
    response.write(XML_DECLARATION);
    const ticking = setInterval(() => response.write(' '), this.deadlines.silentMs);
    try {
      response.write(withoutDeclaration(await work));
    } catch (error) {
      response.write(withoutDeclaration(this.errorOf(exchange, toS3Error(error), error)));
    } finally {
      clearInterval(ticking);
    }
    response.end();
  }

  private async refuse(exchange: Exchange, thrown: unknown): Promise<void> {
    const { request, response, requestId } = exchange;
    const error = toS3Error(thrown);
    if (response.destroyed) return;
    const path = pathOf(request);
    if (response.headersSent) {
      // All that is left is to make sure that nobody takes it for whole.
      response.destroy();
      this.options.log.warn('an S3 answer broke off', { requestId, method: request.method, path, err: thrown });
      return;
    }
    const { retryAfterSeconds, headers } = error.options;
    await this.finish(
      exchange,
      error.status,
      { ...headers, ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }) },
      this.errorOf(exchange, error, thrown),
    );
  }

  private errorOf({ request, requestId }: Exchange, { code, message }: S3Error, thrown: unknown): string {
    const path = pathOf(request);
    if (code === 'InternalError') {
      this.options.log.failure('an S3 request failed', thrown, { requestId, method: request.method, path });
    }
    return xmlError([
      ['Code', code],
      ['Message', message],
      ['Resource', path],
      ['RequestId', requestId],
      ['HostId', requestId],
    ]);
  }

  private begin({ request, response, requestId }: Exchange, status: number, headers: Record<string, string>): void {
    // A connection with the rest of a body on it is of no more use.
    const isWhole = request.complete || isBodyless(request);
    response.writeHead(status, {
      'x-amz-request-id': requestId,
      'x-amz-id-2': requestId,
      ...(!isWhole && { connection: 'close' }),
      ...headers,
    });
  }

  /** Sends a text, and reads on a little of what is left of the request, or the client would not get to read the answer. */
  private async finish(
    exchange: Exchange,
    status: number,
    headers: Record<string, string>,
    text: string,
  ): Promise<void> {
    const { request, response } = exchange;
    if (status === 204 || status === 304) {
      this.begin(exchange, status, headers);
    } else {
      const length = request.method === 'HEAD' ? undefined : Buffer.byteLength(text);
      this.begin(exchange, status, {
        ...headers,
        ...(length !== undefined && { 'content-length': String(length) }),
        ...(text !== '' && { 'content-type': 'application/xml' }),
      });
      if (length !== undefined && length > 0) response.write(text);
    }
    const isAwaited = request.headers.expect !== undefined && request.readableFlowing === null;
    if (!request.complete && !isBodyless(request) && !isAwaited) await this.linger(request);
    response.end();
  }

  private async linger(request: IncomingMessage): Promise<void> {
    let bytes = 0;
    const enough = new Promise<void>((resolve) => {
      request.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > MAX_LINGER_BYTES) resolve();
      });
      request.once('end', resolve).once('close', resolve).once('error', resolve);
    });
    await Promise.race([enough, sleep(this.deadlines.lingerMs, undefined, { ref: false })]);
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.replace(/\?.*$/s, '');
}

function isBodyless({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

function clientGone(): Error {
  return new Error('the client takes nothing');
}

/** Until more can be written. @throws when the client goes away instead */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const onDrain = (): void => {
      response.off('close', onClose);
      resolve();
    };
    const onClose = (): void => {
      response.off('drain', onDrain);
      reject(clientGone());
    };
    if (response.destroyed) reject(clientGone());
    else response.once('drain', onDrain).once('close', onClose);
  });
}

/** What it ends with; undefined when that takes longer. */
async function within<Value>(work: Promise<Value>, limitMs: number): Promise<Value | undefined> {
  const timer = new AbortController();
  try {
    return await Promise.race([work, sleep(limitMs, undefined, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}

async function inTime<Value>(work: Promise<Value>, limitMs: number, late: () => Error): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  // Whoever comes second is nobody's.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Answers what is no request, or no more of one. @param last the request that came before it on the connection */
function refuseConnection(error: Error & { code?: string }, socket: Duplex, last: IncomingMessage | undefined): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  endWith(
    socket,
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new S3Error('RequestHeaderSectionTooLarge', 'the request headers are too large')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new S3Error('RequestTimeout', 'the request did not come in time')
        : error.code === 'HPE_INVALID_EOF_STATE' && last?.complete === false
          ? new S3Error('IncompleteBody', 'the body ended before its length')
          : new S3Error('InvalidRequest', 'this is not an HTTP request'),
  );
}

function endWith(socket: Duplex, { code, message, status }: S3Error): void {
  const requestId = randomUUID();
  const text = xmlError([
    ['Code', code],
    ['Message', message],
    ['RequestId', requestId],
    ['HostId', requestId],
  ]);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Connection: close',
      'Content-Type: application/xml',
      `Content-Length: ${Buffer.byteLength(text)}`,
      `x-amz-request-id: ${requestId}`,
      '',
      text,
    ].join('\r\n'),
  );
}
