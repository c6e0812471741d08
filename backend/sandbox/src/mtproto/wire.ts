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
  private inbound: Lane | undefined;
  private readonly outbound: Lane;

  constructor(
    private readonly wire: Wire,
    private readonly link: NarrowLink,
  ) {
    this.outbound = new Lane(link.outbound, (data) => wire.write(data));
  }

  get bytesIn(): number {
    return this.wire.bytesIn;
  }

  get bytesOut(): number {
    return this.wire.bytesOut;
  }

  onData(receive: (data: Buffer) => void): void {
    const lane = new Lane(this.link.inbound, receive);
    this.inbound = lane;
    this.wire.onData((data) => lane.pass(data));
  }

  onClose(closed: () => void): void {
    this.wire.onClose(() => {
      this.inbound?.end();
      this.outbound.end();
      closed();
    });
  }

  write(data: Buffer): void {
    this.outbound.pass(data);
  }

  destroy(): void {
    this.wire.destroy();
  }
}

/**
 * One direction of a wire. What is on its way is in one queue with one timer: timers know whole milliseconds only, so that one for
 * each chunk would let a small chunk overtake the one before it.
 */
class Lane {
  private readonly queue: { readonly atMs: number; readonly data: Buffer }[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly pacer: Pacer,
    private readonly next: (data: Buffer) => void,
  ) {}

  pass(data: Buffer): void {
    this.queue.push({ atMs: this.pacer.timeOf(data.length), data });
    if (this.timer === undefined) this.wait();
  }

  end(): void {
    clearTimeout(this.timer);
    this.queue.length = 0;
  }

  private wait(): void {
    const [first] = this.queue;
    this.timer = first && setTimeout(() => this.due(), first.atMs - performance.now());
  }

  private due(): void {
    while ((this.queue[0]?.atMs ?? Infinity) <= performance.now()) {
      const first = this.queue.shift();
      if (first) this.next(first.data);
    }
    this.wait();
  }
}

/** Gives chunks their time, one behind the other. */
class Pacer {
  private freeAtMs = 0;

  constructor(private readonly bytesPerSecond: number) {}

  /** @returns when so many bytes more are through, on the clock of `performance` */
  timeOf(bytes: number): number {
    this.freeAtMs = Math.max(this.freeAtMs, performance.now()) + (bytes / this.bytesPerSecond) * 1000;
    return this.freeAtMs;
  }
}
