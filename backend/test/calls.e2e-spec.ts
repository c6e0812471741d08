import { Agent, request as httpRequest, type ClientRequest } from 'node:http';
import { setMaxListeners } from 'node:events';
import { TdClient } from '../src/telegram/index.js';
import { API_TOKEN, startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { textContent } from './support/messages.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { loginUser } from './support/users.js';

const LIMIT = 1_000;

describe('calls', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let app: TestApp;
  let api: ApiClient;
  let appId: string;
  let dataDir: string | undefined;

  const start = async (): Promise<void> => {
    app = await startApp({
      env: { ...telegram.env, WORKER_ID: 'w', ...(dataDir !== undefined && { DATA_DIR: dataDir }) },
      database,
    });
    dataDir = app.dataDir;
    api = new ApiClient(app);
  };

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

  describe('in flight', () => {
    let path: string;
    const agent = new Agent({ keepAlive: false, maxSockets: LIMIT + 10 });
    setMaxListeners(0);

    /** A call that Telegram does not answer. */
    const leave = (number: number): ClientRequest => {
      const call = httpRequest(`${app.url}${path}/call`, {
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${API_TOKEN}` },
      });
      call.on('error', () => undefined);
      call.end(JSON.stringify({ method: 'searchPublicChat', params: { username: `nobody_${number}` } }));
      return call;
    };

    beforeAll(async () => {
      const { token } = telegram.control.createBot({ username: 'busy_bot' });
      path = `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: appId }))).id}`;
    });

    it(`are ${LIMIT} at most, and a caller that leaves makes room`, async () => {
      telegram.control.addFault({ method: 'contacts.resolveUsername', hang: true });
      const calls = Array.from({ length: LIMIT }, (_, number) => leave(number));
      const refused = await until(
        'the limit',
        async () => {
          const answer = await api.call(path, 'getOption', { name: 'version' });
          return answer.status === 503 && answer;
        },
        60_000,
      );
      expect(refused.body.error).toMatchObject({
        source: 'gateway',
        code: 'too_many_calls',
        message: expect.stringContaining(String(LIMIT)) as string,
        retry_after: 1,
        details: { limit: LIMIT },
      });
      for (const call of calls) call.destroy();
      await until('room', async () => (await api.call(path, 'getOption', { name: 'version' })).status === 200, 30_000);
    }, 120_000);

    it('end at the time that was asked for', async () => {
      telegram.control.addFault({ method: 'contacts.resolveUsername', hang: true });
      const { status, body } = await api.post(`${path}/call?timeout=1`, {
        method: 'searchPublicChat',
        params: { username: 'nobody_at_all' },
      });
      expect([status, body.error?.['code']]).toEqual([504, 'deadline_exceeded']);
      expect(body.error?.['message']).toContain('1 s');
    });
  });

  describe('to chats known before a restart', () => {
    const CHATS = 200;

    it('of a user are made at once: each chat is loaded at most once, and nothing is searched for', async () => {
      const { path, userId } = await loginUser(api, telegram, appId, '15550500000');
      const chats: number[] = [];
      for (let number = 0; number < CHATS; number += 1) {
        const phone = `1555051${String(number).padStart(4, '0')}`;
        const friend = telegram.control.createAccount({ phone, firstName: `F ${number}` }).userId;
        await telegram.control.sendMessage({ from: friend, chatId: userId, text: 'hello' });
        chats.push(friend);
      }
      await until(
        'the last chat',
        async () => (await api.call(path, 'getChat', { chat_id: chats.at(-1) })).status === 200,
      );

      await app.app.close();
      await start();
      await until('the session', async () => (await api.call(path, 'getMe')).status === 200);
      const searches = telegram.control.journal({ method: 'contacts.*' }).length;
      const requests = jest.spyOn(TdClient.prototype, 'request');
      const answers = await Promise.all(
        chats.map((chat_id) =>
          api.post(`${path}/call?wait=60`, {
            method: 'sendMessage',
            params: { chat_id, input_message_content: textContent('to an old chat') },
          }),
        ),
      );
      const loads = requests.mock.calls
        .map(([query]) => query)
        .filter((query) => query['@type'] === 'createPrivateChat');
      requests.mockRestore();
      expect(answers.map(({ status }) => status)).toEqual(chats.map(() => 200));
      expect(answers.flatMap(({ body }) => body.sends?.map(({ status }) => status))).toEqual(chats.map(() => 'sent'));
      const loaded = loads.map((query) => query['user_id']);
      expect(new Set(loaded).size).toBe(loaded.length);
      expect(telegram.control.journal({ method: 'contacts.*' })).toHaveLength(searches);
      for (const chatId of chats) {
        const messages = await telegram.control.messages({ chatId, account: userId });
        expect(messages.filter(({ text }) => text === 'to an old chat')).toHaveLength(1);
      }
    }, 180_000);

    it('that Telegram does not know either are refused in its own words, after one load', async () => {
      const { path } = await loginUser(api, telegram, appId, '15550600000');
      const requests = jest.spyOn(TdClient.prototype, 'request');
      const refused = await api.call(path, 'sendMessage', {
        chat_id: 7_777_777,
        input_message_content: textContent('x'),
      });
      const loads = requests.mock.calls.filter(([query]) => query['@type'] === 'createPrivateChat');
      requests.mockRestore();
      expect([refused.status, refused.body.error]).toEqual([
        400,
        { source: 'tdlib', code: 400, message: 'Chat not found' },
      ]);
      expect(loads).toHaveLength(1);
    });
  });
});
