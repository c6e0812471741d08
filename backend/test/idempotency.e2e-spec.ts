import { execFile } from 'node:child_process';
import { open, readFile, rename } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { UnitOfWork } from '../src/common/db/unit-of-work.js';
import { API_TOKEN, startApp, type TestApp } from './support/app.js';
import { textContent } from './support/messages.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { uploadFile } from './support/uploads.js';

describe('Idempotency-Key', () => {
  let telegram: TestTelegram;
  let app: TestApp;
  let api: ApiClient;
  let appId: string;
  let path: string;
  let channel: number;
  let keys = 0;

  const newKey = (): string => `key ${(keys += 1)}`;
  const call = (key: string, method: string, params: object, query = ''): Promise<Answer> =>
    api.post(`${path}/call${query}`, { method, params }, { 'idempotency-key': key });
  const send = (key: string, text: string, query = ''): Promise<Answer> =>
    call(key, 'sendMessage', { chat_id: channel, input_message_content: textContent(text) }, query);
  const held = async (text: string): Promise<readonly number[]> =>
    (await telegram.control.messages({ chatId: channel }))
      .filter((each) => each.text === text)
      .map((each) => each.messageId);
  const stored = (key: string): Promise<{ state: string; status: number | null }[]> =>
    app.database.query('SELECT state, status FROM idempotency_keys WHERE key = $1', [key]);

  beforeAll(async () => {
    telegram = await startTelegram();
    app = await startApp({ env: telegram.env });
    api = new ApiClient(app);
    appId = await api.createApp();
    const { token, userId } = telegram.control.createBot({ username: 'idempotent_bot' });
    path = `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: appId }))).id}`;
    channel = telegram.control.createChat({ type: 'channel', title: 'Once', admins: [userId] }).chatId;
    await api.must(api.call(path, 'getChat', { chat_id: channel }));
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await app.stop();
    await telegram.stop();
  });

  it('sends once: a repeat gets the stored answer, and Telegram is not asked', async () => {
    const key = newKey();
    const first = await send(key, 'once');
    await until('the message', async () => (await held('once')).length === 1);
    const calls = telegram.control.journal({ method: 'send' }).length;
    const second = await send(key, 'once');
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(telegram.control.journal({ method: 'send' })).toHaveLength(calls);
    expect(await held('once')).toHaveLength(1);
  });

  it('does not mind the order of members in the body', async () => {
    const key = newKey();
    await api.must(send(key, 'ordered'));
    const again = await api.post(
      `${path}/call`,
      { params: { input_message_content: textContent('ordered'), chat_id: channel }, method: 'sendMessage' },
      { 'idempotency-key': key },
    );
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
  });

  it('tells a repeat that waits what became of the messages', async () => {
    const key = newKey();
    telegram.control.addFault({ method: 'send', delayMs: 1_500, times: 1 });
    const first = await send(key, 'told', '?wait=1');
    expect(first.body.sends).toMatchObject([{ status: 'pending' }]);
    const second = await send(key, 'told', '?wait=30');
    expect(second.headers['idempotent-replayed']).toBe('true');
    const [messageId] = await held('told');
    expect(second.body).toEqual({
      ...first.body,
      sends: [{ temporary_id: first.body.result?.id, status: 'sent', message_id: messageId }],
    });
  });

  it('refuses another body', async () => {
    const key = newKey();
    await api.must(send(key, 'this'));
    const { status, body } = await send(key, 'that');
    expect([status, body.error?.['code']]).toEqual([422, 'idempotency_mismatch']);
    expect(await held('that')).toEqual([]);
  });

  it('refuses a repeat while the first one runs', async () => {
    const key = newKey();
    telegram.control.addFault({ method: 'send', delayMs: 1_500, times: 1 });
    const first = send(key, 'running', '?wait=30');
    await until('the key', async () => (await stored(key)).length === 1);
    const { status, headers, body } = await send(key, 'running', '?wait=30');
    expect([status, body.error?.['code']]).toEqual([409, 'idempotency_in_progress']);
    expect(headers['retry-after']).toBe('1');
    expect((await first).body.sends).toMatchObject([{ status: 'sent' }]);
    expect(await held('running')).toHaveLength(1);
  });

  it('belongs to the path: the same key serves other routes by itself', async () => {
    const key = newKey();
    await api.must(send(key, 'first route'));
    const created = await api.post('/v1/apps', { api_id: 5, api_hash: 'b'.repeat(32) }, { 'idempotency-key': key });
    expect([created.status, created.headers['idempotent-replayed']]).toEqual([200, undefined]);
  });

  it('belongs to the token: the same key of others serves them by itself', async () => {
    const key = newKey();
    await api.must(send(key, 'of the master'));
    for (const name of ['a', 'b']) {
      const { token } = await api.must(api.post('/v1/tokens', { name, all_sessions: true }));
      const headers = { authorization: `Bearer ${String(token)}`, 'idempotency-key': key };
      const body = {
        method: 'sendMessage',
        params: { chat_id: channel, input_message_content: textContent(`of ${name}`) },
      };
      const first = await api.post(`${path}/call`, body, headers);
      const second = await api.post(`${path}/call`, body, headers);
      expect([first.status, first.headers['idempotent-replayed']]).toEqual([200, undefined]);
      expect([second.status, second.headers['idempotent-replayed']]).toEqual([200, 'true']);
    }
    const repeat = await send(key, 'of the master');
    expect([repeat.status, repeat.headers['idempotent-replayed']]).toEqual([200, 'true']);
  });

  it.each([
    ['a refused chat', 400, { method: 'sendMessage', params: { chat_id: '@nobody_is_here' } }],
    ['a reserved method', 403, { method: 'logOut' }],
    ['a malformed call', 400, { method: '' }],
  ])('stores nothing for %s', async (_name, status, body) => {
    const key = newKey();
    const answer = await api.post(`${path}/call`, body, { 'idempotency-key': key });
    expect(answer.status).toBe(status);
    expect(await stored(key)).toEqual([]);
  });

  it('stores nothing for a flood: the repeat after the wait is made', async () => {
    const key = newKey();
    const chat = { chat_id: channel };
    telegram.control.addFault({ method: 'channels.*', error: { code: 420, message: 'FLOOD_WAIT_100' }, times: 1 });
    const refused = await call(key, 'getSupergroupMembers', {
      supergroup_id: -1_000_000_000_000 - channel,
      filter: { '@type': 'supergroupMembersFilterAdministrators' },
      limit: 10,
    });
    expect(refused.status).toBe(429);
    expect(await stored(key)).toEqual([]);
    expect((await call(key, 'getChat', chat)).status).toBe(200);
  });

  it('stores other refusals of TDLib', async () => {
    const key = newKey();
    const params = { chat_id: channel, message_id: 77 * 2 ** 20 };
    const first = await call(key, 'getMessage', params);
    expect(first.status).toBe(404);
    const second = await call(key, 'getMessage', params);
    expect([second.status, second.headers['idempotent-replayed'], second.headers['x-error-source']]).toEqual([
      404,
      'true',
      'tdlib',
    ]);
    expect(second.body).toEqual(first.body);
  });

  it('keeps of a large answer no more than its hash and status', async () => {
    const key = newKey();
    const params = { json_value: { '@type': 'jsonValueString', value: 'x'.repeat(1_100_000) } };
    expect((await call(key, 'getJsonString', params)).status).toBe(200);
    const { status, body } = await call(key, 'getJsonString', params);
    expect(status).toBe(409);
    expect(body.error).toMatchObject({
      code: 'idempotency_answer_not_kept',
      details: { status: 200, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    });
    expect(await app.database.query('SELECT answer FROM idempotency_keys WHERE key = $1', [key])).toEqual([
      { answer: null },
    ]);
  });

  it.each([
    ['empty', ''],
    ['too long', 'k'.repeat(256)],
  ])('refuses a key that is %s', async (_name, key) => {
    for (const answer of [await send(key, 'bad key'), await api.post('/v1/apps', {}, { 'idempotency-key': key })]) {
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({ details: { issues: [{ path: 'Idempotency-Key' }] } });
    }
    expect(await held('bad key')).toEqual([]);
  });

  it('takes a key of 255 characters', async () => {
    expect((await send('k'.repeat(255), 'long key')).status).toBe(200);
  });

  it('is forgotten after a day', async () => {
    const key = newKey();
    await api.must(send(key, 'daily', '?wait=30'));
    await app.database.query(`UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = $1`, [
      key,
    ]);
    const again = await send(key, 'daily', '?wait=30');
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(await held('daily')).toHaveLength(2);
  });

  /** A send whose caller can leave before it is answered. */
  const leavable = (key: string, chatId: number, content: object): ClientRequest => {
    const leaving = httpRequest(`${app.url}${path}/call?wait=30`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_TOKEN}`, 'idempotency-key': key },
    });
    leaving.on('error', () => undefined);
    const params = { chat_id: chatId, input_message_content: content };
    leaving.end(JSON.stringify({ method: 'sendMessage', params }));
    return leaving;
  };

  it('is answered for a caller that left before the answer', async () => {
    const key = newKey();
    telegram.control.addFault({ method: 'send', delayMs: 1_500, times: 1 });
    const leaving = leavable(key, channel, textContent('left'));
    await until(
      'the call',
      async () =>
        (
          await app.database.query(
            'SELECT 1 FROM sends s JOIN idempotency_keys k ON k.id = s.key_id WHERE k.key = $1',
            [key],
          )
        ).length === 1,
    );
    leaving.destroy();
    const answer = await until('the answer', async () => {
      const repeat = await send(key, 'left', '?wait=30');
      return repeat.status === 200 && repeat;
    });
    expect(answer.headers['idempotent-replayed']).toBe('true');
    expect(answer.body.sends).toMatchObject([{ status: 'sent' }]);
    expect(await held('left')).toHaveLength(1);
  });

  it('is free again when its caller left before TDLib had anything of it', async () => {
    const key = newKey();
    const file = await uploadFile(app, 'early.txt', 'early');
    const content = { '@type': 'inputMessageDocument', document: { '@type': 'inputFileLocal', path: file } };
    // What is read of the upload comes when the test lets it come.
    const record = join(dirname(file), '.upload.json');
    const kept = await readFile(record);
    await rename(record, `${record}.kept`);
    await promisify(execFile)('mkfifo', [record]);
    const leaving = leavable(key, channel, content);
    const reader = await open(record, 'w');
    leaving.destroy();
    // It is answered after the departure was heard of.
    await fetch(`${app.url}/healthz`);
    await rename(`${record}.kept`, record);
    await reader.writeFile(kept);
    await reader.close();
    const answer = await until('the answer', async () => {
      const repeat = await call(key, 'sendMessage', { chat_id: channel, input_message_content: content }, '?wait=30');
      return repeat.status === 200 && repeat;
    });
    expect(answer.body.sends).toMatchObject([{ status: 'sent' }]);
  });

  it('of a request that died unanswered is never served again, and tells its sends', async () => {
    const key = newKey();
    const { body } = await send(key, 'died', '?wait=30');
    await app.database.query(
      `UPDATE idempotency_keys SET state = 'running', status = NULL, answer = NULL, running_until = now() WHERE key = $1`,
      [key],
    );
    const repeat = await send(key, 'died', '?wait=30');
    expect(repeat.status).toBe(409);
    expect(repeat.body.error).toMatchObject({
      code: 'idempotency_outcome_unknown',
      details: { sends: [{ chat_id: channel, ...body.sends?.[0] }] },
    });
    expect(await held('died')).toHaveLength(1);
  });

  it('creates once', async () => {
    const { token } = telegram.control.createBot({ username: 'created_once_bot' });
    const key = { 'idempotency-key': newKey() };
    const first = await api.post('/v1/bot', { token, app_id: appId }, key);
    const second = await api.post('/v1/bot', { token, app_id: appId }, key);
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(second.body).toEqual(first.body);
    const other = await api.post('/v1/bot', { token, app_id: appId, label: 'x' }, key);
    expect([other.status, other.body.error?.['code']]).toEqual([422, 'idempotency_mismatch']);
  });

  it('leaves nothing behind when nothing was created', async () => {
    const key = newKey();
    const refused = await api.post('/v1/bot', { token: '1:wrong', app_id: appId }, { 'idempotency-key': key });
    expect(refused.status).toBe(400);
    expect(await stored(key)).toEqual([]);
  });

  it('is no work of the database for calls without it', async () => {
    const statements = jest.spyOn(app.app.get(UnitOfWork), 'rows');
    await Promise.all(Array.from({ length: 20 }, () => api.must(api.call(path, 'getMe'))));
    const ours = statements.mock.calls.filter(([sql]) => /idempotency_keys|sends/.test(sql));
    statements.mockRestore();
    expect(ours).toEqual([]);
  });
});
