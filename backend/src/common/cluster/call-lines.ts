import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/index.js';
import { DatabaseClock } from '../db/database-clock.js';
import { UnauthenticatedError } from '../errors/index.js';
import { describe } from '../http/describe.js';
import { successEnvelope } from '../http/envelope.js';
import { type RequestContext, runInContext } from '../http/request-context.js';
import { AppLogger } from '../log/app-logger.js';
import { type LineCall, readCall } from './call-line.js';
import { CallerSignature } from './caller-signature.js';
import { FrameType, FrameWriter, readFrames } from './frames.js';

/**
 * Runs a call that came over a line.
 * @param onAbandoned takes who wants to know that nobody waits for the answer any more
 * @returns what goes into the envelope
 */
export type LineCallHandler = (call: LineCall, onAbandoned: (listener: () => void) => void) => Promise<unknown>;

/** A worker's end of the lines that gateways have opened. */
@Injectable()
export class CallLines {
  private readonly signature: CallerSignature;
  private readonly logger: AppLogger;
  private handler: LineCallHandler | undefined;

  constructor(config: AppConfig, clock: DatabaseClock, logger: AppLogger) {
    const { clusterToken } = config.secrets;
    if (clusterToken === undefined) throw new Error('CLUSTER_TOKEN is missing');
    this.signature = new CallerSignature(clusterToken, clock.now);
    this.logger = logger.for(CallLines.name);
  }

  /** Says who runs the calls. */
  serveWith(handler: LineCallHandler): void {
    this.handler = handler;
  }

  /**
   * Takes a connection whose other side is a gateway of ours.
   * @returns what is to be called right before the connection is ended from this side
   */
  accept(connection: Duplex, head: Buffer, remoteAddress: string): () => void {
    const writer = new FrameWriter(connection);
    const leaving = new Map<number, () => void>();
    let newest = 0;
    // The close that follows says everything.
    connection.on('error', () => undefined);
    // A server's connections stay half open until they are ended.
    connection.once('end', () => connection.end());
    connection.once('close', () => {
      for (const leave of leaving.values()) leave();
    });
    readFrames(connection, head, (type, number, payload) => {
      if (type === FrameType.Call) {
        newest = number;
        void this.serve(writer, leaving, number, payload.toString('utf8'), remoteAddress);
      } else if (type === FrameType.Abandoned) {
        leaving.get(number)?.();
      } else if (type === FrameType.Ping) {
        writer.write(FrameType.Pong, number, '');
      }
    });
    return () => {
      connection.pause();
      writer.write(FrameType.GoingAway, newest, '');
    };
  }

  private async serve(
    writer: FrameWriter,
    leaving: Map<number, () => void>,
    number: number,
    text: string,
    remoteAddress: string,
  ): Promise<void> {
    try {
      const call = readCall(text);
      const context = this.contextOf(call, remoteAddress);
      const result = await runInContext(context, () => this.run(call, (listener) => leaving.set(number, listener)));
      await writer.answer(number, successEnvelope(result));
    } catch (error) {
      const { status, body, unexpected } = describe(error);
      if (unexpected) this.logger.failure('a call failed', error, { code: body.error.code });
      writer.write(FrameType.Failure, number, `${status}\n${JSON.stringify(body)}`);
    } finally {
      leaving.delete(number);
    }
  }

  /** @throws UnauthenticatedError for an identity that no gateway of ours has signed */
  private contextOf({ requestId, caller: header }: LineCall, remoteAddress: string): RequestContext {
    const caller = this.signature.verify(header);
    if (!caller) throw new UnauthenticatedError('the signature of the caller is not valid: are the clocks right?');
    return { requestId, remoteAddress, caller };
  }

  private async run(call: LineCall, onAbandoned: (listener: () => void) => void): Promise<unknown> {
    if (!this.handler) throw new Error('nobody runs the calls of this process');
    return this.handler(call, onAbandoned);
  }
}
