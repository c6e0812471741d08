import { request } from 'node:http';
import type { Socket } from 'node:net';
import { DeadlineError, NoLiveWorkerError, WorkerUnreachableError } from '../errors/index.js';
import type { AbortRegistrar } from './exchange.js';
import { FrameType, FrameWriter, MAX_PAYLOAD_BYTES, readFrames } from './frames.js';
import type { WorkerAddress } from './worker-client.js';

/** What a gateway asks for in the Upgrade header, and where. */
export const CALL_LINE_PROTOCOL = 'tgcontrol-calls';
export const CALL_LINE_PATH = '/internal/calls';

/** A call on its way to a worker. */
export interface LineCall {
  readonly kind: string;
  readonly sessionId: string;
  readonly requestId: string;
  /** The caller's signed identity; empty when there is none. */
  readonly caller: string;
  /** JSON text. */
  readonly body: string;
}

/** What a worker has answered. */
export interface LineAnswer {
  readonly isFailure: boolean;
  /** The envelope; that of a failure follows its HTTP status and a line feed. */
  readonly text: string;
}

interface Waiting {
  readonly resolve: (answer: LineAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  parts: Buffer[] | undefined;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Beyond these the worker does not keep up, and waiting for it would only fill this process. */
const MAX_WAITING = 20_000;
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
/** What stands before the body is ids and a signature, a few hundred bytes. */
const MAX_BODY_BYTES = MAX_PAYLOAD_BYTES - 8 * 1024;
const MAX_CALL_NUMBER = 0xffffffff;
/** While answers are waited for: how often is looked whether anything comes, and when the worker is asked whether it is there. */
const LOOK_MS = 200;
const QUIET_MS = 300;
/** A worker that says nothing for so long after it was asked gets nothing new. */
const SILENT_MS = 500;
/** Its sessions are somebody else's by now: whoever still waits is told. */
const LOST_MS = 15_000;

/** Whether a body may go over a line; a larger one would hold up the others. */
export function fitsLine(body: string): boolean {
  // No character of a string takes more than three bytes.
  return body.length * 3 <= MAX_BODY_BYTES || Buffer.byteLength(body) <= MAX_BODY_BYTES;
}

/** Puts a call into a frame, and takes it out. */
export function writeCall({ kind, sessionId, requestId, caller, body }: LineCall): string {
  return `${kind}\n${sessionId}\n${requestId}\n${caller}\n${body}`;
}

/** @throws RangeError when it is none */
export function readCall(text: string): LineCall {
  const ends: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0 && ends.length < 4; at = text.indexOf('\n', at + 1)) ends.push(at);
  const [kindEnd, idEnd, requestEnd, callerEnd] = ends;
  if (kindEnd === undefined || idEnd === undefined || requestEnd === undefined || callerEnd === undefined) {
    throw new RangeError('not a call');
  }
  return {
    kind: text.slice(0, kindEnd),
    sessionId: text.slice(kindEnd + 1, idEnd),
    requestId: text.slice(idEnd + 1, requestEnd),
    caller: text.slice(requestEnd + 1, callerEnd),
    body: text.slice(callerEnd + 1),
  };
}

/**
 * A gateway's line to one worker: one connection, made when it is first needed, that carries all calls at once. A request of
 * HTTP for each would cost both processes as much as everything else they do for a call.
 */
export class CallLine {
  private connection: Socket | undefined;
  private connecting: Promise<Socket> | undefined;
  private writer: FrameWriter | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private sequence = 0;
  private watching: NodeJS.Timeout | undefined;
  private heardAt = 0;
  private lookedAt = 0;
  /** Since when an answer to a ping is waited for. */
  private askedAt: number | undefined;

  constructor(
    private readonly worker: WorkerAddress,
    private readonly authorization: string,
  ) {}

  /**
   * @param onAbort gets what ends the wait early; the promise is then rejected with an AbortError
   * @throws WorkerUnreachableError, NoLiveWorkerError when the worker does not keep up, DeadlineError
   */
  async call(call: LineCall, timeoutMs: number, onAbort: AbortRegistrar | undefined): Promise<LineAnswer> {
    const caller: { hasLeft: boolean; leave?: () => void } = { hasLeft: false };
    onAbort?.(() => {
      caller.hasLeft = true;
      caller.leave?.();
    });
    const connection = this.connection ?? (await this.connect());
    if (caller.hasLeft) throw aborted();
    if (this.silentMs > SILENT_MS) throw new WorkerUnreachableError(this.worker.id, true, new Error('it says nothing'));
    if (this.waiting.size >= MAX_WAITING || connection.writableLength > MAX_UNSENT_BYTES) {
      throw new NoLiveWorkerError('the worker has too many calls in flight');
    }
    return new Promise((resolve, reject) => {
      const number = this.nextNumber();
      const timer = setTimeout(
        () => this.giveUp(number, new DeadlineError(`worker ${this.worker.id}`, timeoutMs)),
        timeoutMs,
      );
      this.waiting.set(number, { resolve, reject, timer, parts: undefined });
      caller.leave = () => this.giveUp(number, aborted());
      this.watch();
      this.writer?.write(FrameType.Call, number, writeCall(call));
    });
  }

