import { NarrowLink, SlowWire, type Wire } from './wire.js';

/** A wire whose data a test brings. */
class TestWire implements Wire {
  readonly bytesIn = 0;
  readonly bytesOut = 0;
  private receive: (data: Buffer) => void = () => undefined;
  private closed: () => void = () => undefined;

  onData(receive: (data: Buffer) => void): void {
    this.receive = receive;
  }

  onClose(closed: () => void): void {
    this.closed = closed;
  }

  arrive(data: Buffer): void {
    this.receive(data);
  }

  write(): void {
    // Nobody is at the other end.
  }

  destroy(): void {
    this.closed();
  }
}

/** Lets a little time go by, less than timers know of. */
function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const CHUNKS = 2_000;

describe('slow wire', () => {
  it('passes bytes on in their order, however small the chunks are', async () => {
    const inner = new TestWire();
    const wire = new SlowWire(inner, new NarrowLink(100_000));
    const passed: number[] = [];
    const all = new Promise<void>((resolve) => {
      wire.onData((chunk) => {
        passed.push(chunk.readUInt32LE());
        if (passed.length === CHUNKS) resolve();
      });
    });
    for (let number = 0; number < CHUNKS; number += 1) {
      // Behind the first one all of them wait.
      const chunk = Buffer.alloc(number === 0 ? 20_000 : 4);
      chunk.writeUInt32LE(number);
      inner.arrive(chunk);
      busy(0.05);
    }
    await all;
    expect(passed).toEqual(Array.from({ length: CHUNKS }, (_, number) => number));
  });

  it('passes no more bytes than its link lets through', async () => {
    const inner = new TestWire();
    const wire = new SlowWire(inner, new NarrowLink(50_000));
    const began = performance.now();
    let bytes = 0;
    await new Promise<void>((resolve) => {
      wire.onData((data) => {
        bytes += data.length;
        if (bytes === 10_000) resolve();
      });
      for (let chunk = 0; chunk < 10; chunk += 1) inner.arrive(Buffer.alloc(1_000));
    });
    expect(performance.now() - began).toBeGreaterThanOrEqual(199);
  });

  it('passes nothing on once it is closed', async () => {
    const inner = new TestWire();
    const wire = new SlowWire(inner, new NarrowLink(10_000));
    let passed = 0;
    wire.onData(() => (passed += 1));
    await new Promise<void>((resolve) => {
      wire.onClose(resolve);
      inner.arrive(Buffer.alloc(100));
      inner.destroy();
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(passed).toBe(0);
  });
});
