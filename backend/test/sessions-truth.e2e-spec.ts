import { startApp, type TestApp } from './support/app.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { loginUser } from './support/users.js';

describe('what a session tells about its account', () => {
  let telegram: TestTelegram;
  let app: TestApp;
  let api: ApiClient;
  let appId: string;
  let accounts = 0;
  let bots = 0;

  const newUser = (): ReturnType<typeof loginUser> =>
    loginUser(api, telegram, appId, `1555040${String((accounts += 1)).padStart(4, '0')}`);
  const newBot = async (): Promise<{ path: string; id: string; userId: number }> => {
    const { token, userId } = telegram.control.createBot({ username: `truth_${(bots += 1)}_bot` });
    const { id } = await api.must(api.post('/v1/bot', { token, app_id: appId }));
    return { path: `/v1/bot/${id}`, id, userId };
  };
  const send = (path: string, chatId: number): ReturnType<ApiClient['call']> =>
    api.call(path, 'sendMessage', {
      chat_id: chatId,
      input_message_content: { '@type': 'inputMessageText', text: { '@type': 'formattedText', text: 'x' } },
    });

  beforeAll(async () => {
    telegram = await startTelegram();
    app = await startApp({ env: telegram.env });
    api = new ApiClient(app);
    appId = await api.createApp();
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await app.stop();
    await telegram.stop();
  });

  it.each([
    ['user', 'SESSION_REVOKED', 'logged_out', 'the session was ended from another device'],
    ['user', 'AUTH_KEY_UNREGISTERED', 'logged_out', 'Telegram has ended the authorization'],
    ['user', 'USER_DEACTIVATED', 'logged_out', 'the account was deleted'],
    ['user', 'USER_DEACTIVATED_BAN', 'banned', 'Telegram has banned the account'],
    ['bot', 'USER_DEACTIVATED', 'logged_out', 'the account was deleted'],
    ['bot', 'USER_DEACTIVATED_BAN', 'banned', 'Telegram has banned the account'],
  ] as const)(
    'of a %s that Telegram ends with %s is %s with its cause, at once; a call in flight is told',
    async (kind, reason, status, words) => {
      const { path, id, userId } = await (kind === 'user' ? newUser() : newBot());
      const before = Date.now();
      telegram.control.addFault({ method: 'contacts.resolveUsername', account: userId, hang: true });
      const inFlight = api.call(path, 'searchPublicChat', { username: 'nobody_here' }).then((answer) => answer);
      await until('the call to arrive', () => telegram.control.faults()[0]?.hits === 1);
      telegram.control.accounts.terminateSessions(userId, reason);
      const told = await inFlight;
      expect([told.status, told.body.error?.['code'], told.body.error?.['details']]).toEqual([
        409,
        'session_not_ready',
        { status },
      ]);
      expect(told.body.error?.['message']).toContain(words);
      expect(told.body.error?.['message']).toContain(reason);
      const seen = await api.becomes(path, status);
      expect(seen['last_error']).toContain(words);
      expect(Date.parse(String(seen['since']))).toBeGreaterThanOrEqual(before);
      await api.lists(id, { status, last_error: seen['last_error'] });
      const refused = await api.call(path, 'getMe');
      expect([refused.status, refused.body.error?.['code']]).toEqual([409, 'session_not_ready']);
    },
  );

  it('is logged out when another copy uses its key, and names that', async () => {
    const { path, userId } = await newUser();
    const error = { code: 406, message: 'AUTH_KEY_DUPLICATED' };
    telegram.control.addFault({ method: 'contacts.resolveUsername', account: userId, error });
    const told = await api.call(path, 'searchPublicChat', { username: 'nobody_here' });
    expect(told.body.error).toMatchObject({ source: 'tdlib', code: 406, message: 'AUTH_KEY_DUPLICATED' });
    expect((await api.becomes(path, 'logged_out'))['last_error']).toContain(
      'another copy of this session uses its key',
    );
  });

  it('is logged out when another copy uses its key, also while nobody calls', async () => {
    const { path, userId } = await newUser();
    const { userId: from } = telegram.control.createAccount({ phone: '15550409999', firstName: 'O' });
    telegram.control.addFault({ account: userId, error: { code: 406, message: 'AUTH_KEY_DUPLICATED' } });
    // What Telegram pushes makes TDLib ask for more.
    await telegram.control.sendMessage({ from, chatId: userId, text: 'x' });
    expect((await api.becomes(path, 'logged_out'))['last_error']).toContain(
      'another copy of this session uses its key',
    );
  });

  it('tells a freeze with its dates and where to appeal, and that it is over', async () => {
    const { path, id, userId } = await newUser();
    const until7d = Math.floor(Date.now() / 1_000) + 7 * 86_400;
    telegram.control.accounts.freeze(userId, until7d);
    const frozen = await until('the freeze', async () => {
      const seen = await api.state(path);
      return seen['frozen'] === true && seen;
    });
    expect(frozen).toMatchObject({
      status: 'authorized',
      frozen_since: expect.any(String) as string,
      deletion_date: new Date(until7d * 1_000).toISOString(),
      appeal_link: 'https://t.me/spambot',
    });
    await api.lists(id, { frozen: true, deletion_date: frozen['deletion_date'] });
    telegram.control.accounts.unfreeze(userId);
    const thawed = await until('the thaw', async () => {
      const seen = await api.state(path);
      return seen['frozen'] === false && seen;
    });
    for (const gone of ['frozen_since', 'deletion_date', 'appeal_link']) {
      expect(thawed).not.toHaveProperty(gone);
    }
  });

  it('tells a spam limit that a call met, for a day, in lists too and over a stop and a start', async () => {
    const { path, id } = await newUser();
    expect(await api.state(path)).toMatchObject({ spam_limited: false });
    telegram.control.addFault({
      method: 'contacts.resolveUsername',
      error: { code: 400, message: 'PEER_FLOOD' },
      times: 1,
    });
    const refused = await api.call(path, 'searchPublicChat', { username: 'some_stranger' });
    expect(refused.body.error).toMatchObject({ source: 'tdlib', message: 'PEER_FLOOD' });
    const limited = await api.state(path);
    expect(limited).toMatchObject({ status: 'authorized', spam_limited: true });
    const end = Date.parse(String(limited['spam_limited_until'])) - Date.now();
    expect([end > 23 * 3_600_000, end <= 24 * 3_600_000]).toEqual([true, true]);
    await api.lists(id, { spam_limited: true });
    await api.must(api.post(`${path}/stop`));
    expect(await api.state(path)).toMatchObject({ spam_limited_until: limited['spam_limited_until'] });
    await api.must(api.post(`${path}/start`));
    expect(await api.state(path)).toMatchObject({
      spam_limited: true,
      spam_limited_until: limited['spam_limited_until'],
    });
  });

  it('tells a spam limit that a send met after its answer', async () => {
    const { path } = await newUser();
    const me = (await api.state(path))['me'] as { id: number };
    telegram.control.addFault({
      method: 'messages.sendMessage',
      error: { code: 400, message: 'PEER_FLOOD' },
      times: 1,
    });
    await api.must(send(path, me.id));
    await until('the limit', async () => (await api.state(path))['spam_limited'] === true);
  });

  it('has no error after its operator has stopped it', async () => {
    const { path, id } = await newBot();
    const stopped = await api.must(api.post(`${path}/stop`));
    expect(stopped).toMatchObject({ status: 'stopped' });
    for (const seen of [stopped, await api.state(path), await api.lists(id, { status: 'stopped' })]) {
      expect(seen).not.toHaveProperty('last_error');
    }
  });

  it('is down with the cause when its proxy dies; calls in flight and new ones are told, and all is well afterwards', async () => {
    const { path, id, userId } = await newUser();
    const dead = await telegram.control.addProxy({ username: 'dies', password: 'p' });
    const { hostname, port, username, password } = new URL(dead.url);
    const proxy = await api.must(
      api.post('/v1/proxies', { type: 'socks5', host: hostname, port: Number(port), username, password }),
    );
    await api.must(api.patch(path, { proxy_id: proxy['proxy_id'] }));
    await until('a connection through the proxy', () =>
      telegram.control.connections().some((each) => each.ownerId === userId && each.proxy === dead.id),
    );
    const wellSince = (await api.state(path))['health_since'];
    telegram.control.addFault({ method: 'contacts.resolveUsername', account: userId, hang: true });
    const inFlight = api.call(path, 'searchPublicChat', { username: 'nobody_here' }).then((answer) => answer);
    await until('the call to arrive', () => telegram.control.faults()[0]?.hits === 1);
    telegram.control.changeProxy(dead.id, { behaviour: 'refuse' });
    telegram.control.dropConnections(userId);
    const down = await until('bad health', async () => {
      const seen = await api.state(path);
      return seen['health'] === 'down' && seen;
    });
    const cause = `the proxy socks5 ${hostname}:${port}`;
    expect(down).toMatchObject({ status: 'authorized', health_cause: expect.stringContaining(cause) as string });
    expect(String(down['health_since']) > String(wellSince)).toBe(true);
    const began = Date.now();
    const told = await Promise.all([inFlight, api.call(path, 'searchPublicChat', { username: 'nobody_either' })]);
    // A call may take 70 s where nothing is known to be wrong.
    expect(Date.now() - began).toBeLessThan(60_000);
    for (const { status, body } of told) {
      expect([status, body.error?.['code']]).toEqual([504, 'deadline_exceeded']);
      expect(body.error?.['message']).toContain(cause);
    }
    // What TDLib knows needs no connection.
    expect((await api.call(path, 'getMe')).status).toBe(200);
    telegram.control.removeFault();
    telegram.control.changeProxy(dead.id, { behaviour: 'ok' });
    const well = await until('good health', async () => {
      const seen = await api.state(path);
      return seen['health'] === 'ok' && seen;
    });
    expect(well['health_since']).not.toBe(down['health_since']);
    await api.lists(id, { health: 'ok', health_since: well['health_since'] });
  });
});
