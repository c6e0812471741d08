import { startApp, type TestApp } from './support/app.js';
import { Receiver } from './support/receiver.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';

describe('updates', () => {
  let telegram: TestTelegram;
  let app: TestApp;
  let api: ApiClient;
  let receiver: Receiver;
  let path: string;
  let bot: number;
  let friend: number;

  const say = (text: string): Promise<unknown> => telegram.control.sendMessage({ chatId: bot, from: friend, text });
  const subscribe = (body: object): Promise<Record<string, unknown> & { readonly id: string }> =>
    api.must(api.post(`${path}/updates/subscriptions`, body));

  beforeAll(async () => {
    telegram = await startTelegram();
    app = await startApp({ env: { ...telegram.env, WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' } });
    api = new ApiClient(app);
    receiver = await Receiver.start();
    const { token, userId } = telegram.control.createBot({ username: 'updates_bot' });
    bot = userId;
    path = `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: await api.createApp() }))).id}`;
    friend = telegram.control.createAccount({ phone: '15550601', firstName: 'F' }).userId;
  });

  afterAll(async () => {
    await app.stop();
    await receiver.stop();
    await telegram.stop();
  });

  it('arrive at a webhook as TDLib made them', async () => {
    await subscribe({ url: receiver.url, filters: { types: ['updateNewMessage'] } });
    await say('hello');
    const [received] = await receiver.about('hello');
    expect(received?.headers).toMatchObject({ 'x-tgcontrol-attempt': '1' });
  });
});
