import { startApp, type TestApp } from './support/app.js';
import { textContent } from './support/messages.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { uploadFile } from './support/uploads.js';

describe('sends', () => {
  let telegram: TestTelegram;
  let app: TestApp;
  let api: ApiClient;
  let appId: string;
  let path: string;
  let channel: number;
  let bot: number;

  const send = (text: string, query = '', chat_id: number | string = channel): Promise<Answer> =>
    api.post(`${path}/call${query}`, {
      method: 'sendMessage',
      params: { chat_id, input_message_content: textContent(text) },
    });
  const outcome = (messageId: unknown, query = ''): Promise<Answer> =>
    api.get(`${path}/sends?chat_id=${channel}&message_id=${String(messageId)}${query}`);
  const decided = (messageId: unknown): Promise<Record<string, unknown>> =>
    until('the outcome', async () => {
      const { body } = await outcome(messageId);
      return body.result?.['status'] !== 'pending' && body.result;
    });
  const held = async (text: string): Promise<readonly number[]> =>
    (await telegram.control.messages({ chatId: channel }))
      .filter((each) => each.text === text)
      .map((each) => each.messageId);

  beforeAll(async () => {
    telegram = await startTelegram();
    app = await startApp({ env: telegram.env });
    api = new ApiClient(app);
    appId = await api.createApp();
    const { token, userId } = telegram.control.createBot({ username: 'sends_bot' });
    bot = userId;
    path = `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: appId }))).id}`;
    channel = telegram.control.createChat({
      type: 'channel',
      title: 'News',
      username: 'sends_news',
      admins: [userId],
    }).chatId;
    await api.must(api.call(path, 'getChat', { chat_id: channel }));
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await app.stop();
    await telegram.stop();
  });

  it('tell the lasting id of a message by its temporary and by its final id', async () => {
    const answer = await send('one');
    expect(answer.body.result).toMatchObject({ sending_state: { '@type': 'messageSendingStatePending' } });
    const temporaryId = answer.body.result?.id;
    const sent = await decided(temporaryId);
    const [messageId] = await held('one');
    expect(sent).toEqual({ status: 'sent', chat_id: channel, message_id: messageId });
    expect((await outcome(messageId)).body.result).toEqual(sent);
  });

  it('are pending, and nothing else, while Telegram has not decided', async () => {
    telegram.control.addFault({ method: 'send', delayMs: 1_500, times: 1 });
    const { body } = await send('slow');
    expect((await outcome(body.result?.id)).body.result).toEqual({ status: 'pending' });
    expect((await outcome(body.result?.id, '&wait=1')).body.result).toEqual({ status: 'pending' });
    expect((await outcome(body.result?.id, '&wait=30')).body.result).toMatchObject({ status: 'sent' });
  });

  it("fail with Telegram's own words", async () => {
    telegram.control.addFault({ method: 'send', error: { code: 400, message: 'PEER_FLOOD' }, times: 1 });
    const { body } = await send('refused');
    expect(await decided(body.result?.id)).toEqual({
      status: 'failed',
      chat_id: channel,
      error: { code: 400, message: 'PEER_FLOOD', source: 'tdlib' },
    });
  });

  it('fail as deleted when they are deleted before they are sent', async () => {
    telegram.control.addFault({ method: 'send', hang: true, times: 1 });
    const { body } = await send('never');
    await api.must(
      api.call(path, 'deleteMessages', { chat_id: channel, message_ids: [body.result?.id], revoke: true }),
    );
    expect(await decided(body.result?.id)).toEqual({
      status: 'failed',
      chat_id: channel,
      error: { code: 'deleted', message: expect.any(String) as string, source: 'gateway' },
    });
  });

  it('are told beside the result when the call waits', async () => {
    const { status, body } = await send('waited for', '?wait=30');
    const [messageId] = await held('waited for');
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ '@type': 'message', sending_state: { '@type': 'messageSendingStatePending' } });
    expect(body.sends).toEqual([{ temporary_id: body.result?.id, status: 'sent', message_id: messageId }]);
  });

  it('stay pending at the deadline of the wait', async () => {
    telegram.control.addFault({ method: 'send', delayMs: 2_500, times: 1 });
    const began = performance.now();
    const { body } = await send('too slow', '?wait=1');
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_000);
    expect(body.sends).toEqual([{ temporary_id: body.result?.id, status: 'pending' }]);
    expect(await decided(body.result?.id)).toMatchObject({ status: 'sent' });
  });

  it('are empty beside the result of a call that sends nothing', async () => {
    const { body } = await api.post(`${path}/call?wait=5`, { method: 'getMe' });
    expect(body).toMatchObject({ ok: true, result: { id: bot }, sends: [] });
  });

  it('follow each message of an album', async () => {
    const names = ['a.txt', 'b.txt', 'c.txt'];
    const paths = await Promise.all(names.map((name) => uploadFile(app, name, name)));
    const contents = names.map((name, index) => ({
      '@type': 'inputMessageDocument',
      document: { '@type': 'inputFileLocal', path: paths[index] },
      caption: { '@type': 'formattedText', text: name },
    }));
    const { status, body } = await api.post(`${path}/call?wait=30`, {
      method: 'sendMessageAlbum',
      params: { chat_id: channel, input_message_contents: contents },
    });
    expect(status).toBe(200);
    const messages = body.result?.['messages'] as { id: number }[];
    const ids = (await Promise.all(['a.txt', 'b.txt', 'c.txt'].map(held))).flat();
    expect(ids).toHaveLength(3);
    expect(body.sends).toEqual(
      messages.map(({ id }, index) => ({ temporary_id: id, status: 'sent', message_id: ids[index] })),
    );
    for (const [index, { id }] of messages.entries()) {
      expect((await outcome(id)).body.result).toMatchObject({ status: 'sent', message_id: ids[index] });
    }
  });

  it('list the newest first, page by page', async () => {
    const texts = ['list 1', 'list 2', 'list 3'];
    for (const text of texts) {
      await api.must(send(text, '?wait=30'));
    }
    const ids = (await Promise.all(texts.map(held))).flat().reverse();
    const first = await api.get(`${path}/sends?limit=2`);
    const items = first.body.result as unknown as Record<string, unknown>[];
    expect(items.map(({ message_id }) => message_id)).toEqual(ids.slice(0, 2));
    expect(items[0]).toEqual({
      chat_id: channel,
      temporary_id: expect.any(Number) as number,
      status: 'sent',
      message_id: ids[0],
      created_at: expect.any(String) as string,
      decided_at: expect.any(String) as string,
    });
    const second = await api.get(`${path}/sends?limit=2&cursor=${String(first.body.next_cursor)}`);
    expect((second.body.result as unknown as Record<string, unknown>[])[0]).toMatchObject({ message_id: ids[2] });
    const all = (await api.get(`${path}/sends`)).body.result as unknown as Record<string, unknown>[];
    const times = all.map(({ created_at }) => Date.parse(String(created_at)));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(all.some(({ status }) => status === 'failed')).toBe(true);
    for (const state of ['failed', 'sent', 'pending', 'unknown']) {
      const { body } = await api.get(`${path}/sends?limit=100&state=${state}`);
      expect(body.result).toEqual(all.filter(({ status }) => status === state));
    }
  });

  it.each([
    ['chat_id=1', ['message_id']],
    ['message_id=1', ['chat_id']],
    ['chat_id=x&message_id=1.5', ['chat_id', 'message_id']],
    ['chat_id=&message_id=', ['chat_id', 'message_id']],
    ['chat_id=1&chat_id=2&message_id=1', ['chat_id']],
    ['chat_id=9007199254740993&message_id=1', ['chat_id']],
    ['chat_id=1&message_id=1&wait=0', ['wait']],
    ['chat_id=1&message_id=1&wait=61', ['wait']],
    ['wait=soon', ['wait']],
    ['limit=0', ['limit']],
    ['cursor=none', ['cursor']],
    ['state=lost', ['state']],
  ])('refuse ?%s and name what is wrong', async (query, fields) => {
    const { status, body } = await api.get(`${path}/sends?${query}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'validation_failed',
      details: { issues: fields.map((name) => ({ path: name })) },
    });
  });

  it.each([
    ['wait=0', 'wait'],
    ['wait=61', 'wait'],
    ['wait=1.5', 'wait'],
    ['wait=', 'wait'],
    ['timeout=71', 'timeout'],
    ['timeout=-1', 'timeout'],
  ])('refuse a call with ?%s', async (query, field) => {
    const { status, body } = await send('refused query', `?${query}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'validation_failed', details: { issues: [{ path: field }] } });
    expect(await held('refused query')).toEqual([]);
  });

  it('know nothing of other messages, chats, sessions and kinds', async () => {
    const unknown = await outcome(12_345 * 8 + 1);
    expect([unknown.status, unknown.body.error?.['code']]).toEqual([404, 'send_not_found']);
    const other = await api.get(`${path.replace('/bot/', '/user/')}/sends`);
    expect([other.status, other.body.error?.['code']]).toEqual([404, 'kind_mismatch']);
    for (const id of ['nope', '00000000-0000-4000-8000-000000000000']) {
      const missing = await api.get(`/v1/bot/${id}/sends`);
      expect([missing.status, missing.body.error?.['code']]).toEqual([404, 'session_not_found']);
    }
  });
});
