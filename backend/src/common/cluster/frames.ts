import type { Duplex } from 'node:stream';

/** What a frame of a call line says. */
export const FrameType = {
  /** Gateway to worker: a call. */
  Call: 1,
  /** Gateway to worker: nobody waits for the call's answer any more. */
  Abandoned: 2,
  /** Worker to gateway: a part of a long answer; the rest follows. */
  Part: 3,
  /** Worker to gateway: the answer, or its last part. */
  Answer: 4,
  /** Worker to gateway: the call was refused or failed. */
  Failure: 5,
  /** Worker to gateway: it ends. It has read the call of this number, answered what it had read, and will read no more. */
  GoingAway: 6,
  /** Gateway to worker, when it hears nothing: is anybody there? */
  Ping: 7,
  /** Worker to gateway, at once. */
  Pong: 8,
} as const;

/** Takes a frame: its type, the number of the call it belongs to, and what it carries. */
export type FrameHandler = (type: number, call: number, payload: Buffer) => void;

/** Length of the payload (4 bytes), type (1), number of the call (4); all big-endian. */
const HEADER_BYTES = 9;
/** Longer answers are cut, so that no answer holds up the others for long. */
const PART_BYTES = 64 * 1024;
/** The largest payload, in bytes: what is longer never begins as a frame. */
export const MAX_PAYLOAD_BYTES = 256 * 1024;

/**
 * Writes frames to a connection. Those of one turn of the event loop leave in one system call, which is most of what one costs.
 */
export class FrameWriter {
  private isCorked = false;

  constructor(private readonly connection: Duplex) {}

  write(type: number, call: number, payload: string | Buffer): void {
    if (!this.connection.writable) return;
    if (!this.isCorked) {
      this.isCorked = true;
      this.connection.cork();
      setImmediate(() => {
        this.isCorked = false;
        this.connection.uncork();
      });
    }
    const length = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length;
    const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
    frame.writeUInt32BE(length, 0);
    frame.writeUInt8(type, 4);
    frame.writeUInt32BE(call, 5);
    if (typeof payload === 'string') frame.write(payload, HEADER_BYTES);
    else payload.copy(frame, HEADER_BYTES);
    this.connection.write(frame);
  }

  /** An answer of any length; a long one leaves in parts, between which others have their turn. */
  async answer(call: number, text: string): Promise<void> {
    if (text.length <= PART_BYTES) {
      this.write(FrameType.Answer, call, text);
      return;
    }
    const bytes = Buffer.from(text, 'utf8');
    let at = 0;
    for (; bytes.length - at > PART_BYTES; at += PART_BYTES) {
      this.write(FrameType.Part, call, bytes.subarray(at, at + PART_BYTES));
      await this.turn();
    }
    this.write(FrameType.Answer, call, bytes.subarray(at));
  }

  /** Settles when the connection takes more, or is gone. */
  private turn(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.connection.writableNeedDrain) {
        setImmediate(resolve);
        return;
      }
      const done = (): void => {
        this.connection.off('drain', done).off('close', done);
        resolve();
      };
      this.connection.once('drain', done).once('close', done);
    });
  }
}

/** Cuts what a connection brings into frames. */
export class FrameReader {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private readonly onFrame: FrameHandler) {}

  /** @throws RangeError for a frame longer than any of ours: the other side is none of us */
  push(chunk: Buffer): void {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let at = 0;
    while (bytes.length - at >= HEADER_BYTES) {
      const length = bytes.readUInt32BE(at);
      if (length > MAX_PAYLOAD_BYTES) throw new RangeError(`a frame of ${length} bytes`);
      const end = at + HEADER_BYTES + length;
      if (bytes.length < end) break;
      this.onFrame(bytes.readUInt8(at + 4), bytes.readUInt32BE(at + 5), bytes.subarray(at + HEADER_BYTES, end));
      at = end;
    }
    this.rest = bytes.subarray(at);
  }
}

/**
 * Reads frames from a connection for as long as it lives. What sends something else than frames is none of us: its connection ends.
 * @param head what has come already
 */
export function readFrames(connection: Duplex, head: Buffer, onFrame: FrameHandler): void {
  const reader = new FrameReader(onFrame);
  const push = (chunk: Buffer): void => {
    try {
      reader.push(chunk);
    } catch (error) {
      connection.destroy(error as Error);
    }
  };
  connection.on('data', push);
  if (head.length > 0) push(head);
}
