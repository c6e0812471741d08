import type { Socket } from 'node:net';

/** A client's TCP connection, after whatever proxy protocol came first. */
export interface Wire {
  /** Sets the one receiver of data; bytes that came before are given to it at once. */
  onData(receive: (data: Buffer) => void): void;
  /** Called once, when the connection is over for whatever reason. */
  onClose(closed: () => void): void;
  write(data: Buffer): void;
  destroy(): void;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** A wire straight over a socket. */
export class SocketWire implements Wire {
  bytesIn = 0;
  bytesOut = 0;
  private frozen = false;

  /** @param early bytes that were read from the socket already */
  constructor(
    private readonly socket: Socket,
    private readonly early: Buffer,
  ) {
    socket.setNoDelay(true);
    // Every error is followed by 'close', which is all that matters here.
    socket.on('error', () => undefined);
  }

  onData(receive: (data: Buffer) => void): void {
    const take = (data: Buffer): void => {
      if (this.frozen) return;
      this.bytesIn += data.length;
      receive(data);
    };
    this.socket.on('data', take);
    if (this.early.length > 0) take(this.early);
  }

  onClose(closed: () => void): void {
    if (this.socket.destroyed) queueMicrotask(closed);
    else this.socket.once('close', closed);
  }

  write(data: Buffer): void {
    if (this.frozen || this.socket.destroyed) return;
    this.bytesOut += data.length;
    this.socket.write(data);
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** From now on nothing passes in either direction, as when a proxy hangs; the socket stays open. */
  freeze(): void {
    this.frozen = true;
  }
}

/** A narrow link, shared by all the connections that go through it: so many bytes a second in each direction. */
export class NarrowLink {
  readonly inbound: Pacer;
  readonly outbound: Pacer;

  constructor(bytesPerSecond: number) {
    this.inbound = new Pacer(bytesPerSecond);
    this.outbound = new Pacer(bytesPerSecond);
  }
}

/** Passes data on at the pace of a link. */
export class SlowWire implements Wire {
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(
    private readonly wire: Wire,
    private readonly link: NarrowLink,
  ) {}

  get bytesIn(): number {
    return this.wire.bytesIn;
  }

  get bytesOut(): number {
    return this.wire.bytesOut;
  }

  onData(receive: (data: Buffer) => void): void {
    this.wire.onData((data) => this.pass(this.link.inbound, data, receive));
  }

  onClose(closed: () => void): void {
    this.wire.onClose(() => {
      for (const timer of this.timers) clearTimeout(timer);
      this.timers.clear();
      closed();
    });
  }

  write(data: Buffer): void {
    this.pass(this.link.outbound, data, (slice) => this.wire.write(slice));
  }

  destroy(): void {
    this.wire.destroy();
  }

  private pass(pacer: Pacer, data: Buffer, next: (data: Buffer) => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      next(data);
    }, pacer.take(data.length));
    this.timers.add(timer);
  }
}

/** Gives chunks their time, one behind the other. */
class Pacer {
  private freeAtMs = 0;

  constructor(private readonly bytesPerSecond: number) {}

  /** @returns in how many milliseconds so many bytes are through */
  take(bytes: number): number {
    const now = performance.now();
    this.freeAtMs = Math.max(this.freeAtMs, now) + (bytes / this.bytesPerSecond) * 1000;
    return this.freeAtMs - now;
  }
}
