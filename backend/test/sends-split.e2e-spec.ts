import { startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { textContent } from './support/messages.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

describe('sends through a gateway', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let worker: TestApp;
  let gateway: TestApp;
  let api: ApiClient;
  let appId: string;
  let path: string;
  let channel: number;

  const send = (text: string, query = '', headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    api.post(
      `${path}/call${query}`,
      { method: 'sendMessage', params: { chat_id: channel, input_message_content: textContent(text) } },
      headers,
    );
  const outcome = (messageId: unknown, query = ''): Promise<Answer> =>
    api.get(`${path}/sends?chat_id=${channel}&message_id=${String(messageId)}${query}`);
  const held = async (text: string): Promise<readonly number[]> =>
    (await telegram.control.messages({ chatId: channel }))
      .filter((each) => each.text === text)
      .map(({ messageId }) => messageId);

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    // Both roles and every other test file share this process and so one library: the proxy-only one.
    const { TDLIB_PATH } = telegram.env;
    worker = await startApp({ role: 'worker', env: { ...telegram.env, WORKER_ID: 'w1' }, database });
    gateway = await startApp({ role: 'gateway', env: { TDLIB_PATH, TDLIB_PROXY_ONLY: 'true' }, database });
    api = new ApiClient(gateway);
    appId = await api.createApp();
    const { token, userId } = telegram.control.createBot({ username: 'split_sends_bot' });
    path = `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: appId }))).id}`;
    channel = telegram.control.createChat({ type: 'channel', title: 'Split', admins: [userId] }).chatId;
    await api.must(api.call(path, 'getChat', { chat_id: channel }));
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await gateway.stop();
    await worker.stop();
    await database.drop();
    await telegram.stop();
  });

  it('are waited for in the call, longer than an answer without a wait may take', async () => {
    telegram.control.addFault({ method: 'send', delayMs: 1_500, times: 1 });
    const { body } = await send('there', '?wait=30');
    const [messageId] = await held('there');
    expect(body.sends).toEqual([{ temporary_id: body.result?.id, status: 'sent', message_id: messageId }]);
  });

  it('are waited for by their ids, and listed page by page', async () => {
    telegram.control.addFault({ method: 'send', delayMs: 1_500, times: 1 });
    const { body } = await send('slow there');
    expect((await outcome(body.result?.id)).body.result).toEqual({ status: 'pending' });
    const told = await outcome(body.result?.id, '&wait=30');
    const [messageId] = await held('slow there');
    expect(told.body.result).toEqual({ status: 'sent', chat_id: channel, message_id: messageId });
    const page = await api.get(`${path}/sends?limit=1`);
    expect(page.body.result).toMatchObject([{ message_id: messageId }]);
    const next = await api.get(`${path}/sends?limit=1&cursor=${String(page.body.next_cursor)}`);
    expect(next.body.result).toMatchObject([{ message_id: (await held('there'))[0] }]);
  });

  it('are refused as on one process', async () => {
    for (const [query, status, code] of [
      ['chat_id=1', 400, 'validation_failed'],
      ['chat_id=1&message_id=9', 404, 'send_not_found'],
      ['chat_id=1&message_id=5', 404, 'not_tracked'],
      ['cursor=none', 400, 'validation_failed'],
    ] as const) {
      const { status: got, body } = await api.get(`${path}/sends?${query}`);
      expect([got, body.error?.['code']]).toEqual([status, code]);
    }
    const other = await api.get(`${path.replace('/bot/', '/user/')}/sends`);
    expect([other.status, other.body.error?.['code']]).toEqual([404, 'kind_mismatch']);
    expect((await send('refused there', '?wait=61')).status).toBe(400);
    expect(await held('refused there')).toEqual([]);
  });

  it('are made once for each Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'once there' };
    const first = await send('once', '?wait=30', key);
    const second = await send('once', '?wait=30', key);
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(second.body).toEqual(first.body);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const mismatch = await send('twice', '', key);
    expect([mismatch.status, mismatch.body.error?.['code']]).toEqual([422, 'idempotency_mismatch']);
    expect(await held('once')).toHaveLength(1);
  });

  it("replay Telegram's refusals as they were", async () => {
    const body = { method: 'getMessage', params: { chat_id: channel, message_id: 77 * 2 ** 20 } };
    const key = { 'idempotency-key': 'refused there' };
    const first = await api.post(`${path}/call`, body, key);
    const second = await api.post(`${path}/call`, body, key);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([404, undefined]);
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([404, 'true']);
    expect(second.headers['x-error-source']).toBe('tdlib');
    expect(second.body).toEqual(first.body);
  });

  it('create once for each Idempotency-Key', async () => {
    const { token } = telegram.control.createBot({ username: 'split_once_bot' });
    const key = { 'idempotency-key': 'bot' };
    const first = await api.post('/v1/bot', { token, app_id: appId }, key);
    const second = await api.post('/v1/bot', { token, app_id: appId }, key);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.body).toEqual(first.body);
  });

  it('let a read take longer than a call otherwise may', async () => {
    telegram.control.addFault({ method: 'contacts.resolveUsername', hang: true, times: 1 });
    const began = performance.now();
    const { status, body } = await api.post(`${path}/call?timeout=1`, {
      method: 'searchPublicChat',
      params: { username: 'nobody_there' },
    });
    expect([status, body.error?.['code']]).toEqual([504, 'deadline_exceeded']);
    // A call may take 70 s where nobody says otherwise.
    expect(performance.now() - began).toBeLessThan(60_000);
    const refused = await send('no', '?timeout=71');
    expect(refused.body.error).toMatchObject({ details: { issues: [{ path: 'timeout' }] } });
  });

  it('are told by the database while no worker holds the session', async () => {
    const { body } = await send('kept', '?wait=30');
    await worker.app.close();
    const told = await until('the loss to be known', async () => {
      const answer = await outcome(body.result?.id, '&wait=1');
      return answer.status === 200 && answer;
    });
    expect(told.body.result).toMatchObject({ status: 'sent', message_id: body.sends?.[0]?.['message_id'] });
    // What is not known may be in the journal of the worker that is gone.
    const unknown = await until('the missing worker', async () => {
      const answer = await outcome(17);
      return answer.status === 503 && answer;
    });
    expect(unknown.body.error).toMatchObject({ code: 'no_live_worker', retry_after: 1 });
  });
});
