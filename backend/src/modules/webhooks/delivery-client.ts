import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { messageOf } from '../../common/errors/index.js';
import { retryAfterMs } from './retry-schedule.js';
import { hostOf, type TargetAddresses } from './target-address.js';

/** What came of one attempt. */
export interface Outcome {
  readonly isDelivered: boolean;
  readonly at: number;
  readonly durationMs: number;
  /** Of the answer, when there was one. */
  readonly status?: number;
  /** Why it was not delivered. */
  readonly error?: string;
  /** The first KiB of the answer. */
  readonly answer?: string;
  /** What the receiver asked for. */
  readonly retryAfterMs?: number;
}

/** How long receivers may take. */
export interface DeliveryTimeouts {
  readonly connectMs: number;
  readonly totalMs: number;
}

const TIMEOUTS: DeliveryTimeouts = { connectMs: 5_000, totalMs: 10_000 };
const KEEP_ALIVE_MS = 30_000;
/** So much of an answer is read, so that its connection can serve again; a longer one ends the connection. */
const MAX_ANSWER_BYTES = 64 * 1024;
const KEPT_ANSWER_BYTES = 1024;

/** Posts deliveries: connections that are kept for each receiver, deadlines, no redirects, only to addresses that are allowed. */
export class DeliveryClient {
  private readonly agent: Agent;

  constructor(
    private readonly addresses: TargetAddresses,
    private readonly timeouts: DeliveryTimeouts = TIMEOUTS,
  ) {
    this.agent = new Agent({
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Of ours is the one for the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: timeouts.connectMs, lookup: addresses.lookup },
    });
  }

  /** Never rejects: a failure is an outcome. */
  post(target: string, headers: Readonly<Record<string, string>>, body: string): Promise<Outcome> {
    return new Promise((resolve) => {
      const post = new Post(this.timeouts.totalMs, resolve);
      try {
        const url = new URL(target);
        const host = hostOf(url);
        // An address needs no lookup, so nobody has looked at it yet.
        if (isIP(host) !== 0) this.addresses.require(host);
        const path = `${url.pathname}${url.search}`;
        this.agent.dispatch({ origin: url.origin, path, method: 'POST', headers: { ...headers }, body }, post);
      } catch (error) {
        post.fail(messageOf(error));
      }
    });
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

class Post implements Dispatcher.DispatchHandler {
  private readonly at = Date.now();
  private readonly began = performance.now();
  private readonly deadline: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private isSettled = false;
  private status: number | undefined;
  private headers: IncomingHttpHeaders = {};
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  constructor(
    totalMs: number,
    private readonly resolve: (outcome: Outcome) => void,
  ) {
    this.deadline = setTimeout(() => this.fail(`no answer within ${totalMs / 1000} s`), totalMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isSettled) controller.abort(new Error('too late'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.status = status;
    this.headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.bytes < KEPT_ANSWER_BYTES) this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes > MAX_ANSWER_BYTES) {
      this.settle(undefined);
      controller.abort(new Error('the answer is too long'));
    }
  }

  onResponseEnd(): void {
    this.settle(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(describe(error));
  }

  fail(error: string): void {
    this.settle(error);
    this.controller?.abort(new Error(error));
  }

  private settle(failure: string | undefined): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.deadline);
    const { status } = this;
    // Whatever comes after a 2xx, or does not come: the receiver has said that it has the delivery.
    const isDelivered = status !== undefined && status >= 200 && status < 300;
    const error = isDelivered ? undefined : (failure ?? `the receiver answered ${status ?? 'nothing'}`);
    const answer = Buffer.concat(this.chunks).subarray(0, KEPT_ANSWER_BYTES).toString('utf8').replaceAll('\0', '');
    const after = status === 429 || status === 503 ? retryAfterMs(this.headers['retry-after'], Date.now()) : undefined;
    this.resolve({
      isDelivered,
      at: this.at,
      durationMs: Math.round(performance.now() - this.began),
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error }),
      ...(answer !== '' && { answer }),
      ...(after !== undefined && { retryAfterMs: after }),
    });
  }
}

/** Several addresses that fail are one failure without words of its own; OpenSSL's words are a dump, its reason is not. */
function describe(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  if ('reason' in error && typeof error.reason === 'string') return `TLS: ${error.reason}`;
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
