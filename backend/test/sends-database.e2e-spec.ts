import { startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { textContent } from './support/messages.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { Wire } from './support/wire.js';

describe('sends with the database away', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let wire: Wire;
  let port: number;
  let app: TestApp;
  let api: ApiClient;
  let path: string;
  let channel: number;

  const send = (text: string, query = '', headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    api.post(
      `${path}/call${query}`,
      { method: 'sendMessage', params: { chat_id: channel, input_message_content: textContent(text) } },
      headers,
    );
  const held = async (text: string): Promise<number> =>
    (await telegram.control.messages({ chatId: channel })).filter((each) => each.text === text).length;
  const restore = async (): Promise<void> => {
    await wire.open(port);
    await until('the database', async () => (await api.get('/v1/apps')).status === 200);
    await until('the session', async () => (await api.call(path, 'getMe')).status === 200);
  };

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    wire = new Wire(new URL(database.url));
    const url = await wire.open();
    port = Number(new URL(url).port);
    app = await startApp({ database, env: { ...telegram.env, DATABASE_URL: url } });
    api = new ApiClient(app);
    const { token, userId } = telegram.control.createBot({ username: 'without_database_bot' });
    path = `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: await api.createApp() }))).id}`;
    channel = telegram.control.createChat({ type: 'channel', title: 'Alone', admins: [userId] }).chatId;
    await api.must(api.call(path, 'getChat', { chat_id: channel }));
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await app.stop();
    wire.cut();
    await database.drop();
    await telegram.stop();
  });

  it('go on, are told to who waits, and are stored when it is back', async () => {
    wire.cut();
    const { status, body } = await send('alone', '?wait=30');
    expect([status, body.sends]).toMatchObject([200, [{ status: 'sent' }]]);
    const told = await api.get(`${path}/sends?chat_id=${channel}&message_id=${String(body.result?.id)}`);
    expect(told.body.result).toMatchObject({ status: 'sent', message_id: body.sends?.[0]?.['message_id'] });
    await restore();
    await until('the row', async () => {
      const rows = await database.query<{ status: string }>('SELECT status FROM sends WHERE message_id = $1', [
        body.sends?.[0]?.['message_id'],
      ]);
      return rows[0]?.status === 'sent';
    });
  });

  it('are not made with an Idempotency-Key: nobody could keep it', async () => {
    wire.cut();
    const { status, body } = await send('unkept', '', { 'idempotency-key': 'unkept' });
    expect([status, body.error?.['code']]).toEqual([503, 'database_unavailable']);
    await restore();
    expect(await held('unkept')).toBe(0);
    expect((await send('unkept', '?wait=30', { 'idempotency-key': 'unkept' })).status).toBe(200);
    expect(await held('unkept')).toBe(1);
  });

  it('with an Idempotency-Key are answered although it went away meanwhile, and stay made once', async () => {
    const key = { 'idempotency-key': 'meanwhile' };
    telegram.control.addFault({ method: 'send', delayMs: 1_500, times: 1 });
    const first = send('meanwhile', '?wait=30', key);
    await until(
      'the key',
      async () => (await database.query(`SELECT 1 FROM idempotency_keys WHERE key = 'meanwhile'`)).length === 1,
    );
    wire.cut();
    expect((await first).body.sends).toMatchObject([{ status: 'sent' }]);
    await restore();
    const repeat = await until('the stored answer', async () => {
      const answer = await send('meanwhile', '?wait=30', key);
      return answer.status === 200 && answer;
    });
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    expect(await held('meanwhile')).toBe(1);
  });
});
