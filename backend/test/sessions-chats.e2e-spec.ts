import { startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

describe('chats known before a restart', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let app: TestApp;
  let api: ApiClient;

  const text = (words: string): object => ({
    '@type': 'inputMessageText',
    text: { '@type': 'formattedText', text: words },
  });
  const start = async (): Promise<void> => {
    app = await startApp({
      env: { ...telegram.env, WORKER_ID: 'w', ...(dataDir !== undefined && { DATA_DIR: dataDir }) },
      database,
    });
    dataDir = app.dataDir;
    api = new ApiClient(app);
  };
  let dataDir: string | undefined;

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    await start();
  });

  afterAll(async () => {
    await app.stop();
    await database.drop();
    await telegram.stop();
  });

  it('take messages again, each once, and nothing is searched for', async () => {
    const appId = await api.createApp();
    const friend = telegram.control.createAccount({ phone: '15550301', firstName: 'Friend' });
    const bot = telegram.control.createBot({ username: 'restarting_bot' });
    const { id } = await api.must(api.post('/v1/bot', { token: bot.token, app_id: appId }));
    await telegram.control.sendMessage({ from: friend.userId, chatId: bot.userId, text: 'hello' });
    const path = `/v1/bot/${id}`;
    await until(
      'the first message',
      async () => (await api.call(path, 'getChat', { chat_id: friend.userId })).status === 200,
    );

    await app.app.close();
    await start();
    await until('the session', async () => (await api.call(path, 'getMe')).status === 200);
    const searches = telegram.control.journal({ method: 'contacts.resolveUsername' }).length;
    const sent = await Promise.all(
      [1, 2, 3].map((number) =>
        api.call(path, 'sendMessage', { chat_id: friend.userId, input_message_content: text(`answer ${number}`) }),
      ),
    );
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200]);
    const answers = async (): Promise<number> =>
      (await telegram.control.messages({ chatId: friend.userId, account: bot.userId })).filter((message) =>
        message.text.startsWith('answer'),
      ).length;
    await until('the answers', async () => (await answers()) >= 3);
    expect(await answers()).toBe(3);
    expect(telegram.control.journal({ method: 'contacts.resolveUsername' })).toHaveLength(searches);
  });
});
