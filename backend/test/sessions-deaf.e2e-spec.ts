import { setTimeout as sleep } from 'node:timers/promises';
import { startApp, type TestApp } from './support/app.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { loginUser } from './support/users.js';

describe('a session that hears nothing', () => {
  let telegram: TestTelegram;
  let app: TestApp;
  let api: ApiClient;
  let path: string;
  let userId: number;
  let from: number;

  const state = (): Promise<Record<string, unknown>> => api.state(path);
  const looks = (): number => telegram.control.journal({ method: 'updates.getDifference', account: userId }).length;
  const write = (text: string): Promise<unknown> => telegram.control.sendMessage({ from, chatId: userId, text });
  const healthBecomes = (health: string): Promise<Record<string, unknown>> =>
    until(`the health to be ${health}`, async () => {
      const seen = await state();
      return seen['health'] === health && seen;
    });

  beforeAll(async () => {
    telegram = await startTelegram();
    app = await startApp({ env: { ...telegram.env, DEAF_AFTER: '2s' } });
    api = new ApiClient(app);
    ({ path, userId } = await loginUser(api, telegram, await api.createApp(), '15550500001'));
    from = telegram.control.createAccount({ phone: '15550500002', firstName: 'Other' }).userId;
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await app.stop();
    await telegram.stop();
  });

  it('is well while its account is only quiet, and goes on hearing after it was looked at', async () => {
    const before = looks();
    await until('a look', () => looks() > before);
    expect(await state()).toMatchObject({ status: 'authorized', health: 'ok' });
    await write('still there?');
    expect((await api.call(path, 'getMe')).status).toBe(200);
    expect(telegram.control.keyConflicts()).toEqual([]);
  });

  it('is degraded when Telegram has stopped sending, gets what it has missed, and is well when updates flow again', async () => {
    await write('heard');
    telegram.control.accounts.update(userId, { deaf: true });
    // A message that is written while the session is being looked at may have been on its way.
    const degraded = await until(
      'bad health',
      async () => {
        await write('missed');
        await sleep(1_000);
        const seen = await state();
        return seen['health'] === 'degraded' && seen;
      },
      60_000,
    );
    expect(degraded).toMatchObject({ status: 'authorized' });
    expect(degraded['health_cause']).toMatch(
      /^Telegram had stopped sending updates: \d+ messages? came only after a reconnect$/,
    );
    expect(Date.parse(String(degraded['health_since']))).toBeGreaterThan(Date.now() - 60_000);
    const { body } = await api.call(path, 'getChatHistory', {
      chat_id: from,
      from_message_id: 0,
      offset: 0,
      limit: 1,
      only_local: true,
    });
    expect(JSON.stringify(body.result)).toContain('missed');
    telegram.control.accounts.update(userId, { deaf: false });
    await until(
      'good health',
      async () => {
        await write('heard again');
        await sleep(1_000);
        return (await state())['health'] === 'ok';
      },
      60_000,
    );
  });

  it('is degraded, and says why, when Telegram does not answer the question', async () => {
    telegram.control.addFault({
      method: 'help.getNearestDc',
      account: userId,
      error: { code: 400, message: 'NOT_TODAY' },
    });
    const degraded = await healthBecomes('degraded');
    expect(degraded['health_cause']).toMatch(/^no update for \d+ s, and Telegram does not answer: NOT_TODAY$/);
    telegram.control.removeFault();
    await healthBecomes('ok');
  });
});
