import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from './support/database.js';
import { ProductProcess } from './support/process.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

describe('sessions and the processes that hold them', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let dataDir: string;
  let running: ProductProcess[];
  let bots = 0;

  const start = async (role: 'all' | 'worker' | 'gateway', env: NodeJS.ProcessEnv = {}): Promise<ProductProcess> => {
    const started = await ProductProcess.start(role, {
      ...(role !== 'gateway' && telegram.env),
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      ...env,
    });
    running.push(started);
    return started;
  };
  const newBot = (): { userId: number; token: string } => {
    bots += 1;
    return telegram.control.createBot({ username: `survivor_${bots}_bot` });
  };
  const createApp = async (api: ProductProcess): Promise<unknown> =>
    (await api.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) }))['app_id'];
  const botLogins = (): number => telegram.control.journal({ method: 'auth.importBotAuthorization' }).length;

  beforeAll(async () => {
    telegram = await startTelegram();
  });

  beforeEach(async () => {
    running = [];
    database = await createDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tgcontrol-data-'));
  });

  afterEach(async () => {
    for (const each of running) await each.end('SIGTERM');
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  afterAll(() => telegram.stop());

  it('are authorized again after SIGKILL and a start, without a new login; what was stopped stays stopped', async () => {
    const first = await start('all', { WORKER_ID: 'same' });
    const app_id = await createApp(first);
    const bot = newBot();
    const { id } = await first.must('POST', '/v1/bot', { token: bot.token, app_id });
    const { id: stopped } = await first.must('POST', '/v1/bot', { token: newBot().token, app_id });
    await first.must('POST', `/v1/bot/${String(stopped)}/stop`);
    const { phone } = telegram.control.createAccount({ phone: '15550188', firstName: 'A' });
    const login = await first.must('POST', '/v1/user', { app_id, phone });
    const logins = botLogins();
    expect(await first.end('SIGKILL')).toBe('SIGKILL');

    const second = await start('all', { WORKER_ID: 'same' });
    const path = `/v1/bot/${String(id)}`;
    const me = await until(
      'the bot to answer',
      async () => {
        const { status, body } = await second.ask('POST', `${path}/call`, { method: 'getMe' });
        return status === 200 && body.result;
      },
      30_000,
    );
    expect(me).toMatchObject({ id: bot.userId });
    expect(await second.must('GET', path)).toMatchObject({ status: 'authorized' });
    expect(botLogins()).toBe(logins);
    expect(await second.must('GET', `/v1/bot/${String(stopped)}`)).toMatchObject({ status: 'stopped' });
    // The login died with its process; its number is free again.
    expect(await second.must('GET', `/v1/user/${String(login['id'])}`)).toMatchObject({ status: 'expired' });
    expect(await second.must('POST', '/v1/user', { app_id, phone })).toMatchObject({ status: 'awaiting_code' });
    expect(await second.end('SIGTERM')).toBe(0);
  });

  it('are taken over from a worker that was killed', async () => {
    const killed = await start('worker', { WORKER_ID: 'w1' });
    const gateway = await start('gateway', { DATA_DIR: `${dataDir}/gateway` });
    const app_id = await createApp(gateway);
    const bot = newBot();
    const { id } = await gateway.must('POST', '/v1/bot', { token: bot.token, app_id });
    const logins = botLogins();
    const heir = await start('worker', { WORKER_ID: 'w2' });
    await killed.end('SIGKILL');
    const began = Date.now();
    await until(
      'a call on the heir',
      async () => (await gateway.ask('POST', `/v1/bot/${String(id)}/call`, { method: 'getMe' })).status === 200,
    );
    // Its lease runs 5 s; then the next round of the heir claims.
    expect(Date.now() - began).toBeLessThan(15_000);
    expect(await gateway.must('GET', `/v1/bot/${String(id)}`)).toMatchObject({ worker_id: 'w2', status: 'authorized' });
    expect(botLogins()).toBe(logins);
    expect(await heir.end('SIGTERM')).toBe(0);
    const { status, body } = await gateway.ask('POST', `/v1/bot/${String(id)}/call`, { method: 'getMe' });
    expect([502, 503]).toContain(status);
    expect(body.error).toMatchObject({ source: 'gateway' });
  });

  it('run /execute in the gateway itself', async () => {
    const gateway = await start('gateway');
    const found = await gateway.must('POST', '/v1/execute', { method: 'getTextEntities', params: { text: '@probe' } });
    expect(found).toMatchObject({ '@type': 'textEntities' });
  });
});
