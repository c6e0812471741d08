import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// Receivers of webhooks in a process of their own: one a path, `/<name>/<milliseconds it takes>`; `never` takes for ever.
interface Seen {
  count: number;
  /** Milliseconds from push to receipt, of messages that say when they were pushed. */
  latencies: number[];
  last: number;
}

const seen = new Map<string, Seen>();
const server = createServer((request, response) => {
  const [, name = '', takes = '0'] = (request.url ?? '').split('/');
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const now = Date.now();
    const of = seen.get(name) ?? { count: 0, latencies: [], last: 0 };
    seen.set(name, of);
    of.count += 1;
    of.last = now;
    const pushed = /pushed (\d{13})/.exec(Buffer.concat(chunks).toString('utf8'))?.[1];
    if (pushed !== undefined) {
      of.latencies.push(now - Number(pushed));
    }
    if (takes === '0') {
      response.end();
    } else if (takes !== 'never') {
      setTimeout(() => response.end(), Number(takes));
    }
  });
});

/** Gives what was seen, and forgets it when asked to. */
process.on('message', ({ reset }: { reset?: boolean }) => {
  process.send?.(Object.fromEntries(seen));
  if (reset === true) {
    seen.clear();
  }
});
process.on('SIGTERM', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
