import type { PortPair } from './client-process.js';
import { frame, FrameReader, type Frame } from './frames.js';
import { OBFUSCATION_HEADER_BYTES, readObfuscation, type Obfuscation } from './obfuscation.js';
import type { Wire } from './wire.js';

/** What a connection tells its owner. */
export interface ConnectionEvents {
  /** A whole packet arrived. */
  packet(connection: Connection, received: Frame): void;
  closed(connection: Connection): void;
}

/** Where a connection came from. */
export interface ConnectionOrigin {
  /** Id of the proxy it came through; undefined for a direct connection. */
  readonly proxy: string | undefined;
  /** Undefined when the connection is over already. */
  readonly ports: PortPair | undefined;
  /** 16 bytes, when it came through an MTProto proxy. */
  readonly secret: Buffer | undefined;
}

/** One client connection: takes the obfuscation off what comes in and puts it onto what goes out. */
export class Connection {
  private obfuscation: Obfuscation | undefined;
  private header: Buffer = Buffer.alloc(0);
  private readonly frames = new FrameReader();
  private over = false;

  /** @param since unix milliseconds of the sandbox's clock */
  constructor(
    readonly id: number,
    private readonly wire: Wire,
    private readonly origin: ConnectionOrigin,
    readonly since: number,
    private readonly events: ConnectionEvents,
  ) {
    wire.onClose(() => {
      this.over = true;
      events.closed(this);
    });
    wire.onData((data) => {
      this.receive(data);
    });
  }

  get proxy(): string | undefined {
    return this.origin.proxy;
  }

  get ports(): PortPair | undefined {
    return this.origin.ports;
  }

  get dc(): number {
    return this.obfuscation?.dc ?? 0;
  }

  get testMode(): boolean {
    return this.obfuscation?.testMode ?? false;
  }

  get isOpen(): boolean {
    return !this.over;
  }

  get bytesIn(): number {
    return this.wire.bytesIn;
  }

  get bytesOut(): number {
    return this.wire.bytesOut;
  }

  send(packet: Buffer): void {
    if (this.obfuscation) this.wire.write(this.obfuscation.encrypt.update(frame(packet, this.obfuscation.framing)));
  }

  /** A transport error: four bytes with a negative number instead of a packet. */
  sendError(code: number): void {
    const packet = Buffer.alloc(4);
    packet.writeInt32LE(code);
    this.send(packet);
  }

  /** Quick acknowledgements are four bare bytes without a length. */
  sendQuickAck(token: Buffer): void {
    if (this.obfuscation) this.wire.write(this.obfuscation.encrypt.update(token));
  }

  close(): void {
    // Nothing that is still in the socket's buffers may reach the handlers of a connection that was cut.
    this.over = true;
    this.wire.destroy();
  }

  private receive(data: Buffer): void {
    if (this.over) return;
    const stream = this.obfuscation ? data : this.takeHeader(data);
    if (!this.obfuscation || stream.length === 0) return;
    let frames: Frame[];
    try {
      frames = this.frames.push(this.obfuscation.decrypt.update(stream));
    } catch {
      this.close();
      return;
    }
    for (const received of frames) {
      if (!this.isOpen) return;
      this.events.packet(this, received);
    }
  }

  /** @returns what follows the header, empty while the header is not complete */
  private takeHeader(data: Buffer): Buffer {
    this.header = Buffer.concat([this.header, data]);
    if (this.header.length < OBFUSCATION_HEADER_BYTES) return Buffer.alloc(0);
    this.obfuscation = readObfuscation(this.header.subarray(0, OBFUSCATION_HEADER_BYTES), this.origin.secret);
    if (!this.obfuscation) {
      this.close();
      return Buffer.alloc(0);
    }
    const rest = this.header.subarray(OBFUSCATION_HEADER_BYTES);
    this.header = Buffer.alloc(0);
    return rest;
  }
}
