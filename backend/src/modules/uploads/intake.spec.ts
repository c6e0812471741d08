import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { takeIn } from './intake.js';

const never = new AbortController().signal;
const options = {
  signal: never,
  idleMs: 60_000,
  onIdle: () => new Error('idle'),
  onCut: () => new Error('cut'),
};

describe('an intake', () => {
  it('writes everything in order', async () => {
    const written: string[] = [];
    await takeIn(
      Readable.from([Buffer.from('a'), Buffer.from('b'), Buffer.from('c')], { objectMode: false }),
      async (pieces) => {
        await turn();
        written.push(Buffer.concat([...pieces]).toString());
      },
      options,
    );
    expect(written.join('')).toBe('abc');
  });

  it('holds no more than a megabyte and a piece, however slow the disk is', async () => {
    const source = new PassThrough({ highWaterMark: 64 * 1024 });
    let letGo: () => void = () => undefined;
    let written = 0;
    const done = takeIn(
      source,
      async (pieces) => {
        written += Buffer.concat([...pieces]).length;
        await new Promise<void>((resolve) => (letGo = resolve));
      },
      options,
    );
    let accepted = 0;
    for (let round = 0; round < 200; round += 1) {
      if (!source.writableNeedDrain) {
        source.write(Buffer.alloc(64 * 1024));
        accepted += 64 * 1024;
      }
      await turn();
    }
    expect(accepted).toBeLessThan(2 * 1024 * 1024);
    source.end();
    const timer = setInterval(() => letGo(), 1);
    await done;
    clearInterval(timer);
    expect(written).toBe(accepted);
  });

  it.each([
    ['breaks off', (source: PassThrough) => source.destroy(new Error('reset')), 'cut'],
    ['closes without an end', (source: PassThrough) => source.destroy(), 'cut'],
  ])('keeps what has arrived when the source %s', async (_how, end, message) => {
    const source = new PassThrough();
    const written: Buffer[] = [];
    const done = takeIn(
      source,
      async (pieces) => {
        await turn();
        written.push(...pieces);
      },
      options,
    );
    source.write('kept');
    await turn();
    end(source);
    await expect(done).rejects.toThrow(message);
    expect(Buffer.concat(written).toString()).toBe('kept');
  });

  it('ends with the reason when it is ended', async () => {
    const source = new PassThrough();
    const controller = new AbortController();
    const written: Buffer[] = [];
    const done = takeIn(source, (pieces) => Promise.resolve(void written.push(...pieces)), {
      ...options,
      signal: controller.signal,
    });
    source.write('kept');
    await turn();
    controller.abort(new Error('superseded'));
    await expect(done).rejects.toThrow('superseded');
    expect(Buffer.concat(written).toString()).toBe('kept');
  });

  it('ends when nothing comes', async () => {
    const done = takeIn(new PassThrough(), () => Promise.resolve(), { ...options, idleMs: 5 });
    await expect(done).rejects.toThrow('idle');
  });

  it('ends with what the disk says', async () => {
    const source = new PassThrough();
    const done = takeIn(source, () => Promise.reject(new Error('ENOSPC')), options);
    source.write('x');
    await expect(done).rejects.toThrow('ENOSPC');
  });
});
