import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from './support/database.js';
import { ProductProcess } from './support/process.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

function hasStrace(): boolean {
  try {
    execFileSync('strace', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** An address that a process connected or sent to. */
interface Destination {
  readonly address: string;
  readonly port: number;
}

const DESTINATION = /sin6?_port=htons\((\d+)\).*?inet_(?:addr|pton)\((?:AF_INET6, )?"([^"]+)"/;

function destinations(trace: string): Destination[] {
  return readFileSync(trace, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, port, address] = DESTINATION.exec(line) ?? [];
      return port === undefined || address === undefined ? [] : [{ address, port: Number(port) }];
    });
}

/** A SOCKS5 proxy that accepts whatever is asked for, and then says nothing more. */
async function startSilentProxy(): Promise<{ readonly port: number; readonly asked: () => number; stop(): void }> {
  const sockets = new Set<Socket>();
  let asked = 0;
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', () => {
        asked += 1;
        socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
        socket.resume();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    port: address.port,
    asked: () => asked,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

// Only strace sees every system call of TDLib's threads; elsewhere there is nothing that could be shown.
const describeWithStrace = hasStrace() ? describe : describe.skip;

describeWithStrace('the network of a session with a proxy', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let dir: string;
  let product: ProductProcess | undefined;

  const traced = async (env: NodeJS.ProcessEnv): Promise<{ product: ProductProcess; trace: string }> => {
    const trace = join(dir, 'trace');
    product = await ProductProcess.start('all', { DATABASE_URL: database.url, DATA_DIR: join(dir, 'data'), ...env }, [
      'strace',
      ...['-f', '-qq', '-e', 'trace=connect,sendto,sendmsg,sendmmsg', '-o', trace],
    ]);
    return { product, trace };
  };
  const portOf = (url: string | undefined): number => Number(new URL(url ?? '').port);
  /** Everything but the proxies, the database and the loopback port that the rewritten hosts point to. */
  const elsewhere = (trace: string, proxies: readonly number[]): Destination[] => {
    const allowed = new Set([...proxies, portOf(database.url), 443]);
    return destinations(trace).filter(({ address, port }) => address !== '127.0.0.1' || !allowed.has(port));
  };

  beforeEach(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-network-'));
  });

  afterEach(async () => {
    await product?.end('SIGTERM');
    product = undefined;
    await telegram.stop();
    await database.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('is the proxy alone, from the login over a change of proxies to a restart', async () => {
    const env = { ...telegram.env, WORKER_ID: 'w' };
    const first = await traced(env);
    const { app_id } = await first.product.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
    const bot = telegram.control.createBot({ username: 'traced_bot' });
    const { id } = await first.product.must('POST', '/v1/bot', { token: bot.token, app_id });
    const other = await telegram.control.addProxy({ username: 'u', password: 'p' });
    const { hostname, port, username, password } = new URL(other.url);
    const created = await first.product.must('POST', '/v1/proxies', {
      ...{ type: 'socks5', host: hostname, port: Number(port), username, password },
    });
    const path = `/v1/bot/${String(id)}`;
    await first.product.must('PATCH', path, { proxy_id: created['proxy_id'] });
    const throughOther = (): boolean =>
      telegram.control.connections().some(({ ownerId, proxy }) => ownerId === bot.userId && proxy === other.id);
    await until('the other proxy', throughOther);
    await first.product.end('SIGTERM');
    const proxies = [portOf(telegram.env['DEFAULT_PROXY']), Number(port)];
    expect(destinations(first.trace).map((each) => each.port)).toEqual(expect.arrayContaining(proxies));
    expect(elsewhere(first.trace, proxies)).toEqual([]);

    const second = await traced(env);
    await until(
      'a call',
      async () => (await second.product.ask('POST', `${path}/call`, { method: 'getMe' })).status === 200,
    );
    await until('the other proxy again', throughOther);
    await second.product.end('SIGTERM');
    // The proxy is in place from the first packet on: not even the default one is asked.
    expect(elsewhere(second.trace, [Number(port)])).toEqual([]);
  }, 180_000);

  it('is the proxy alone also when that accepts and then answers nothing for a minute', async () => {
    const silent = await startSilentProxy();
    try {
      // The library as it is published: what keeps it from asking around the proxy is our copy of it.
      const running = await traced({ DEFAULT_PROXY: `socks5://127.0.0.1:${silent.port}` });
      const { app_id } = await running.product.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
      const began = Date.now();
      for (let attempt = 0; Date.now() - began < 60_000; attempt += 1) {
        const { status, body } = await running.product.ask('POST', '/v1/user', {
          app_id,
          phone: `1555${1_000 + attempt}`,
        });
        expect([status, body.error?.['code']]).toEqual([504, 'connection_failed']);
        expect(body.error?.['message']).toContain('no answer from Telegram through the proxy');
      }
      expect(silent.asked()).toBeGreaterThan(0);
      await running.product.end('SIGTERM');
      expect(elsewhere(running.trace, [silent.port])).toEqual([]);
      // TDLib did go looking, so the minute was long enough; what it found is loopback.
      expect(destinations(running.trace)).toContainEqual({ address: '127.0.0.1', port: 443 });
    } finally {
      silent.stop();
    }
  }, 180_000);
});
