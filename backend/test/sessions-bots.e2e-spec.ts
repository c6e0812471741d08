import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startApp, type TestApp } from './support/app.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { onLoadedMachine, until } from './support/until.js';

describe('bot sessions', () => {
  let telegram: TestTelegram;
  let app: TestApp;
  let api: ApiClient;
  let appId: string;
  let bots = 0;

  const newBot = (): { userId: number; token: string; username: string } => {
    bots += 1;
    const username = `probe_${bots}_bot`;
    return { ...telegram.control.createBot({ username }), username };
  };
  const createBot = async (token: string, more: object = {}) =>
    api.must(api.post('/v1/bot', { token, app_id: appId, ...more }));
  const ids = async (): Promise<readonly unknown[]> => (await api.sessions()).map(({ id }) => id);
  const directories = (): string[] => {
    const path = join(app.dataDir, 'sessions');
    return existsSync(path) ? readdirSync(path) : [];
  };

  beforeAll(async () => {
    telegram = await startTelegram();
    app = await startApp({ env: telegram.env });
    api = new ApiClient(app);
    appId = await api.createApp();
  });

  afterAll(async () => {
    await app.stop();
    await telegram.stop();
  });

  it('logs a bot in and lists it with the words of Telegram', async () => {
    const bot = newBot();
    const created = await createBot(bot.token, { label: 'first' });
    expect(created).toMatchObject({ status: 'authorized', me: { '@type': 'user', id: bot.userId } });
    await api.lists(created.id, {
      kind: 'bot',
      status: 'authorized',
      health: 'ok',
      username: bot.username,
      label: 'first',
      app_id: appId,
      frozen: false,
    });
    const { body } = await api.get(`/v1/bot/${created.id}`);
    expect(body.result).toMatchObject({ status: 'authorized', health: 'ok', me: { id: bot.userId } });
    expect(body.result).not.toHaveProperty('is_premium');
  });

  it("answers a bad token with Telegram's refusal and keeps nothing of it", async () => {
    const before = await ids();
    const { status, headers, body } = await api.post('/v1/bot', { token: '123456:wrong', app_id: appId });
    expect(status).toBe(400);
    expect(headers['x-error-source']).toBe('tdlib');
    expect(body.error).toMatchObject({ source: 'tdlib', code: 400, message: 'ACCESS_TOKEN_INVALID' });
    expect(await ids()).toEqual(before);
    expect(directories()).toHaveLength(before.length);
  });

  it('names each missing field', async () => {
    const { status, body } = await api.post('/v1/bot', {});
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'validation_failed',
      details: { issues: [{ path: 'token' }, { path: 'app_id' }] },
    });
  });

  it('does not take the same bot twice unless it is told to', async () => {
    const { token } = newBot();
    const first = await createBot(token);
    const second = await api.post('/v1/bot', { token, app_id: appId });
    expect(second.status).toBe(409);
    expect(second.body.error).toMatchObject({ code: 'bot_exists', session_id: first.id });
    const meant = await createBot(token, { allow_duplicate: true });
    expect(meant.id).not.toBe(first.id);
    await api.must(api.delete(`/v1/bot/${meant.id}`));
  });

  describe('calls', () => {
    let path: string;
    let channel: number;

    beforeAll(async () => {
      const bot = newBot();
      path = `/v1/bot/${(await createBot(bot.token)).id}`;
      channel = telegram.control.createChat({
        type: 'channel',
        title: 'News',
        username: 'probe_news',
        admins: [bot.userId],
      }).chatId;
    });

    it('pass td_api JSON through, without @extra and @client_id', async () => {
      const { status, body } = await api.call(path, 'getOption', { name: 'version' });
      expect(status).toBe(200);
      expect(body).toEqual({ ok: true, result: { '@type': 'optionValueString', value: '1.8.62' } });
    });

    it('reach Telegram', async () => {
      const content = { '@type': 'inputMessageText', text: { '@type': 'formattedText', text: 'hello' } };
      for (const chat_id of ['@probe_news', 't.me/probe_news', 'https://t.me/Probe_News', String(channel), channel]) {
        const { status, body } = await api.call(path, 'sendMessage', { chat_id, input_message_content: content });
        expect([status, body.result?.['@type'], body.result?.['chat_id']]).toEqual([200, 'message', channel]);
      }
      await until('five messages', async () => (await telegram.control.messages({ chatId: channel })).length >= 5);
      expect(telegram.control.journal({ method: 'contacts.resolveUsername' })).toHaveLength(1);
    });

    it("give Telegram's own refusals", async () => {
      const { status, body } = await api.call(path, 'sendMessage', { chat_id: '@nobody_has_this' });
      expect([status, body.error?.['source']]).toEqual([400, 'tdlib']);
      const unknown = await api.call(path, 'noSuchMethod');
      expect(unknown.body.error).toMatchObject({ source: 'tdlib', code: 400 });
    });

    it.each([
      [{}, 400, 'validation_failed'],
      [{ method: '' }, 400, 'validation_failed'],
      [{ method: 'getMe', params: [] }, 400, 'validation_failed'],
      [{ method: 'getChat', params: { chat_id: { '@type': 5 } } }, 400, 'validation_failed'],
      [{ method: 'logOut' }, 403, 'method_reserved'],
      [{ method: 'getProxies' }, 403, 'method_reserved'],
      [{ method: 'x', params: { f: { '@type': 'inputFileLocal', path: '/etc/passwd' } } }, 403, 'path_denied'],
      [{ method: 'x', params: { f: { '@type': 'inputFileGenerated' } } }, 403, 'path_denied'],
    ])('refuse %j with %i %s', async (body, status, code) => {
      const answer = await api.post(`${path}/call`, body);
      expect(answer.status).toBe(status);
      expect(answer.body.error).toMatchObject({ source: 'gateway', code });
    });

    it('need no JSON header, as curl -d sends none', async () => {
      const { body } = (await app
        .http()
        .post(`${path}/call`)
        .set({ authorization: 'Bearer api-token-of-the-tests', 'content-type': 'application/x-www-form-urlencoded' })
        .send('{"method":"getOption","params":{"name":"version"}}')) as { body: { result: { value: string } } };
      expect(body.result.value).toBe('1.8.62');
    });

    it('know neither other kinds nor other ids', async () => {
      const mismatch = await api.call(path.replace('/bot/', '/user/'), 'getMe');
      expect([mismatch.status, mismatch.body.error?.['code']]).toEqual([404, 'kind_mismatch']);
      for (const id of ['nope', '00000000-0000-4000-8000-000000000000']) {
        const unknown = await api.call(`/v1/bot/${id}`, 'getMe');
        expect([unknown.status, unknown.body.error?.['code']]).toEqual([404, 'session_not_found']);
      }
    });

    it('take the id in upper case too', async () => {
      expect((await api.call(`/v1/bot/${path.slice('/v1/bot/'.length).toUpperCase()}`, 'getMe')).status).toBe(200);
    });
  });

  it('execute needs no session', async () => {
    const { body } = await api.post('/v1/execute', { method: 'getTextEntities', params: { text: '@probe' } });
    expect(body.result).toMatchObject({
      '@type': 'textEntities',
      entities: [{ type: { '@type': 'textEntityTypeMention' } }],
    });
    expect((await api.post('/v1/execute', { method: 'getMe' })).body.error).toMatchObject({
      source: 'tdlib',
      code: 400,
    });
    expect((await api.post('/v1/execute', { method: 'addLogMessage' })).status).toBe(403);
  });

  it('execute takes 64 KiB at most, for it runs on the thread that serves', async () => {
    const search = (count: number): Promise<Answer> =>
      api.post('/v1/execute', {
        method: 'searchStringsByPrefix',
        params: { strings: Array<string>(count).fill('a'), query: 'a', limit: 1 },
      });
    expect((await search(16_000)).status).toBe(200);
    const { status, body } = await search(17_000);
    expect([status, body.error?.['code'], body.error?.['details']]).toEqual([
      413,
      'payload_too_large',
      { limit_bytes: 65_536 },
    ]);
  });

  it('are no more than WORKER_CAPACITY, created or started', async () => {
    const small = await startApp({ env: { ...telegram.env, WORKER_CAPACITY: '1' } });
    try {
      const its = new ApiClient(small);
      const app_id = await its.createApp();
      const create = (): Promise<Answer> => its.post('/v1/bot', { token: newBot().token, app_id });
      const first = await its.must(create());
      const refused = await create();
      expect([refused.status, refused.body.error?.['code']]).toEqual([503, 'worker_full']);
      await its.must(its.post(`/v1/bot/${first.id}/stop`));
      const second = await its.must(create());
      const start = (): Promise<Answer> => its.post(`/v1/bot/${first.id}/start`);
      expect((await start()).body.error).toMatchObject({ code: 'worker_full', details: { capacity: 1 } });
      await its.must(its.delete(`/v1/bot/${second.id}`));
      expect(await its.must(start())).toMatchObject({ status: 'authorized' });
    } finally {
      await small.stop();
    }
  });

  it('takes null for no proxy', async () => {
    const proxy = { type: 'socks5', host: '127.0.0.1', port: 1 };
    const { proxy_id } = await api.must(api.post('/v1/proxies', proxy));
    const { id } = await createBot(newBot().token);
    await api.must(api.patch(`/v1/bot/${id}`, { proxy_id }));
    await api.must(api.patch(`/v1/bot/${id}`, { proxy_id: null }));
    expect((await api.get(`/v1/bot/${id}`)).body.result?.['proxy_id']).toBeUndefined();
  });

  it('renames, and clears the name', async () => {
    const { id } = await createBot(newBot().token, { label: 'old' });
    await api.must(api.patch(`/v1/bot/${id}`, { label: 'new' }));
    expect((await api.get(`/v1/bot/${id}`)).body.result).toHaveProperty('label', 'new');
    await api.must(api.patch(`/v1/bot/${id}`, { label: '' }));
    expect((await api.get(`/v1/bot/${id}`)).body.result).not.toHaveProperty('label');
  });

  it('removes a session with its directory; with logout also at Telegram', async () => {
    for (const logout of [false, true]) {
      const bot = newBot();
      const { id } = await createBot(bot.token);
      expect(directories()).toContain(id);
      const removed = await api.must(api.delete(`/v1/bot/${id}${logout ? '?logout=true' : ''}`));
      expect(removed).toMatchObject({ status: 'deleted', logged_out: logout });
      expect(directories()).not.toContain(id);
      expect((await api.get(`/v1/bot/${id}`)).status).toBe(404);
      expect((await api.delete(`/v1/bot/${id}`)).status).toBe(404);
      expect(telegram.control.accounts.account(bot.userId).sessions).toBe(logout ? 0 : 1);
    }
  });

  it('keeps a stopped session stopped, and says so once, until it is started', async () => {
    const { id } = await createBot(newBot().token);
    const stopped = await api.must(api.post(`/v1/bot/${id}/stop`));
    expect(stopped).toMatchObject({ status: 'stopped', health: 'down', health_cause: 'stopped by its operator' });
    await api.lists(id, { status: 'stopped', health: 'down', health_since: stopped['since'] });
    expect(await api.must(api.post(`/v1/bot/${id}/stop`))).toMatchObject({ since: stopped['since'] });
    const refused = await api.call(`/v1/bot/${id}`, 'getMe');
    expect([refused.status, refused.body.error?.['code']]).toEqual([409, 'session_not_ready']);
    const started = await api.must(api.post(`/v1/bot/${id}/start`));
    expect(started).toMatchObject({ status: 'authorized', health: 'ok' });
    expect(await api.must(api.post(`/v1/bot/${id}/start`))).toMatchObject({ since: started['since'] });
    expect((await api.call(`/v1/bot/${id}`, 'getMe')).status).toBe(200);
  });

  it('says within half a minute that the proxy of a login cannot be reached, and keeps nothing of it', async () => {
    const proxy = await api.must(api.post('/v1/proxies', { type: 'socks5', host: '127.0.0.1', port: 1 }));
    const before = await ids();
    const began = Date.now();
    const { status, body } = await api.post('/v1/bot', {
      token: newBot().token,
      app_id: appId,
      proxy_id: proxy['proxy_id'],
    });
    expect([status, body.error?.['code']]).toEqual([504, 'connection_failed']);
    expect(body.error?.['message']).toContain('cannot connect to the proxy socks5 127.0.0.1:1');
    expect(Date.now() - began).toBeLessThan(onLoadedMachine(5_000));
    expect(await ids()).toEqual(before);
  });

  it('changes the proxy of a running session live, and tells when it does not work', async () => {
    const bot = newBot();
    const { id } = await createBot(bot.token);
    const working = await telegram.control.addProxy({ username: 'other', password: 'p' });
    const { hostname, port, username, password } = new URL(working.url);
    const good = await api.must(
      api.post('/v1/proxies', { type: 'socks5', host: hostname, port: Number(port), username, password }),
    );
    await api.must(api.patch(`/v1/bot/${id}`, { proxy_id: good['proxy_id'] }));
    await until('a connection through the other proxy', () =>
      telegram.control.connections().some(({ ownerId, proxy }) => ownerId === bot.userId && proxy === working.id),
    );
    const bad = await api.must(api.post('/v1/proxies', { type: 'socks5', host: '127.0.0.1', port: 1 }));
    await api.must(api.patch(`/v1/bot/${id}`, { proxy_id: bad['proxy_id'] }));
    const down = await until('bad health', async () => {
      const { body } = await api.get(`/v1/bot/${id}`);
      return body.result?.['health'] === 'down' && body.result;
    });
    expect(down).toMatchObject({
      status: 'authorized',
      health_cause: 'cannot connect to the proxy socks5 127.0.0.1:1',
    });
    await api.must(api.patch(`/v1/bot/${id}`, { proxy_id: '' }));
    await until('good health', async () => (await api.get(`/v1/bot/${id}`)).body.result?.['health'] === 'ok');
    const missing = await api.patch(`/v1/bot/${id}`, { proxy_id: '00000000-0000-4000-8000-000000000000' });
    expect([missing.status, missing.body.error?.['code']]).toEqual([404, 'proxy_not_found']);
  });
});
