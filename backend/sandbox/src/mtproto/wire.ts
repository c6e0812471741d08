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

/** Passes data on at a fixed rate in each direction, like a narrow link. */
export class SlowWire implements Wire {
  private readonly inbound: Pacer;
  private readonly outbound: Pacer;

  /** @param bytesPerSecond for each direction */
  constructor(
    private readonly wire: Wire,
    bytesPerSecond: number,
  ) {
    this.inbound = new Pacer(bytesPerSecond);
    this.outbound = new Pacer(bytesPerSecond);
  }

  get bytesIn(): number {
    return this.wire.bytesIn;
  }

  get bytesOut(): number {
    return this.wire.bytesOut;
  }

  onData(receive: (data: Buffer) => void): void {
    this.wire.onData((data) => this.inbound.pass(data, receive));
  }

  onClose(closed: () => void): void {
    this.wire.onClose(() => {
      this.inbound.stop();
      this.outbound.stop();
      closed();
    });
  }

  write(data: Buffer): void {
    this.outbound.pass(data, (slice) => this.wire.write(slice));
  }

  destroy(): void {
    this.wire.destroy();
  }
}

/** Hands on chunks in order, each after the time it takes at the given rate. */
class Pacer {
  private freeAtMs = 0;
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(private readonly bytesPerSecond: number) {}

  pass(data: Buffer, next: (data: Buffer) => void): void {
    const now = performance.now();
    this.freeAtMs = Math.max(this.freeAtMs, now) + (data.length / this.bytesPerSecond) * 1000;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      next(data);
    }, this.freeAtMs - now);
    this.timers.add(timer);
  }

  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }
}