  /** Ends the line; who waits is told that the worker is unreachable. */
  close(): void {
    this.connection?.destroy();
  }

  private nextNumber(): number {
    do {
      this.sequence = this.sequence === MAX_CALL_NUMBER ? 1 : this.sequence + 1;
    } while (this.waiting.has(this.sequence));
    return this.sequence;
  }

  private connect(): Promise<Socket> {
    this.connecting ??= this.open().finally(() => {
      this.connecting = undefined;
    });
    return this.connecting;
  }

  /** Until it is open no call was sent, so that every call may go elsewhere. */
  private open(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(new WorkerUnreachableError(this.worker.id, true, error));
      const asking = request(new URL(CALL_LINE_PATH, this.worker.addr), {
        headers: { connection: 'Upgrade', upgrade: CALL_LINE_PROTOCOL, authorization: this.authorization },
        timeout: CONNECT_TIMEOUT_MS,
        agent: false,
      });
      asking.once('timeout', () => asking.destroy(new Error('no answer')));
      asking.once('error', fail);
      asking.once('response', (response) => {
        response.resume();
        fail(new Error(`answered ${String(response.statusCode)}`));
      });
      asking.once('upgrade', (_response, socket, head) => resolve(this.take(socket, head)));
      asking.end();
    });
  }

  private take(socket: Socket, head: Buffer): Socket {
    socket.setTimeout(0).setNoDelay(true).setKeepAlive(true, 10_000);
    let cause: Error | undefined;
    socket.on('error', (error) => {
      cause = error;
    });
    socket.once('close', () => this.lose(socket, cause ?? new Error('the connection was closed')));
    this.connection = socket;
    this.writer = new FrameWriter(socket);
    this.hear();
    readFrames(socket, head, (type, number, payload) => {
      this.hear();
      if (type === FrameType.GoingAway) this.leave(socket, number);
      else if (type !== FrameType.Pong) this.receive(type, number, payload);
    });
    return socket;
  }

  private get silentMs(): number {
    return this.askedAt === undefined ? 0 : performance.now() - this.askedAt;
  }

  private hear(): void {
    this.heardAt = performance.now();
    this.askedAt = undefined;
  }

  /** A host that is gone, or a process that is stopped, closes no connection. */
  private watch(): void {
    if (this.watching !== undefined) return;
    this.heardAt = this.lookedAt = performance.now();
    this.watching = setInterval(() => this.look(), LOOK_MS).unref();
  }

  private look(): void {
    const now = performance.now();
    const wasAway = now - this.lookedAt > LOOK_MS * 2;
    this.lookedAt = now;
    if (this.waiting.size === 0) {
      clearInterval(this.watching);
      this.watching = this.askedAt = undefined;
    } else if (wasAway) {
      // It was this process that did not listen.
      if (this.askedAt !== undefined) this.askedAt = now;
    } else if (this.askedAt === undefined && now - this.heardAt > QUIET_MS) {
      this.askedAt = now;
      this.writer?.write(FrameType.Ping, 0, '');
    } else if (this.silentMs > LOST_MS) {
      this.connection?.destroy(new Error(`nothing was heard for ${LOST_MS / 1_000} s`));
    }
  }

  /** The worker ends, and has read no call after this one: those have certainly done nothing. */
  private leave(socket: Socket, newest: number): void {
    if (this.connection !== socket) return;
    const cause = new Error('the worker ends');
    for (const number of [...this.waiting.keys()]) {
      if (isAfter(number, newest)) this.settle(number)?.reject(new WorkerUnreachableError(this.worker.id, true, cause));
    }
    this.lose(socket, cause);
    socket.destroy();
  }

  /** What was written may have arrived: nobody can say what became of it. */
  private lose(socket: Socket, cause: Error): void {
    if (this.connection !== socket) return;
    this.connection = undefined;
    this.writer = undefined;
    for (const number of [...this.waiting.keys()]) {
      this.settle(number)?.reject(new WorkerUnreachableError(this.worker.id, false, cause));
    }
  }

  private receive(type: number, number: number, payload: Buffer): void {
    if (type === FrameType.Part) {
      const waiting = this.waiting.get(number);
      if (waiting) (waiting.parts ??= []).push(Buffer.from(payload));
      return;
    }
    const waiting = this.settle(number);
    if (!waiting) return;
    const whole = waiting.parts ? Buffer.concat([...waiting.parts, payload]) : payload;
    waiting.resolve({ isFailure: type === FrameType.Failure, text: whole.toString('utf8') });
  }

  private settle(number: number): Waiting | undefined {
    const waiting = this.waiting.get(number);
    if (waiting) {
      this.waiting.delete(number);
      clearTimeout(waiting.timer);
    }
    return waiting;
  }

  private giveUp(number: number, reason: Error): void {
    const waiting = this.settle(number);
    if (!waiting) return;
    this.writer?.write(FrameType.Abandoned, number, '');
    waiting.reject(reason);
  }
}

/** Numbers begin anew after the greatest; far fewer than half of them are under way at once. */
function isAfter(number: number, other: number): boolean {
  return number !== other && (number - other) >>> 0 < 0x8000_0000;
}

function aborted(): Error {
  return new DOMException('This operation was aborted', 'AbortError');
}
