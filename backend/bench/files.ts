import { Agent, request, type RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { median } from './lib/load.js';

/** What files cost beside what they cost at least: megabytes a second, or milliseconds for a small one. */
export type FilesResult = Record<string, number>;

/** Where files go to and come from. Every file is downloaded once by each. */
export interface FilesTargets {
  readonly bare: {
    /** Takes a body to the disk. */
    readonly disk: string;
    /** Of bare tdl. */
    readonly tdl: string;
    readonly files: FileIds;
  };
  readonly product: {
    readonly url: string;
    readonly token: string;
    /** Of the bot that downloads. */
    readonly path: string;
    readonly files: FileIds;
  };
}

/** TDLib's numbers of files that were not downloaded yet. */
export interface FileIds {
  readonly large: readonly number[];
  readonly small: readonly number[];
}

/** What is transferred. */
export interface FilesPlan {
  readonly rounds: number;
  readonly largeBytes: number;
  readonly smallBytes: number;
  readonly smallFiles: number;
}

const PIECE = Buffer.alloc(64 * 1024, 'tgcontrol');
const agent = new Agent({ keepAlive: true });

function* pieces(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE.length) {
    yield left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
  }
}

/** @returns the answer's body, and how many bytes it had. @throws Error for a refusal */
async function ask(
  url: string,
  options: RequestOptions,
  bytes = 0,
  keepsText = true,
): Promise<{ text: string; bytes: number }> {
  const sent = request(url, { agent, ...options, headers: { ...options.headers, 'content-length': bytes } });
  const answered = new Promise<{ text: string; bytes: number }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      let received = 0;
      response.on('data', (piece: Buffer) => {
        received += piece.length;
        if (keepsText) text += piece.toString();
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ text, bytes: received });
        else reject(new Error(`${url} answered ${response.statusCode}: ${text}`));
      });
    });
  });
  await pipeline(Readable.from(pieces(bytes)), sent);
  return answered;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** How long each way takes, in milliseconds. */
function ways({
  bare,
  product,
}: FilesTargets): Record<'bare' | 'product', Record<'upload' | 'download', (n: number) => Promise<number>>> {
  const headers = { authorization: `Bearer ${product.token}` };
  return {
    bare: {
      upload: (bytes) => timed(() => ask(bare.disk, { method: 'POST' }, bytes)),
      download: (fileId) =>
        timed(async () => {
          const params = { file_id: fileId, priority: 1, offset: 0, limit: 0, synchronous: true };
          const body = JSON.stringify({ method: 'downloadFile', params });
          const headersOfCall = { 'content-type': 'application/json' };
          const answer = await fetch(`${bare.tdl}/call`, { method: 'POST', headers: headersOfCall, body });
          if (!answer.ok) throw new Error(`bare tdl answered ${answer.status}`);
          await answer.text();
        }),
    },
    product: {
      upload: async (bytes) => {
        let path = '';
        const ms = await timed(async () => {
          const { text } = await ask(`${product.url}/v1/files?name=bench.bin`, { method: 'POST', headers }, bytes);
          ({ path } = (JSON.parse(text) as { result: { path: string } }).result);
        });
        await ask(`${product.url}/v1/files/${path.split('/').at(-2)}`, { method: 'DELETE', headers });
        return ms;
      },
      download: (fileId) =>
        timed(() => ask(`${product.url}${product.path}/files/${fileId}`, { method: 'GET', headers }, 0, false)),
    },
  };
}

/** Both targets in each round, one after the other. */
export async function benchFiles(targets: FilesTargets, plan: FilesPlan): Promise<Record<string, FilesResult>> {
  const by = ways(targets);
  const sides = ['bare', 'product'] as const;
  const results: Record<string, FilesResult> = {};
  const megabytes = plan.largeBytes / 1e6;
  for (const way of ['upload', 'download'] as const) {
    const seen = { bare: [] as number[], product: [] as number[] };
    const argument = (side: 'bare' | 'product', round: number): number =>
      way === 'upload' ? plan.largeBytes : (targets[side].files.large[round] ?? 0);
    // The first round warms up.
    for (let round = 0; round <= plan.rounds; round += 1) {
      for (const side of sides) {
        const ms = await by[side][way](argument(side, round));
        if (round > 0) seen[side].push((megabytes * 1_000) / ms);
      }
    }
    const [bare, product] = [median(seen.bare), median(seen.product)];
    results[`${way} of ${megabytes} MB`] = { 'bare MB/s': bare, 'product MB/s': product, share: product / bare };
  }
  for (const way of ['upload', 'download'] as const) {
    const seen = { bare: [] as number[], product: [] as number[] };
    for (let number = 0; number < plan.smallFiles; number += 1) {
      for (const side of sides) {
        const argument = way === 'upload' ? plan.smallBytes : (targets[side].files.small[number] ?? 0);
        seen[side].push(await by[side][way](argument));
      }
    }
    const [bare, product] = [median(seen.bare), median(seen.product)];
    results[`${way} of ${plan.smallBytes} bytes`] = {
      'bare ms': bare,
      'product ms': product,
      'overhead ms': product - bare,
    };
  }
  agent.destroy();
  return results;
}
