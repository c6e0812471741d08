import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Pool } from 'undici';
import { API_TOKEN, startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { textContent } from './support/messages.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { loginUser } from './support/users.js';

const CALLS = 500;
const ROUNDS = 3;
const USERS = 25;
const BOTS = 25;
/** What a call may take; the product itself gives it 70 s. */
const DEADLINE_MS = 60_000;
/** What a heap may have grown by after as many rounds again: caches that have an end, and what the test itself keeps. */
const HEAP_GROWTH_BYTES = 8 * 1024 * 1024;
const RSS_GROWTH_BYTES = 64 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('under load', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let app: TestApp;
  let api: ApiClient;
  let appId: string;
  let pool: Pool;

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    app = await startApp({ env: telegram.env, database });
    api = new ApiClient(app);
    appId = await api.createApp();
    pool = new Pool(app.url, { connections: CALLS });
  });

  afterAll(async () => {
    await pool.destroy();
    await app.stop();
    await database.drop();
    await telegram.stop();
  });

  /** @returns what went wrong */
  async function call(path: string, method: string, params: object): Promise<string | undefined> {
    const began = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: `${path}/call`,
      headers: { authorization: `Bearer ${API_TOKEN}` },
      body: JSON.stringify({ method, params }),
    });
    const text = await body.text();
    if (statusCode !== 200) return `${statusCode} ${text}`;
    return performance.now() - began > DEADLINE_MS ? 'late' : undefined;
  }

  async function memory(): Promise<{ readonly heap: number; readonly rss: number }> {
    for (let times = 0; times < 3; times += 1) {
      collectGarbage();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { heapUsed, rss } = process.memoryUsage();
    return { heap: heapUsed, rss };
  }

  it(`${CALLS} calls in flight on one session are all answered in time, and leave no memory behind`, async () => {
    const { path, userId } = await loginUser(api, telegram, appId, '15550800001');
    const friend = telegram.control.createAccount({ phone: '15550800000', firstName: 'F' }).userId;
    await telegram.control.sendMessage({ from: friend, chatId: userId, text: 'hello' });
    await until('the chat', async () => (await call(path, 'getChat', { chat_id: friend })) === undefined);
    const round = async (): Promise<void> => {
      const answers = await Promise.all(
        Array.from({ length: CALLS }, (_, number) =>
          number % 5 === 0
            ? call(path, 'sendMessage', { chat_id: friend, input_message_content: textContent(`message ${number}`) })
            : // Each goes to Telegram.
              call(path, 'searchChatMessages', { chat_id: friend, query: `hello ${number}`, limit: 1 }),
        ),
      );
      expect(answers.filter((answer) => answer !== undefined)).toEqual([]);
      await until('every send to be decided', async () => {
        const { body } = await api.get(`${path}/sends?limit=100`);
        return (body.result as unknown as { status: string }[]).every(({ status }) => status === 'sent');
      });
    };
    for (let times = 0; times < ROUNDS; times += 1) await round();
    const before = await memory();
    for (let times = 0; times < ROUNDS; times += 1) await round();
    const after = await memory();
    process.stderr.write(`load: heap ${before.heap} -> ${after.heap}, rss ${before.rss} -> ${after.rss}\n`);
    expect(after.heap - before.heap).toBeLessThan(HEAP_GROWTH_BYTES);
    expect(after.rss - before.rss).toBeLessThan(RSS_GROWTH_BYTES);
  }, 180_000);

  it(`${USERS} users and ${BOTS} bots log in at once, and all of them answer`, async () => {
    const { control } = telegram;
    const user = async (number: number): Promise<string> => {
      const { phone } = control.createAccount({ phone: `155581${String(number).padStart(4, '0')}`, firstName: 'U' });
      const { id } = await api.must(api.post('/v1/user', { app_id: appId, phone }));
      await api.must(api.post(`/v1/user/${id}/login/code`, { code: control.newestCode(phone) }));
      return `/v1/user/${id}`;
    };
    const bot = async (number: number): Promise<string> => {
      const { token } = control.createBot({ username: `crowd_${number}_bot` });
      return `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: appId }))).id}`;
    };
    const paths = await Promise.all([
      ...Array.from({ length: USERS }, (_, number) => user(number)),
      ...Array.from({ length: BOTS }, (_, number) => bot(number)),
    ]);
    const answers = await Promise.all(paths.map((path) => call(path, 'getMe', {})));
    expect(answers.filter((answer) => answer !== undefined)).toEqual([]);
    await until('the list', async () => {
      const sessions = await api.sessions();
      expect(sessions.filter(({ status, health }) => status !== 'authorized' || health !== 'ok')).toEqual([]);
      expect(sessions).toHaveLength(USERS + BOTS + 1);
      return true;
    });
  }, 180_000);
});
