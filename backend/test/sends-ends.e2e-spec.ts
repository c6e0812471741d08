import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SendSweep } from '../src/modules/sessions/sends/send-sweep.js';
import { startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { textContent } from './support/messages.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { loginUser } from './support/users.js';

describe('sends of users, and the end of sends', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let app: TestApp;
  let api: ApiClient;
  let appId: string;
  let dataDir: string | undefined;
  let users = 0;

  const start = async (): Promise<void> => {
    app = await startApp({
      env: { ...telegram.env, WORKER_ID: 'w', SEND_TTL: '2h', ...(dataDir !== undefined && { DATA_DIR: dataDir }) },
      database,
    });
    dataDir = app.dataDir;
    api = new ApiClient(app);
  };
  const newUser = async () => {
    users += 1;
    const user = await loginUser(api, telegram, appId, `1555040000${users}`);
    const username = `friend_of_${users}`;
    const friend = telegram.control.createAccount({ phone: `1555041000${users}`, firstName: 'F', username }).userId;
    await api.must(api.call(user.path, 'searchPublicChat', { username }));
    return { ...user, friend };
  };
  const send = (path: string, chat_id: number, text: string, query = '', options?: object): Promise<Answer> =>
    api.post(`${path}/call${query}`, {
      method: 'sendMessage',
      params: { chat_id, input_message_content: textContent(text), ...(options && { options }) },
    });
  const outcome = (path: string, chatId: number, messageId: unknown): Promise<Answer> =>
    api.get(`${path}/sends?chat_id=${chatId}&message_id=${String(messageId)}`);
  const backdate = (by: string): Promise<object[]> =>
    database.query(`UPDATE sends SET created_at = created_at - $1::interval`, [by]);
  const rows = (sessionId: string): Promise<{ status: string }[]> =>
    database.query('SELECT status FROM sends WHERE session_id = $1', [sessionId]);

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    await start();
    appId = await api.createApp();
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await app.stop();
    await database.drop();
    await telegram.stop();
  });

  it('are not followed when they are scheduled', async () => {
    const { path, friend } = await newUser();
    const send_date = Math.floor(telegram.control.advanceClock(0).now / 1000) + 3_600;
    const { status, body } = await send(path, friend, 'later', '?wait=5', {
      '@type': 'messageSendOptions',
      scheduling_state: { '@type': 'messageSchedulingStateSendAtDate', send_date },
    });
    expect([status, body.sends]).toEqual([200, []]);
    const told = await outcome(path, friend, body.result?.id);
    expect([told.status, told.body.error?.['code']]).toEqual([404, 'not_tracked']);
    expect((await api.get(`${path}/sends`)).body.result).toEqual([]);
  });

  it('follow each forwarded message', async () => {
    const { path, friend, userId } = await newUser();
    const sent = [
      await send(path, friend, 'to forward', '?wait=30'),
      await send(path, friend, 'to forward', '?wait=30'),
    ];
    const message_ids = sent.map(({ body }) => body.sends?.[0]?.['message_id']);
    const { body } = await api.post(`${path}/call?wait=30`, {
      method: 'forwardMessages',
      params: { chat_id: friend, from_chat_id: friend, message_ids },
    });
    expect(body.sends).toMatchObject([{ status: 'sent' }, { status: 'sent' }]);
    const texts = (await telegram.control.messages({ chatId: friend, account: userId })).map(({ text }) => text);
    expect(texts.filter((text) => text === 'to forward')).toHaveLength(4);
  });

  it('are unknown when Telegram ends the session before it decides', async () => {
    const { path, friend, userId } = await newUser();
    telegram.control.addFault({ method: 'send', hang: true });
    const { body } = await send(path, friend, 'cut off');
    telegram.control.accounts.terminateSessions(userId);
    const told = await until('the outcome', async () => {
      const answer = await outcome(path, friend, body.result?.id);
      return answer.body.result?.['status'] !== 'pending' && answer;
    });
    expect(told.body.result).toEqual({ status: 'unknown', chat_id: friend });
  });

  it('are given up, in time, when nobody can open the session again, and found when somebody does', async () => {
    const { path, friend, userId } = await newUser();
    telegram.control.addFault({ method: 'send', hang: true });
    const { body } = await send(path, friend, 'out of reach');
    await api.must(api.post(`${path}/stop`));
    await app.app.get(SendSweep).sweep();
    expect((await outcome(path, friend, body.result?.id)).body.result).toEqual({ status: 'pending' });
    await backdate('61 minutes');
    await app.app.get(SendSweep).sweep();
    expect((await outcome(path, friend, body.result?.id)).body.result).toEqual({ status: 'unknown', chat_id: friend });
    telegram.control.removeFault();
    await api.must(api.post(`${path}/start`));
    const told = await until('the outcome', async () => {
      const answer = await outcome(path, friend, body.result?.id);
      return answer.body.result?.['status'] === 'sent' && answer;
    });
    const messages = await telegram.control.messages({ chatId: friend, account: userId });
    expect(messages.map(({ messageId }) => messageId)).toEqual([told.body.result?.['message_id']]);
  });

  it('go with their session', async () => {
    const { path, id, friend } = await newUser();
    await api.must(send(path, friend, 'gone', '?wait=30'));
    await until('the row', async () => (await rows(id)).length === 1);
    await api.must(api.delete(path));
    expect(await rows(id)).toEqual([]);
  });

  it('are forgotten after SEND_TTL', async () => {
    const { path, id, friend } = await newUser();
    const { body } = await send(path, friend, 'old', '?wait=30');
    const sent = body.sends?.[0];
    expect((await outcome(path, friend, sent?.['message_id'])).status).toBe(200);
    await backdate('121 minutes');
    for (const messageId of [sent?.['message_id'], sent?.['temporary_id']]) {
      expect((await outcome(path, friend, messageId)).status).toBe(404);
    }
    expect((await api.get(`${path}/sends`)).body.result).toEqual([]);
    expect(await rows(id)).toHaveLength(1);
    await app.app.get(SendSweep).sweep();
    expect(await rows(id)).toEqual([]);
  });

  it('stay pending while only the directory of the session is missing', async () => {
    const { path, id, friend } = await newUser();
    telegram.control.addFault({ method: 'send', hang: true });
    const { body } = await send(path, friend, 'elsewhere');
    await until('the row', async () => (await rows(id)).length === 1);
    await app.app.close();
    rmSync(join(app.dataDir, 'sessions', id), { recursive: true });
    await start();
    expect((await outcome(path, friend, body.result?.id)).body.result).toEqual({ status: 'pending' });
    await backdate('61 minutes');
    const told = await until('the end of hope', async () => {
      await app.app.get(SendSweep).sweep();
      const answer = await outcome(path, friend, body.result?.id);
      return answer.body.result?.['status'] !== 'pending' && answer;
    });
    expect(told.body.result).toEqual({ status: 'unknown', chat_id: friend });
    // A stop in the middle of their opening would be another test.
    await until('the other sessions', async () =>
      (await api.sessions()).every(
        (each) => each['id'] === id || each['health'] === 'ok' || each['status'] !== 'authorized',
      ),
    );
  });
});
