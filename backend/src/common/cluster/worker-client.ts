import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { errors, Pool } from 'undici';
import { AppConfig } from '../../config/index.js';
import { DatabaseClock } from '../db/database-clock.js';
import {
  AppError,
  DeadlineError,
  NoLiveWorkerError,
  RemoteError,
  WorkerUnreachableError,
  codeOf,
} from '../errors/index.js';
import { RawEnvelope, currentContext } from '../http/index.js';
import { CallLine, fitsLine } from './call-line.js';
import { CALLER_HEADER, CallerSignature } from './caller-signature.js';
import { type AbortRegistrar, type Exchanged, exchange } from './exchange.js';

/** A worker as the directory knows it. */
export interface WorkerAddress {
  readonly id: string;
  /** `http://host:port` */
  readonly addr: string;
}

/** Which workers live; the workers module answers. */
export abstract class LiveWorkers {
  /**
   * All that are alive, the one with the fewest sessions first.
   * @throws NoLiveWorkerError when there is none
   */
  abstract candidates(): Promise<readonly WorkerAddress[]>;

  /** Has the next question answered by what is so now, not by what was a moment ago. */
  abstract expire(): void;
}

/** A call for a session that the worker holds. */
export interface WorkerCall {
  /** The worker's route for what is too large for the line. */
  readonly path: string;
  readonly kind: string;
  readonly sessionId: string;
  readonly body: object;
  /** How long the worker may take to answer, in milliseconds. */
  readonly timeoutMs: number;
  /** See {@link WorkerRequest.onAbort}. */
  readonly onAbort?: AbortRegistrar;
}

/** A request to a worker's internal routes. */
export interface WorkerRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Begins with `/internal/`; ids in it are encoded by the caller. */
  readonly path: string;
  /** JSON text as it is, or a value to write as JSON. */
  readonly body?: string | object;
  /** Beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Gets the headers of the answer, also of a failure. */
  readonly onHeaders?: (headers: IncomingHttpHeaders) => void;
  /** How long the worker may take to answer, in milliseconds; 30 s when absent. */
  readonly timeoutMs?: number;
  /** Gets what ends the request early, for a caller that may leave. The request then fails with an AbortError. */
  readonly onAbort?: AbortRegistrar;
}

/** An answer whose body comes as it is made. */
export interface WorkerStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Fails when the worker breaks off; destroyed, it ends the request there. */
  readonly body: Readable;
}

const CONNECT_TIMEOUT_MS = 5000;
/** What a worker that streams may let pass between two pieces: it has a limit of its own, which is shorter. */
const STREAM_IDLE_MS = 10 * 60_000;
/** A refusal is one short envelope. */
const MAX_REFUSAL_BYTES = 64 * 1024;
const DEFAULT_TIMEOUT_MS = 30_000;
/** Failures after which the request has certainly not reached the worker. */
const NEVER_REACHED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);

/** What a worker refuses because of itself, not because of the request. */
const ELSEWHERE: ReadonlySet<string | number> = new Set(['worker_full', 'session_directory_missing']);

interface RemoteFailure {
  readonly message: string;
  readonly source: 'gateway' | 'tdlib';
  readonly code: string | number;
  readonly retry_after?: number;
  readonly details?: Record<string, unknown>;
  readonly session_id?: string;
}

function readFailure(text: string): RemoteFailure | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('error' in value)) return undefined;
  const { error } = value;
  if (typeof error !== 'object' || error === null || !('message' in error) || !('code' in error)) return undefined;
  return error as RemoteFailure;
}

/**
 * How a gateway talks to workers: with CLUSTER_TOKEN, the identity of the caller in a signed header, the request's id,
 * and a deadline. A worker's own failures keep their form.
 */
@Injectable()
export class WorkerClient implements OnApplicationShutdown {
  private readonly pools = new Map<string, Pool>();
  private readonly lines = new Map<string, CallLine>();
  private readonly authorization: string;
  private readonly signature: CallerSignature;

  constructor(
    config: AppConfig,
    private readonly workers: LiveWorkers,
    clock: DatabaseClock,
  ) {
    const { clusterToken } = config.secrets;
    if (clusterToken === undefined) throw new Error('CLUSTER_TOKEN is missing');
    this.authorization = `Bearer ${clusterToken}`;
    this.signature = new CallerSignature(clusterToken, clock.now);
  }

  /**
   * The worker's whole envelope for a call. Calls share one connection; a very large one is a request of its own.
   * @throws WorkerUnreachableError, NoLiveWorkerError, DeadlineError, RemoteError
   */
  async call(worker: WorkerAddress, call: WorkerCall): Promise<RawEnvelope> {
    const { path, kind, sessionId, timeoutMs, onAbort } = call;
    const text = JSON.stringify(call.body);
    const context = currentContext();
    if (!context?.caller || !fitsLine(text)) {
      return this.forward(worker, { method: 'POST', path, body: text, timeoutMs, ...(onAbort && { onAbort }) });
    }
    const { requestId, caller } = context;
    const answer = await this.lineTo(worker).call(
      { kind, sessionId, requestId, caller: this.signature.sign(caller), body: text },
      timeoutMs,
      onAbort,
    );
    if (!answer.isFailure) return new RawEnvelope(answer.text);
    const end = answer.text.indexOf('\n');
    throw failureOf(worker, Number(answer.text.slice(0, end)), answer.text.slice(end + 1));
  }

  /**
   * The worker's whole envelope, to be answered as it is.
   * @throws WorkerUnreachableError, DeadlineError, RemoteError
   */
  async forward(worker: WorkerAddress, request: WorkerRequest): Promise<RawEnvelope> {
    return new RawEnvelope(await this.send(worker, request));
  }

