import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { LimitsRepository } from '../src/modules/limits/index.js';
import { master, startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { textContent } from './support/messages.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { loginUser } from './support/users.js';

/** How many calls the quota is tried with, and how many of them pass. */
const QUOTA_CALLS = Number(process.env['QUOTA_CALLS'] ?? 1_000);
const QUOTA_MAX = QUOTA_CALLS / 10;
const QUOTA_AT_ONCE = 500;

const HOUR = 3_600;

describe('limits', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let dataDir: string;
  let worker: TestApp;
  let gateways: readonly TestApp[];
  let api: ApiClient;
  let appId: string;
  let users = 0;

  const startWorker = (id: string): Promise<TestApp> =>
    startApp({
      role: 'worker',
      env: { ...telegram.env, DATA_DIR: dataDir, WORKER_ID: id, PACE_PER_SECOND: '20', PACE_MAX_WAIT: '1s' },
      database,
    });

  const newUser = async (): Promise<{ path: string; id: string; userId: number }> => {
    users += 1;
    return loginUser(api, telegram, appId, `1555777${String(users).padStart(4, '0')}`);
  };
  const newBot = async (name: string): Promise<{ path: string; id: string }> => {
    const { token } = telegram.control.createBot({ username: name });
    const { id } = await api.must(api.post('/v1/bot', { token, app_id: appId }));
    return { path: `/v1/bot/${id}`, id };
  };
  const send = (path: string, chat_id: number | string, text: string): Promise<Answer> =>
    api.post(`${path}/call?wait=30`, {
      method: 'sendMessage',
      params: { chat_id, input_message_content: textContent(text) },
    });
  const limitsOf = async (path: string): Promise<Record<string, unknown>> => api.must(api.get(`${path}/limits`));
  const scopesOf = async (path: string): Promise<readonly unknown[]> =>
    ((await limitsOf(path))['cooldowns'] as { scope: string }[]).map(({ scope }) => scope);
  /** How often Telegram was asked, as far as a fault saw it that does nothing but count. */
  const counting = (method: string): (() => number) => {
    const { id } = telegram.control.addFault({ method, delayMs: 0 });
    return () => telegram.control.faults().find((fault) => fault.id === id)?.hits ?? 0;
  };
  const flood = (method: string, seconds: number): void => {
    telegram.control.addFault({ method, error: { code: 420, message: `FLOOD_WAIT_${seconds}` }, times: 1 });
  };
  const createLimit = (body: object): Promise<Record<string, unknown> & { readonly id: string }> =>
    api.must(api.post('/v1/limits', body));
  /** How much of a rule a session has used. */
  const used = async (path: string, limit: string): Promise<unknown> => {
    const rules = (await limitsOf(path))['rules'] as { id: string; usage: { used: number } }[];
    return rules.find(({ id }) => id === limit)?.usage.used;
  };

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tgcontrol-limits-'));
    worker = await startWorker('w1');
    const { TDLIB_PATH } = telegram.env;
    const env = { TDLIB_PATH, TDLIB_PROXY_ONLY: 'true' };
    gateways = await Promise.all([1, 2].map(() => startApp({ role: 'gateway', env, database })));
    const [first] = gateways;
    if (first === undefined) throw new Error('no gateway');
    api = new ApiClient(first);
    appId = await api.createApp();
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await worker.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
    await telegram.stop();
  });

  it('close what Telegram has flooded, and only that, for as long as it said, at the next worker too', async () => {
    const { path, userId } = await newUser();
    const search = (): Promise<Answer> => api.call(path, 'searchPublicChat', { username: 'nobody_at_all' });
    flood('contacts.resolveUsername', HOUR);
    const told = await search();
    expect([told.status, told.body.error?.['source']]).toEqual([429, 'tdlib']);
    telegram.control.removeFault();
    const asked = counting('contacts.*');

    const held = await search();
    expect([held.status, held.headers['x-error-source']]).toEqual([429, 'gateway']);
    const error = held.body.error as { message: string; retry_after: number; details: Record<string, unknown> };
    expect(error).toMatchObject({ code: 'rate_limited', source: 'gateway' });
    expect(error.message).toBe(`@resolve is cooling down: ${String(told.body.error?.['message'])}`);
    expect(error.details).toMatchObject({
      source: 'cooldown',
      scope: '@resolve',
      error: told.body.error?.['message'],
      retry_after: error.retry_after,
    });
    expect(held.headers['retry-after']).toBe(String(error.retry_after));
    expect(error.retry_after).toBeGreaterThan(HOUR - 120);
    expect(error.retry_after).toBeLessThanOrEqual(HOUR);
    // The others of the group, and what a call asks for beside itself.
    expect((await api.call(path, 'searchPublicChats', { query: 'x' })).status).toBe(429);
    expect((await send(path, '@nobody_at_all', 'to a name')).body.error?.['details']).toMatchObject({
      scope: '@resolve',
    });
    expect((await send(path, userId, 'to myself')).status).toBe(200);

    const other = await startWorker('w2');
    await worker.stop();
    worker = other;
    const moved = await until('the next worker', async () => {
      const answer = await search();
      return answer.status === 429 && answer;
    });
    const left = moved.body.error?.['retry_after'] as number;
    expect(left).toBeLessThanOrEqual(error.retry_after);
    expect(left).toBeGreaterThan(HOUR - 300);
    expect(moved.body.error?.['details']).toMatchObject({ until: error.details['until'] });
    expect((await send(path, userId, 'to myself again')).status).toBe(200);
    expect(asked()).toBe(0);

    expect((await limitsOf(path))['cooldowns']).toEqual([
      {
        scope: '@resolve',
        started_at: expect.any(String) as string,
        until: error.details['until'],
        retry_after: expect.any(Number) as number,
        reason: told.body.error?.['message'],
      },
    ]);
    const lifted = await api.delete(`${path}/limits/cooldowns/${encodeURIComponent('@resolve')}?reason=a%20test`);
    expect([lifted.status, lifted.body.result]).toEqual([200, { status: 'lifted' }]);
    expect(await limitsOf(path)).toMatchObject({
      cooldowns: [],
      lifts: [{ scope: '@resolve', at: expect.any(String) as string, reason: 'a test' }],
    });
    const again = await api.delete(`${path}/limits/cooldowns/@resolve`);
    expect([again.status, again.body.error?.['code']]).toEqual([404, 'cooldown_not_found']);
    expect((await search()).body.error).toMatchObject({ source: 'tdlib' });
    expect(asked()).toBe(1);
  });

  it('close what a flood was told of after the call was answered, and note every flood', async () => {
    const { path, userId } = await newUser();
    flood('send', 86_400);
    expect((await send(path, userId, 'flooded')).body.sends).toMatchObject([
      { status: 'failed', error: { code: 429 } },
    ]);
    await until('the cooldown', async () => (await scopesOf(path)).includes('@send'));
    const refused = await send(path, userId, 'held back');
    expect(refused.body.error?.['details']).toMatchObject({ source: 'cooldown', scope: '@send' });
    expect((await api.call(path, 'getMe')).status).toBe(200);

    flood('messages.search', 7_200);
    await api.call(path, 'searchChatMessages', { chat_id: userId, query: 'x', limit: 1 });
    const floods = await until('the ledger', async () => {
      const { body } = await api.get(`${path}/limits/floods`);
      const found = body.result as unknown as Record<string, unknown>[];
      return found.length === 2 && found;
    });
    expect(floods).toMatchObject([
      { origin: 'call', method: 'searchChatMessages', scope: '@history', chat_id: userId, retry_after: 7_200 },
      { origin: 'send', scope: '@send', chat_id: userId, code: 429, retry_after: 86_400 },
    ]);
    const page = await api.get(`${path}/limits/floods?limit=1`);
    const next = await api.get(`${path}/limits/floods?limit=1&cursor=${String(page.body.next_cursor)}`);
    expect([page.body.result, next.body.result]).toEqual([[floods[0]], [floods[1]]]);
    expect(next.body.next_cursor).toBeUndefined();
    const ofSends = await api.get(`${path}/limits/floods?scope=@send&chat_id=${userId}`);
    expect(ofSends.body.result).toEqual([floods[1]]);
    const counts = await api.get(`${path}/limits/floods/counts?by=hour`);
    const total = (counts.body.result as unknown as { count: number }[]).reduce((sum, { count }) => sum + count, 0);
    expect(total).toBe(2);
    expect((await api.get(`${path}/limits/floods?from=yesterday`)).status).toBe(400);
    expect((await api.get(`${path}/limits/floods/counts?by=year`)).status).toBe(400);
  });

  it('close a chat alone for its slow mode', async () => {
    const { path, userId } = await newUser();
    const owner = telegram.control.createAccount({ phone: '15557780009', firstName: 'O', username: 'slow_owner' });
    const { chatId } = telegram.control.createChat({
      type: 'supergroup',
      title: 'slow',
      admins: [owner.userId],
      members: [userId],
    });
    telegram.control.setSlowMode(chatId, 3_600);
    await until('the chat is known', async () => (await api.call(path, 'getChat', { chat_id: chatId })).status === 200);
    expect((await send(path, chatId, 'first')).body.sends).toMatchObject([{ status: 'sent' }]);
    expect((await send(path, chatId, 'too soon')).body.sends).toMatchObject([{ status: 'failed' }]);
    await until('the cooldown', async () => (await scopesOf(path)).includes(`@send:${chatId}`));
    expect((await send(path, chatId, 'held back')).body.error?.['details']).toMatchObject({ scope: `@send:${chatId}` });
    expect((await send(path, userId, 'elsewhere')).status).toBe(200);
  });

  it('tell subscribers when something is closed', async () => {
    const { path } = await newUser();
    const stream = await api.must(
      api.post(`${path}/updates/subscriptions`, { kind: 'stream', filters: { types: ['tgcontrol.limit'] } }),
    );
    // The worker hears of a subscription a moment later: floods go on until one was told.
    const [event] = await until('the event', async () => {
      flood('contacts.resolveUsername', HOUR);
      await api.call(path, 'searchPublicChat', { username: 'nobody_told' });
      const { body } = await api.get(`${path}/updates/subscriptions/${stream.id}/events`);
      const events = body.result as unknown as { update: Record<string, unknown> }[];
      if (events.length > 0) return events;
      await api.delete(`${path}/limits/cooldowns/@resolve`);
      return undefined;
    });
    expect(event?.update).toEqual({
      '@type': 'tgcontrol.limit',
      session_id: path.split('/').at(-1),
      kind: 'user',
      scope: '@resolve',
      started_at: expect.any(String) as string,
      until: expect.any(String) as string,
      reason: `Too Many Requests: retry after ${HOUR}`,
    });
  });

  it('close nothing for bots, but note what they ran into', async () => {
    const { path } = await newBot('flooded_bot');
    flood('contacts.resolveUsername', HOUR);
    expect((await api.call(path, 'searchPublicChat', { username: 'nobody_there' })).status).toBe(429);
    const next = await api.call(path, 'searchPublicChat', { username: 'nobody_there' });
    expect(next.body.error).toMatchObject({ source: 'tdlib' });
    expect(await limitsOf(path)).toMatchObject({ cooldowns: [], spam_limited: false, rules: [] });
    await until('the ledger', async () => {
      const { body } = await api.get(`${path}/limits/floods`);
      return (body.result as unknown as unknown[]).length === 1;
    });
  });

  it('keep an account with PEER_FLOOD from strangers, and from nobody else', async () => {
    const { path, id, userId } = await newUser();
    const friend = telegram.control.createAccount({ phone: '15557780001', firstName: 'F', username: 'a_friend_of_it' });
    const stranger = telegram.control.createAccount({ phone: '15557780002', firstName: 'S', username: 'a_stranger' });
    for (const username of ['a_friend_of_it', 'a_stranger']) {
      await api.must(api.call(path, 'searchPublicChat', { username }));
    }
    telegram.control.accounts.makeContacts(userId, friend.userId);
    await until('the contact', async () => {
      const { body } = await api.call(path, 'getUser', { user_id: friend.userId });
      return body.result?.['is_mutual_contact'] === true;
    });
    const { chatId } = telegram.control.createChat({ type: 'supergroup', title: 'G', admins: [userId] });
    await api.must(api.call(path, 'getChat', { chat_id: chatId }));
    telegram.control.addFault({ method: 'send', error: { code: 400, message: 'PEER_FLOOD' }, times: 1 });
    expect((await send(path, stranger.userId, 'unwanted')).body.sends).toMatchObject([{ status: 'failed' }]);
    await until('the limit', async () => (await scopesOf(path)).includes('spam_limit'));
    expect(await limitsOf(path)).toMatchObject({ spam_limited: true });
    expect(await api.state(path)).toMatchObject({ spam_limited: true });

    const isHeld = async (answer: Promise<Answer>): Promise<boolean> => {
      const { status, body } = await answer;
      return status === 429 && (body.error?.['details'] as { scope?: string }).scope === 'spam_limit';
    };
    expect(await isHeld(send(path, stranger.userId, 'again'))).toBe(true);
    expect(await isHeld(send(path, '@a_stranger', 'by name'))).toBe(true);
    expect(await isHeld(api.call(path, 'addChatMember', { chat_id: chatId, user_id: friend.userId }))).toBe(true);
    expect(await isHeld(api.call(path, 'importContacts', { contacts: [] }))).toBe(true);
    expect(await isHeld(api.call(path, 'addContact', { user_id: stranger.userId, contact: null }))).toBe(true);
    expect((await send(path, userId, 'a note')).status).toBe(200);
    expect((await send(path, friend.userId, 'hello')).status).toBe(200);
    expect((await send(path, chatId, 'to the group')).status).toBe(200);

    await api.must(api.post(`${path}/stop`));
    expect(await limitsOf(path)).toMatchObject({ spam_limited: true, cooldowns: [{ scope: 'spam_limit' }] });
    expect((await api.delete(`${path}/limits/cooldowns/spam_limit`)).status).toBe(200);
    await until('the list', async () => {
      const listed = (await api.sessions()).find((each) => each['id'] === id);
      return listed?.['spam_limited'] === false;
    });
    await api.must(api.post(`${path}/start`));
    expect((await send(path, stranger.userId, 'allowed')).status).toBe(200);
  });

  it('let the writes of an account pass one after the other, and refuse at once whose turn would come too late', async () => {
    const { path, userId } = await newUser();
    const texts = Array.from({ length: 120 }, (_, number) => `paced ${number}`);
    const answers: Answer[] = await Promise.all(texts.map((text) => send(path, userId, text)));
    const refused = answers.filter(({ status }) => status === 429);
    const passed = texts.filter((_, index) => answers[index]?.status === 200);
    // Twenty a second, and a second to wait: one goes at once, twenty later, and a slow machine may let in some more.
    expect(passed.length).toBeGreaterThanOrEqual(21);
    expect(refused.length).toBeGreaterThan(0);
    for (const { body } of refused) {
      expect(body.error).toMatchObject({
        code: 'rate_limited',
        retry_after: 1,
        details: { source: 'pace', scope: '@send' },
      });
    }
    const held = (await telegram.control.messages({ chatId: userId, account: userId })).map(({ text }) => text);
    expect([...held].sort()).toEqual([...passed].sort());
    expect(await limitsOf(path)).toMatchObject({ pace: { per_second: 20, max_wait: 1, length: 0 } });
  });

  it('are rules that can be made, read, changed and removed', async () => {
    const { id: session_id } = await newBot('ruled_bot');
    const made = await createLimit({
      level: 'session',
      session_id,
      methods: ['sendMessage', '@join', 'sendMessage'],
      max: 1_000_000_000_000,
      per: 'week',
      timezone: 'America/New_York',
      label: 'a lot',
    });
    expect(made).toEqual({
      id: made.id,
      level: 'session',
      session_id,
      methods: ['@join', 'sendMessage'],
      max: 1_000_000_000_000,
      per: 'week',
      timezone: 'America/New_York',
      label: 'a lot',
      enabled: true,
      usage: { used: 0, window_end: expect.stringMatching(/T0[45]:00:00.000Z$/) as string },
      created_at: expect.any(String) as string,
    });
    const read = await api.must(api.get(`/v1/limits/${made.id}`));
    expect(read).toEqual(made);
    const changed = await api.must(
      api.patch(`/v1/limits/${made.id}`, { max: 5, per: 'hour', label: null, enabled: false, methods: ['*', 'getMe'] }),
    );
    expect(changed).toMatchObject({ max: 5, per: 'hour', enabled: false, methods: ['*'] });
    expect(changed).not.toHaveProperty('label');
    expect(changed).not.toHaveProperty('timezone');
    const first = await api.get('/v1/limits?limit=1');
    expect(first.body.result).toHaveLength(1);
    expect((await api.delete(`/v1/limits/${made.id}`)).body.result).toEqual({ status: 'deleted' });
    expect((await api.get(`/v1/limits/${made.id}`)).body.error?.['code']).toBe('limit_not_found');
    expect((await api.delete(`/v1/limits/${made.id}`)).status).toBe(404);
    expect((await api.patch('/v1/limits/none', {})).status).toBe(404);
  });

  it('refuse rules that make no sense, and name what is wrong with them', async () => {
    const { id: session_id } = await newBot('unruled_bot');
    const rule = { level: 'session', session_id, methods: ['*'], max: 1, per: 'day' };
    const nobody = '00000000-0000-4000-8000-000000000000';
    for (const [body, status, fields] of [
      [{ ...rule, max: 0 }, 400, ['max']],
      [{ ...rule, max: 1_000_000_000_001 }, 400, ['max']],
      [{ ...rule, max: 1.5 }, 400, ['max']],
      [{ ...rule, methods: [] }, 400, ['methods']],
      [{ ...rule, methods: ['getMe', 'getNobody', '@nothing'] }, 400, ['methods[1]', 'methods[2]']],
      [{ ...rule, per: 'year' }, 400, ['per']],
      [{ ...rule, timezone: 'Mars/Olympus' }, 400, ['timezone']],
      [{ ...rule, per: 'hour', timezone: 'Europe/Moscow' }, 400, ['timezone']],
      [{ ...rule, level: 'galaxy' }, 400, ['level']],
      [{ ...rule, kind: 'bot' }, 400, ['kind', 'session_id']],
      [{ ...rule, session_id: undefined }, 400, ['kind', 'session_id']],
      [{ ...rule, token_id: nobody }, 400, ['token_id']],
      [{ ...rule, level: 'token' }, 400, ['session_id']],
      [{}, 400, ['level', 'methods', 'max', 'per']],
      [{ ...rule, session_id: nobody }, 404, []],
      [{ ...rule, session_id: undefined, level: 'token', token_id: nobody }, 404, []],
    ] as const) {
      const answer = await api.post('/v1/limits', body);
      const { issues = [] } = (answer.body.error?.['details'] ?? {}) as { issues?: { path: string }[] };
      const seen = [answer.status, issues.map(({ path }) => path).sort()];
      expect({ body, seen }).toEqual({ body, seen: [status, [...fields].sort()] });
    }
    const made = await createLimit({ ...rule, methods: ['getMe', '@send'] });
    const twice = await api.post('/v1/limits', { ...rule, max: 9, methods: ['@send', 'getMe', 'getMe'] });
    expect([twice.status, twice.body.error?.['code']]).toEqual([409, 'limit_exists']);
    expect(twice.body.error?.['details']).toEqual({ id: made.id });
    const other = await createLimit({ ...rule, methods: ['getMe', '@send'], per: 'hour' });
    expect((await api.patch(`/v1/limits/${other.id}`, { per: 'day' })).status).toBe(409);
    for (const field of ['level', 'kind', 'session_id', 'token_id']) {
      const answer = await api.patch(`/v1/limits/${other.id}`, { [field]: session_id });
      expect([field, answer.status]).toEqual([field, 400]);
    }
    await Promise.all([made, other].map(({ id }) => api.must(api.delete(`/v1/limits/${id}`))));
  });

  it('replace each other: the token before the session before its kind, and count each session by itself', async () => {
    const { path, id: session_id } = await newBot('counted_bot');
    const { path: twin } = await newBot('counted_twin_bot');
    const made = await api.must(api.post('/v1/tokens', { name: 'counted', all_sessions: true }));
    const rule = { methods: ['getMe'], per: 'week' };
    const ofKind = await createLimit({ ...rule, level: 'session', kind: 'bot', max: 2 });
    const ofSession = await createLimit({ ...rule, level: 'session', session_id, max: 3 });
    const ofToken = await createLimit({ ...rule, level: 'token', token_id: made.id, max: 1, label: 'its own' });
    const rules = [ofKind, ofSession, ofToken];
    const asToken = (at: string, method: string): Promise<Answer> =>
      api.post(`${at}/call`, { method }, { authorization: `Bearer ${String(made['token'])}` });
    const until429 = async (ask: () => Promise<Answer>): Promise<readonly [number, unknown]> => {
      for (let passed = 0; ; passed += 1) {
        const { status, body } = await ask();
        if (status === 429) return [passed, (body.error?.['details'] as Record<string, unknown>)['limit_id']];
      }
    };
    await rulesAreKnown(twin);
    expect(await until429(() => api.call(path, 'getMe'))).toEqual([3, ofSession.id]);
    expect(await until429(() => api.call(twin, 'getMe'))).toEqual([2, ofKind.id]);
    expect(await until429(() => asToken(path, 'getMe'))).toEqual([1, ofToken.id]);
    const refused = await asToken(path, 'getMe');
    const windowEnd = (ofToken['usage'] as { window_end: string }).window_end;
    expect(refused.body.error?.['details']).toMatchObject({ source: 'limit', level: 'token', until: windowEnd });
    expect(refused.headers['retry-after']).toBe(String(refused.body.error?.['retry_after']));
    expect(refused.body.error?.['message']).toMatch(/"its own" of 1 a week/);
    const check = { method: 'getMe', session_id };
    expect((await api.post(`/v1/tokens/${made.id}/check`, check)).body.result).toMatchObject({
      allowed: false,
      status: 429,
      error: { code: 'rate_limited', details: { source: 'limit', limit_id: ofToken.id } },
    });
    expect((await api.post(`/v1/tokens/${made.id}/check`, { ...check, method: 'getOption' })).body.result).toEqual({
      allowed: true,
    });

    const forMaster = (await limitsOf(path))['rules'] as Record<string, unknown>[];
    const brief = (all: readonly Record<string, unknown>[]): unknown =>
      all
        .filter(({ id }) => rules.some((each) => each.id === id))
        .map(({ id, usage, replaced_by }) => [id, (usage as { used: number }).used, replaced_by]);
    expect(brief(forMaster)).toEqual([
      [ofKind.id, 0, ofSession.id],
      [ofSession.id, 3, undefined],
      [ofToken.id, 1, undefined],
    ]);
    const own = await getAs(String(made['token']), `${path}/limits`);
    expect(brief(own['rules'] as Record<string, unknown>[])).toEqual([
      [ofKind.id, 0, ofToken.id],
      [ofSession.id, 3, ofToken.id],
      [ofToken.id, 1, undefined],
    ]);
    const mine = (await getAs(String(made['token']), '/v1/me/limits'))['sessions'] as Record<string, unknown>[];
    const there = mine.find(({ id }) => id === session_id);
    expect(there).toMatchObject({ id: session_id, kind: 'bot', cooldowns: [] });
    expect(brief(there?.['rules'] as Record<string, unknown>[])).toEqual(
      brief(own['rules'] as Record<string, unknown>[]),
    );
    // Of the session that has used most.
    const { body } = await api.get('/v1/limits');
    const all = body.result as unknown as Record<string, unknown>[];
    expect(brief(all)).toEqual([
      [ofKind.id, 2, undefined],
      [ofSession.id, 3, undefined],
      [ofToken.id, 1, undefined],
    ]);
    await api.must(api.patch(`/v1/limits/${ofSession.id}`, { enabled: false }));
    await until('the rule is off', async () => {
      const answer = await api.call(path, 'getMe');
      return answer.status === 200;
    });
    await Promise.all(rules.map(({ id }) => api.must(api.delete(`/v1/limits/${id}`))));
  });

  const getAs = async (token: string, path: string): Promise<Record<string, unknown>> => {
    const [first] = gateways;
    const answer = await first
      ?.http()
      .get(path)
      .set({ authorization: `Bearer ${token}` });
    return (answer?.body as { result: Record<string, unknown> }).result;
  };

  /** Settles when the worker goes by what was written before: a rule made after it refuses a call. */
  const rulesAreKnown = async (path: string): Promise<void> => {
    const probe = await createLimit({
      level: 'session',
      session_id: path.split('/').at(-1),
      methods: ['cleanFileName'],
      max: 1,
      per: 'week',
    });
    await until('the rules are known', async () => {
      const { status } = await api.call(path, 'cleanFileName', { file_name: 'x' });
      return status === 429;
    });
    await api.must(api.delete(`/v1/limits/${probe.id}`));
  };

  it('weigh what a call carries, count no local reads, charge a name that has to be looked up once, and take nothing for what Telegram refuses', async () => {
    const { path, id: session_id, userId } = await newUser();
    telegram.control.createAccount({ phone: '15557780003', firstName: 'N', username: 'a_named_one' });
    const week = { level: 'session', session_id, per: 'week' };
    const sends = await createLimit({ ...week, methods: ['@send'], max: 100 });
    const calls = await createLimit({ ...week, methods: ['*'], max: 1_000 });
    const names = await createLimit({ ...week, methods: ['@resolve'], max: 1 });
    const reads = await createLimit({ ...week, methods: ['@history'], max: 1 });
    await rulesAreKnown(path);
    const before = Number(await used(path, calls.id));
    const counts = async (): Promise<readonly unknown[]> => [
      await used(path, sends.id),
      Number(await used(path, calls.id)) - before,
      await used(path, names.id),
      await used(path, reads.id),
    ];
    const source = await send(path, userId, 'to forward');
    const messageId = source.body.sends?.[0]?.['message_id'];
    expect(await counts()).toEqual([1, 1, 0, 0]);
    await api.must(
      api.call(path, 'forwardMessages', { chat_id: userId, from_chat_id: userId, message_ids: [messageId] }),
    );
    expect(await counts()).toEqual([2, 2, 0, 0]);
    for (let count = 0; count < 3; count += 1) {
      await api.must(api.call(path, 'getChatHistory', { chat_id: userId, limit: 1, only_local: true }));
    }
    expect(await counts()).toEqual([2, 2, 0, 0]);
    await api.must(send(path, '@a_named_one', 'by name'));
    await api.must(send(path, '@a_named_one', 'by the same name'));
    expect(await counts()).toEqual([4, 4, 1, 0]);
    const more = await send(path, '@another_name', 'by another name');
    expect(more.body.error?.['details']).toMatchObject({ source: 'limit', limit_id: names.id });
    expect(await counts()).toEqual([4, 4, 1, 0]);

    telegram.control.addFault({ method: 'messages.search', error: { code: 400, message: 'NO_LUCK' }, times: 1 });
    const refused = await api.call(path, 'searchChatMessages', { chat_id: userId, query: 'x', limit: 1 });
    expect(refused.body.error).toMatchObject({ source: 'tdlib' });
    await until('it is given back', async () => (await used(path, reads.id)) === 0);
    telegram.control.addFault({ method: 'send', error: { code: 400, message: 'CHAT_WRITE_FORBIDDEN' }, times: 1 });
    expect((await send(path, userId, 'refused')).body.sends).toMatchObject([{ status: 'failed' }]);
    await until('the send is given back', async () => (await counts())[0] === 4);
    await until('so is its call', async () => (await counts())[1] === 4);
    await Promise.all([sends, calls, names, reads].map(({ id }) => api.must(api.delete(`/v1/limits/${id}`))));
  });

  it('let exactly as many calls pass as a quota has, from two gateways at once', async () => {
    const { path, id: session_id } = await newBot('quota_bot');
    const quota = await createLimit({
      level: 'session',
      session_id,
      methods: ['getOption'],
      max: QUOTA_MAX,
      per: 'week',
    });
    const stacked = await createLimit({
      level: 'session',
      session_id,
      methods: ['*'],
      max: 10 * QUOTA_CALLS,
      per: 'week',
    });
    await rulesAreKnown(path);
    const before = Number(await used(path, quota.id));
    const made = Number(await used(path, stacked.id));
    let left = QUOTA_CALLS;
    const statuses = new Map<number, number>();
    const caller = async (number: number): Promise<void> => {
      const gateway = gateways[number % 2];
      while (left > 0 && gateway !== undefined) {
        left -= 1;
        const response = await fetch(`${gateway.url}${path}/call`, {
          method: 'POST',
          headers: master,
          body: JSON.stringify({ method: 'getOption', params: { name: 'version' } }),
        });
        await response.arrayBuffer();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: QUOTA_AT_ONCE }, (_, number) => caller(number)));
    const passing = QUOTA_MAX - before;
    expect([...statuses].sort()).toEqual([
      [200, passing],
      [429, QUOTA_CALLS - passing],
    ]);
    expect(await used(path, quota.id)).toBe(QUOTA_MAX);
    expect(await used(path, stacked.id)).toBe(made + passing);
    await Promise.all([quota, stacked].map(({ id }) => api.must(api.delete(`/v1/limits/${id}`))));
  });

  it('charge all rules of a call or none, as a small model does', async () => {
    const repository = worker.app.get(LimitsRepository, { strict: false });
    const windows = [0, 1].map((day) => ({ startsAt: day * 86_400_000, endsAt: (day + 1) * 86_400_000 }));
    const part = fc.record({
      rule: fc.nat(3),
      window: fc.constantFrom(...windows),
      weight: fc.integer({ min: -3, max: 6 }),
      max: fc.integer({ min: 1, max: 8 }),
    });
    const charge = fc.uniqueArray(part, {
      minLength: 1,
      maxLength: 4,
      selector: ({ rule, window }) => `${rule} ${window.startsAt}`,
    });
    const cases = fc.sample(fc.array(charge, { minLength: 1, maxLength: 8 }), {
      numRuns: Number(process.env['LIMIT_RUNS'] ?? 1_000),
      seed: 7,
    });
    const check = async (batch: (typeof cases)[number]): Promise<void> => {
      const ids = Array.from({ length: 4 }, () => randomUUID());
      const model = new Map<string, number>();
      const keyOf = ({ ruleId, window }: { ruleId: string; window: { startsAt: number } }): string =>
        `${ruleId} ${window.startsAt}`;
      const charges = batch.map((parts) => parts.map(({ rule, ...rest }) => ({ ...rest, ruleId: ids[rule] ?? '' })));
      const expected = charges.map((parts) => {
        const usedOf = (each: (typeof parts)[number]): number => model.get(keyOf(each)) ?? 0;
        const refusing = parts.find((each) => each.weight > 0 && usedOf(each) + each.weight > each.max);
        if (refusing === undefined) {
          for (const each of parts) model.set(keyOf(each), Math.max(0, usedOf(each) + each.weight));
        }
        return refusing;
      });
      // The same in one statement and in two.
      const session = randomUUID();
      const half = Math.floor(charges.length / 2);
      const told = [
        ...(half === 0 ? [] : await repository.charge(session, charges.slice(0, half))),
        ...(await repository.charge(session, charges.slice(half))),
      ];
      if (!isDeepStrictEqual(told, expected)) expect({ charges, told }).toEqual({ charges, told: expected });
    };
    const left = [...cases];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let next = left.pop(); next !== undefined; next = left.pop()) await check(next);
      }),
    );
    await database.query('DELETE FROM limit_counters WHERE ends_at < now()');
  });
});
