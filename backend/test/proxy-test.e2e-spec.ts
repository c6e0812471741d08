import { startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { freePort } from './support/app.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';

describe.each(['all', 'split'] as const)('the test of a proxy (%s)', (form) => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  const apps: TestApp[] = [];
  let api: ApiClient;

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    if (form === 'split') apps.push(await startApp({ role: 'worker', database, env: telegram.env }));
    const gateway = await startApp({ role: form === 'split' ? 'gateway' : 'all', database, env: telegram.env });
    apps.push(gateway);
    api = new ApiClient(gateway);
  });

  afterAll(async () => {
    for (const app of apps.reverse()) await app.stop();
    await database.drop();
    await telegram.stop();
  });

  async function verdict(settings: object): Promise<unknown> {
    const { proxy_id } = await api.must(api.post('/v1/proxies', settings));
    return (await api.post(`/v1/proxies/${String(proxy_id)}/test`)).body.result;
  }

  const working = (): { type: string; host: string; port: number; username: string; password: string } => {
    const url = new URL(telegram.env['DEFAULT_PROXY'] ?? '');
    return {
      type: 'socks5',
      host: url.hostname,
      port: Number(url.port),
      username: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
    };
  };

  it('tells how long Telegram took to answer through it', async () => {
    expect(await verdict(working())).toEqual({ reachable: true, latency_ms: expect.any(Number) });
  });

  it('tells why it did not', async () => {
    const refused = { type: 'socks5', host: '127.0.0.1', port: await freePort() };
    expect(await verdict(refused)).toEqual({ reachable: false, reason: expect.stringMatching(/\S/) });
  });

  it('answers 404 for a proxy that does not exist', async () => {
    expect((await api.post('/v1/proxies/nonsense/test')).status).toBe(404);
    expect((await api.post('/v1/proxies/7f5c9c3e-6a44-4a40-8d3e-0c7a2f0a3a11/test')).status).toBe(404);
  });
});
