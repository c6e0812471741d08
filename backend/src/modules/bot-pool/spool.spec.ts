import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { until } from '../../../test/support/until.js';
import type { AppConfig } from '../../config/index.js';
import { PoolSaturatedError } from './dispatcher/dispatcher.errors.js';
import { BodyHashes, type Slice, Spool } from './spool.js';

const KIB = 1024;

describe('the spool', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tgcontrol-spool-'));
  const folder = join(dir, '.pools');
  /** Has room for two slices. */
  class SmallSpool extends Spool {
    protected override readonly limitBytes = 2 * KIB;
  }
  let spool: SmallSpool;

  beforeEach(async () => {
    spool = new SmallSpool({ uploads: { dir } } as AppConfig);
    await spool.onModuleInit();
  });

  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** A body of so many KiB that counts what was read of it. */
  function body(kib: number): { readonly stream: Readable; readonly read: () => number } {
    let sent = 0;
    const stream = new Readable({
      highWaterMark: 1,
      read() {
        this.push(sent < kib ? Buffer.alloc(KIB, sent) : null);
        sent += 1;
      },
    });
    return { stream, read: () => sent };
  }

  const onDisk = (): number => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

  it('45 never takes more than its room, and reads no body while that is used up', async () => {
    const bodies = Array.from({ length: 8 }, () => body(5));
    const taken: Slice[] = [];
    const done = bodies.map(async ({ stream }) => {
      for await (const slice of spool.slices(stream, { sliceBytes: KIB, hashes: new BodyHashes() })) taken.push(slice);
    });
    let seen = 0;
    for (let released = 0; released < 40; released += 1) {
      await until('a slice', () => taken.length > 0);
      seen = Math.max(seen, onDisk());
      // What was read: what has left, what is here, and up to three pieces that each body holds ready.
      const read = bodies.reduce((sum, each) => sum + each.read(), 0);
      expect(read).toBeLessThanOrEqual(released + 2 + 3 * bodies.length);
      await taken.shift()?.release();
    }
    await Promise.all(done);
    expect(seen).toBeLessThanOrEqual(2 * KIB);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('58 refuses more bodies than may wait for room', async () => {
    const held: Slice[] = [];
    const begin = (): Promise<void> =>
      (async () => {
        for await (const slice of spool.slices(body(1).stream, { sliceBytes: 2 * KIB, hashes: new BodyHashes() }))
          held.push(slice);
      })();
    const all = Array.from({ length: 257 }, begin);
    await until('the first', () => held.length === 1);
    expect(() => spool.admit()).toThrow(PoolSaturatedError);
    for (let n = 0; n < 257; n += 1) {
      await until('the next', () => held.length > 0);
      await held.shift()?.release();
    }
    await Promise.all(all);
    expect(() => spool.admit()).not.toThrow();
  });
});