  /**
   * The `result` of the worker's envelope.
   * @throws WorkerUnreachableError, DeadlineError, RemoteError
   */
  async request<Result>(worker: WorkerAddress, request: WorkerRequest): Promise<Result> {
    return (JSON.parse(await this.send(worker, request)) as { result: Result }).result;
  }

  /**
   * As {@link request}, to whichever worker is least busy; one that cannot be reached at all, has no room or not
   * the session's directory is passed over.
   * @throws NoLiveWorkerError, WorkerUnreachableError, DeadlineError, RemoteError
   */
  async requestAny<Result>(request: WorkerRequest): Promise<Result> {
    const tried = new Set<string>();
    let refusal: Error | undefined;
    // The second look is for those that came in the moment since the directory was read, maybe in the place of one that went.
    for (const look of ['known', 'again'] as const) {
      if (look === 'again') this.workers.expire();
      for (const worker of await this.workers.candidates()) {
        if (tried.has(worker.addr)) continue;
        tried.add(worker.addr);
        try {
          return await this.request<Result>(worker, request);
        } catch (error) {
          if (!mayGoElsewhere(error)) throw error;
          refusal = error;
        }
      }
    }
    throw refusal ?? new NoLiveWorkerError();
  }

  /**
   * An answer that is no envelope, as it comes.
   * @throws WorkerUnreachableError, DeadlineError, RemoteError as long as nothing of the body has come
   */
  async stream(worker: WorkerAddress, request: Omit<WorkerRequest, 'method' | 'body'>): Promise<WorkerStream> {
    const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const aborting = new AbortController();
    request.onAbort?.(() => aborting.abort());
    try {
      const { statusCode, headers, body } = await this.poolOf(worker).request({
        method: 'GET',
        path: request.path,
        headers: this.headers({ ...request, method: 'GET' }),
        headersTimeout: timeoutMs,
        bodyTimeout: STREAM_IDLE_MS,
        signal: aborting.signal,
      });
      if (statusCode < 400) return { status: statusCode, headers, body };
      const text = await textOf(body);
      throw failureOf(worker, statusCode, text);
    } catch (error) {
      throw this.transportFailure(worker, error, timeoutMs);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    const pools = [...this.pools.values()];
    this.pools.clear();
    for (const line of this.lines.values()) line.close();
    this.lines.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  private async send(worker: WorkerAddress, request: WorkerRequest): Promise<string> {
    const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    let answer: Exchanged;
    try {
      answer = await exchange(
        this.poolOf(worker),
        {
          path: request.path,
          method: request.method,
          headers: this.headers(request),
          body:
            request.body === undefined || typeof request.body === 'string'
              ? (request.body ?? null)
              : JSON.stringify(request.body),
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        },
        request.onAbort,
      );
    } catch (error) {
      throw this.transportFailure(worker, error, timeoutMs);
    }
    const { status, headers, text } = answer;
    request.onHeaders?.(headers);
    if (status < 400 && text.startsWith('{"ok":true,')) return text;
    throw failureOf(worker, status, text);
  }

  /** What happened on the way; our own errors and an abort stay what they are. */
  private transportFailure(worker: WorkerAddress, error: unknown, timeoutMs: number): unknown {
    if (error instanceof AppError || (error instanceof DOMException && error.name === 'AbortError')) return error;
    if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
      return new DeadlineError(`worker ${worker.id}`, timeoutMs);
    }
    return new WorkerUnreachableError(worker.id, neverReached(error), error);
  }

  private headers(request: WorkerRequest): Record<string, string> {
    const context = currentContext();
    return {
      ...request.headers,
      authorization: this.authorization,
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...(context && { 'x-request-id': context.requestId }),
      ...(context?.caller && { [CALLER_HEADER]: this.signature.sign(context.caller) }),
    };
  }

  private lineTo(worker: WorkerAddress): CallLine {
    const known = this.lines.get(worker.addr);
    if (known) return known;
    const line = new CallLine(worker, this.authorization);
    this.lines.set(worker.addr, line);
    return line;
  }

  private poolOf({ addr }: WorkerAddress): Pool {
    const known = this.pools.get(addr);
    if (known) return known;
    const pool = new Pool(addr, { connect: { timeout: CONNECT_TIMEOUT_MS }, pipelining: 1, keepAliveTimeout: 30_000 });
    this.pools.set(addr, pool);
    return pool;
  }
}

async function textOf(body: Readable): Promise<string> {
  let text = '';
  for await (const piece of body) {
    text += String(piece);
    if (text.length > MAX_REFUSAL_BYTES) break;
  }
  return text;
}

/** The worker's failure, in its own form. */
function failureOf(worker: WorkerAddress, status: number, text: string): Error {
  const failure = readFailure(text);
  if (!failure) return new WorkerUnreachableError(worker.id, false, new Error(`answered ${status} and no envelope`));
  return new RemoteError(status, failure.source, failure.code, failure.message, {
    ...(failure.retry_after !== undefined && { retryAfterSeconds: failure.retry_after }),
    ...(failure.details !== undefined && { details: failure.details }),
    ...(failure.session_id !== undefined && { sessionId: failure.session_id }),
  });
}

/** Whether the worker has certainly done nothing, and another one may be able to. */
function mayGoElsewhere(error: unknown): error is WorkerUnreachableError | RemoteError {
  return error instanceof WorkerUnreachableError
    ? error.neverReached
    : error instanceof RemoteError && ELSEWHERE.has(error.code);
}

function neverReached(error: unknown): boolean {
  if (error instanceof errors.ConnectTimeoutError) return true;
  return NEVER_REACHED.has(codeOf(error) ?? '');
}
