import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { generatedBytes, generatedPieces } from '@tgcontrol/sandbox';
import { cpuMs, forgetPeak, peakMiB, residentMiB } from './lib/processes.js';

/** What is measured of a pool. */
export interface PoolResult {
  readonly 'up MB/s': number;
  readonly 'down MB/s': number;
  readonly 'memory growth MiB': number;
  readonly 'ranges right': number;
  /** Processor time for each gigabyte that went up: of the product with its TDLib, and of the offline Telegram beside it. */
  readonly 'product s/GB': number;
  readonly 'Telegram s/GB': number;
}

/** A pool to be measured. */
export interface MeasuredPool {
  readonly url: string;
  readonly token: string;
  readonly name: string;
  /** Of the process that serves it. */
  readonly pid: number;
  /** Of the offline Telegram. */
  readonly sandboxPid: number;
}

const RANGE_BYTES = 64 * 1024;

/**
 * Puts an object, and gets it back whole and in random ranges.
 * @throws Error when a byte of it is another one
 */
export async function benchPool(pool: MeasuredPool, bytes: number, ranges: number): Promise<PoolResult> {
  const url = `${pool.url}/v1/pools/${pool.name}/objects/bench`;
  const headers = { authorization: `Bearer ${pool.token}` };
  const before = residentMiB(pool.pid);
  forgetPeak(pool.pid);
  const sent = createHash('sha256');
  const pieces = function* (): Generator<Buffer> {
    for (const piece of generatedPieces(bytes)) {
      sent.update(piece);
      yield piece;
    }
  };
  const [ours, theirs] = [cpuMs(pool.pid), cpuMs(pool.sandboxPid)];
  const began = performance.now();
  const body = Readable.toWeb(Readable.from(pieces())) as ReadableStream<Uint8Array>;
  const put = await fetch(url, { method: 'PUT', body, headers, duplex: 'half' });
  if (!put.ok) throw new Error(`the object was not stored: ${await put.text()}`);
  const upMs = performance.now() - began;
  const [oursUp, theirsUp] = [cpuMs(pool.pid) - ours, cpuMs(pool.sandboxPid) - theirs];
  const downBegan = performance.now();
  const received = createHash('sha256');
  const get = await fetch(url, { headers });
  for await (const piece of get.body ?? []) received.update(piece as Uint8Array);
  const downMs = performance.now() - downBegan;
  if (received.digest('hex') !== sent.digest('hex')) throw new Error('the object came back as another one');
  const right = await rightRanges(url, headers, bytes, ranges);
  if (right !== ranges) throw new Error(`${ranges - right} of ${ranges} ranges came back as other bytes`);
  return {
    'up MB/s': bytes / 1_000 / upMs,
    'down MB/s': bytes / 1_000 / downMs,
    'memory growth MiB': peakMiB(pool.pid) - before,
    'ranges right': right,
    'product s/GB': (oursUp * 1e6) / bytes,
    'Telegram s/GB': (theirsUp * 1e6) / bytes,
  };
}

async function rightRanges(
  url: string,
  headers: Readonly<Record<string, string>>,
  bytes: number,
  ranges: number,
): Promise<number> {
  let right = 0;
  for (let n = 0; n < ranges; n += 1) {
    const from = Math.floor(Math.random() * bytes);
    const length = Math.min(bytes - from, 1 + Math.floor(Math.random() * RANGE_BYTES));
    const answer = await fetch(url, { headers: { ...headers, range: `bytes=${from}-${from + length - 1}` } });
    const got = Buffer.from(await answer.arrayBuffer());
    if (answer.status === 206 && got.equals(generatedBytes(from, length))) right += 1;
  }
  return right;
}
