import pg from 'pg';
import { CALLER_HEADER, CallerSignature } from '../src/common/cluster/index.js';
import { type Caller, NO_SCOPE } from '../src/common/http/index.js';
import { CLUSTER_TOKEN, type TestApp, cluster, master, startApp } from './support/app.js';
import { type TestDatabase, createDatabase } from './support/database.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { onLoadedMachine } from './support/until.js';
import { Wire } from './support/wire.js';

interface Answer {
  readonly status: number;
  readonly body: { readonly result?: Record<string, unknown>; readonly error?: Record<string, unknown> };
}

const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });

async function call(app: TestApp, token: string, id: string, method: string, params?: object): Promise<Answer> {
  return app
    .http()
    .post(`/v1/bot/${id}/call`)
    .set(bearer(token))
    .send({ method, ...(params && { params }) });
}

async function createToken(app: TestApp, body: object): Promise<{ id: string; token: string }> {
  const answer = await app.http().post('/v1/tokens').set(master).send(body).expect(200);
  return (answer.body as { result: { id: string; token: string } }).result;
}

describe('calls with a scoped token', () => {
  let telegram: TestTelegram;

  beforeAll(async () => {
    telegram = await startTelegram();
    // All roles and every other test file share this process and so one library: the proxy-only one.
    telegram.env['TDLIB_PROXY_ONLY'] = 'true';
  });

  afterAll(() => telegram.stop());

  async function createBot(api: ApiClient, appId: string, username: string): Promise<string> {
    const { token } = telegram.control.createBot({ username });
    return (await api.must(api.post('/v1/bot', { token, app_id: appId }))).id;
  }

  describe.each(['all', 'gateway'] as const)('in the role %s', (role) => {
    let database: TestDatabase;
    let worker: TestApp | undefined;
    let app: TestApp;
    let bot: string;
    let foreign: string;
    let token: string;

    beforeAll(async () => {
      database = await createDatabase();
      if (role === 'gateway') {
        worker = await startApp({ role: 'worker', env: { ...telegram.env, WORKER_ID: `w-${role}` }, database });
      }
      app = await startApp({ role, env: { ...telegram.env, WORKER_ID: 'w-all' }, database });
      const api = new ApiClient(app);
      const appId = await api.createApp();
      bot = await createBot(api, appId, `${role}_token_bot`);
      foreign = await createBot(api, await api.createApp(), `${role}_foreign_bot`);
      ({ token } = await createToken(app, { app_ids: [appId] }));
    });

    afterAll(async () => {
      await app.stop();
      await worker?.stop();
      await database.drop();
    });

    it('reach its sessions and no others', async () => {
      const me = await call(app, token, bot, 'getMe');
      expect([me.status, me.body.result?.['@type']]).toEqual([200, 'user']);
      const denied = await call(app, token, foreign, 'getMe');
      expect([denied.status, denied.body.error?.['code']]).toEqual([403, 'scope_denied']);
    });

    it.each([
      ['read', 'getChats', { limit: 1 }],
      ['send', 'sendMessage', {}],
      ['manage', 'leaveChat', {}],
    ])('may do what is of the class %s: %s', async (_class, method, params) => {
      const { body } = await call(app, token, bot, method, params);
      // Whatever Telegram says to it.
      expect(body.error?.['source'] ?? 'tdlib').toBe('tdlib');
    });

    it.each([
      ['deleteAccount', { reason: 'x', password: '' }],
      ['setPassword', { old_password: '', new_password: 'x' }],
      ['terminateAllOtherSessions', undefined],
      ['confirmQrCodeAuthentication', { link: 'tg://login?token=AAAA' }],
      ['transferChatOwnership', { chat_id: 1, user_id: 1, password: '' }],
      ['getLoginUrl', { chat_id: 1, message_id: 1, button_id: 1 }],
      ['setOption', { name: 'x' }],
    ])('may not run %s, which is of the class account', async (method, params) => {
      const { status, body } = await call(app, token, bot, method, params);
      expect(status).toBe(403);
      expect(body.error).toEqual({
        source: 'gateway',
        code: 'scope_denied',
        message: expect.stringContaining('account'),
        details: { method, class: 'account' },
      });
      const asMaster = await app.http().post(`/v1/bot/${bot}/call`).set(master).send({ method: 'getPasswordState' });
      expect((asMaster.body as Answer['body']).error?.['code']).not.toBe('scope_denied');
    });

    describe('of less than everything', () => {
      const CHAT = -1001;
      const sender = (user_id: number): object => ({ '@type': 'messageSenderUser', user_id });
      const refused = (result: Answer): unknown => [result.status, result.body.error?.['code']];

      /** What the call answers, and what the check says of it: they must agree. */
      async function both(rights: object, method: string, params: object = {}): Promise<Answer> {
        const made = await createToken(app, { session_ids: [bot], ...rights });
        const answer = await call(app, made.token, bot, method, params);
        const check = await app
          .http()
          .post(`/v1/tokens/${made.id}/check`)
          .set(master)
          .send({ method, session_id: bot, params })
          .expect(200);
        const { result } = check.body as { result: { allowed: boolean; status?: number; error?: object } };
        const isRefused = answer.body.error?.['source'] === 'gateway';
        expect(result).toEqual(
          isRefused ? { allowed: false, status: answer.status, error: answer.body.error } : { allowed: true },
        );
        return answer;
      }

      it('call what is of their classes and of their methods', async () => {
        expect(refused(await both({ classes: ['send'] }, 'getMe'))).toEqual([403, 'scope_denied']);
        expect((await both({ classes: ['read'] }, 'getMe')).status).toBe(200);
        expect((await both({ methods: ['getMe'] }, 'getMe')).status).toBe(200);
        expect(refused(await both({ methods: ['getMe'] }, 'getChats', { limit: 1 }))).toEqual([403, 'scope_denied']);
        expect(refused(await both({ methods: [] }, 'getMe'))).toEqual([403, 'scope_denied']);
        expect(refused(await both({ methods: ['setPassword'] }, 'setPassword'))).toEqual([403, 'scope_denied']);
        expect(refused(await both({ classes: [] }, 'getMe'))).toEqual([403, 'scope_denied']);
      });

      it.each([
        ['another chat', 'getChatHistory', { chat_id: -1002 }],
        ['another chat by digits', 'getChatHistory', { chat_id: '-1002' }],
        ['the other of two', 'forwardMessages', { chat_id: CHAT, from_chat_id: -1002 }],
        ['the private chat of somebody', 'getUser', { user_id: 5 }],
        ['all chats', 'getChats', { limit: 1 }],
        ['all chats, with a chat where nobody looks', 'searchMessages', { chat_id: CHAT, query: 'x' }],
        ['a private chat beside a member', 'getChatMember', { chat_id: -1002, member_id: sender(-1002) }],
        ['the codes of the account', 'getChatMember', { chat_id: CHAT, member_id: sender(777_000) }],
        ['a chat by its name', 'getChatHistory', { chat_id: '@whatever_there_is', limit: 1 }],
        ['the order of all chats', 'setPinnedChats', { chat_list: { '@type': 'chatListMain' }, chat_ids: [CHAT] }],
        ['a file of whatever chat', 'getFile', { file_id: 1 }],
        [
          'a file by its number, to be sent',
          'sendMessage',
          {
            chat_id: CHAT,
            input_message_content: { '@type': 'inputMessagePhoto', photo: { '@type': 'inputFileId', id: 1 } },
          },
        ],
      ])('of one chat do not reach %s', async (_what, method, params) => {
        expect(refused(await both({ chats: [CHAT] }, method, params))).toEqual([403, 'scope_denied']);
      });

      it('of one chat reach it; an empty list is none, and no list is all', async () => {
        const history = { chat_id: CHAT, limit: 1 };
        expect((await both({ chats: [CHAT] }, 'getChatHistory', history)).body.error?.['source']).toBe('tdlib');
        expect(refused(await both({ chats: [] }, 'getChatHistory', history))).toEqual([403, 'scope_denied']);
        const member = { chat_id: CHAT, member_id: sender(5) };
        expect((await both({ chats: [CHAT] }, 'getChatMember', member)).body.error?.['source']).toBe('tdlib');
        expect((await both({}, 'getChatHistory', history)).body.error?.['source']).toBe('tdlib');
        expect((await both({ chats: [] }, 'getMe')).status).toBe(200);
        expect((await both({ chats: [] }, 'getTextEntities', { text: '@x' })).status).toBe(200);
      });

      it('are told what they may do', async () => {
        const { token: some, id } = await createToken(app, { session_ids: [bot], classes: ['read'], chats: [CHAT] });
        const { body } = await app.http().get('/v1/me').set(bearer(some)).expect(200);
        expect(body).toMatchObject({
          result: { kind: 'token', id, classes: ['read'], chats: [CHAT], session_ids: [bot], pool_access: 'read' },
        });
        const { body: whole } = await app.http().get('/v1/me').set(master).expect(200);
        expect(whole).toEqual({
          ok: true,
          result: {
            kind: 'master',
            enabled: true,
            all_sessions: true,
            classes: ['read', 'send', 'manage', 'account'],
            pool_access: 'write',
          },
        });
      });

      it('are checked as they are at that moment', async () => {
        const { id } = await createToken(app, { session_ids: [bot], enabled: false });
        const check = async (body: object, of = id): Promise<Answer> =>
          app
            .http()
            .post(`/v1/tokens/${of}/check`)
            .set(master)
            .send({ method: 'getMe', session_id: bot, ...body });
        expect((await check({})).body.result).toMatchObject({ allowed: false, error: { code: 'token_disabled' } });
        await app.http().patch(`/v1/tokens/${id}`).set(master).send({ enabled: true }).expect(200);
        expect((await check({})).body.result).toEqual({ allowed: true });
        expect((await check({ session_id: foreign })).body.result).toMatchObject({ status: 403, allowed: false });
        expect((await check({ method: 'nothing(' })).body.result).toMatchObject({ status: 400, allowed: false });
        expect((await check({ method: 'logOut' })).body.result).toMatchObject({ status: 403, allowed: false });
        expect((await check({}, '00000000-0000-4000-8000-000000000000')).status).toBe(404);
        expect((await check({ method: 5 })).status).toBe(400);
      });
    });

    it('are refused reserved methods like everybody', async () => {
      const { status, body } = await call(app, token, bot, 'logOut');
      expect([status, body.error?.['code']]).toEqual([403, 'method_reserved']);
    });

    it('compute without a session, and not with the class account', async () => {
      const execute = (method: string, params: object): Promise<Answer> =>
        app.http().post('/v1/execute').set(bearer(token)).send({ method, params });
      expect(await execute('getTextEntities', { text: '@probe' })).toMatchObject({
        status: 200,
        body: { result: { '@type': 'textEntities' } },
      });
      expect(await execute('setOption', { name: 'x' })).toMatchObject({
        status: 403,
        body: { error: { code: 'scope_denied', details: { class: 'account' } } },
      });
    });

    it('ask the database for nothing, however many there are', async () => {
      await call(app, token, bot, 'getMe');
      const statements: string[] = [];
      const query = jest.spyOn(pg.Client.prototype, 'query') as unknown as jest.SpyInstance<unknown, [unknown]>;
      const startedAt = performance.now();
      const answers = await Promise.all(Array.from({ length: 200 }, () => call(app, token, bot, 'getMe')));
      const seconds = (performance.now() - startedAt) / 1000;
      for (const [statement] of query.mock.calls) {
        statements.push(typeof statement === 'string' ? statement : String((statement as { text?: unknown }).text));
      }
      query.mockRestore();
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      // About once a second, not once a call: the token, the session's app, and in a gateway its owner.
      const asked = statements.filter((sql) => /api_token|FROM "?sessions/.test(sql));
      expect(asked.length).toBeLessThanOrEqual(8 * Math.ceil(seconds));
    });
  });

  describe('at a worker', () => {
    let worker: TestApp;

    beforeAll(async () => {
      worker = await startApp({ role: 'worker', env: { ...telegram.env, WORKER_ID: 'w-alone' } });
    });

    afterAll(() => worker.stop());

    const ask = (headers: object): ReturnType<ReturnType<TestApp['http']>['post']> =>
      worker
        .http()
        .post('/internal/sessions/bot/00000000-0000-4000-8000-000000000000/call')
        .set({ ...cluster, ...headers })
        .send({ method: 'deleteAccount' });
    const token: Caller = { kind: 'token', tokenId: 'id', scope: NO_SCOPE, rights: { classes: ['read'] } };

    it('are held to their classes there too, by the identity that the gateway signed', async () => {
      const header = new CallerSignature(CLUSTER_TOKEN).sign(token);
      const { body } = await ask({ [CALLER_HEADER]: header }).expect(403);
      expect(body).toMatchObject({ error: { code: 'scope_denied', details: { class: 'account' } } });
    });

    it('are refused when that identity is forged or too old, instead of passing for our own', async () => {
      for (const header of [
        'nonsense',
        '',
        new CallerSignature('another token').sign({ kind: 'master', via: 'token' }),
        new CallerSignature(CLUSTER_TOKEN, () => Date.now() - 120_000).sign(token),
      ]) {
        const { body } = await ask({ [CALLER_HEADER]: header }).expect(401);
        expect(body).toMatchObject({ error: { code: 'unauthenticated' } });
      }
    });

    it('have no way around the gateway', async () => {
      await worker
        .http()
        .get('/v1/sessions')
        .set(bearer('x'.repeat(43)))
        .expect(404);
      await worker
        .http()
        .post('/internal/sessions/bot')
        .set(bearer('x'.repeat(43)))
        .send({})
        .expect(401);
    });
  });

  describe('with the database away', () => {
    let database: TestDatabase;
    let wire: Wire;
    let url: string;
    let app: TestApp;
    let bot: string;
    let token: string;
    let unused: string;
    let revoked: string;

    beforeAll(async () => {
      database = await createDatabase();
      wire = new Wire(new URL(database.url));
      url = await wire.open();
      app = await startApp({ database, env: { ...telegram.env, DATABASE_URL: url } });
      const api = new ApiClient(app);
      const appId = await api.createApp();
      bot = await createBot(api, appId, 'away_token_bot');
      ({ token } = await createToken(app, { app_ids: [appId] }));
      ({ token: unused } = await createToken(app, { all_sessions: true }));
      const made = await createToken(app, { session_ids: [bot] });
      revoked = made.token;
      for (const each of [token, revoked]) expect((await call(app, each, bot, 'getMe')).status).toBe(200);
      await app.http().delete(`/v1/tokens/${made.id}`).set(master).expect(200);
    });

    afterAll(async () => {
      wire.cut();
      await wire.open(Number(new URL(url).port));
      await app.stop();
      wire.cut();
      await database.drop();
    });

    it('go on with what is known, quickly even when it says nothing, and without what was revoked before', async () => {
      wire.freeze(true);
      const frozenAt = performance.now();
      // Past the time for which an answer serves without a question.
      while (performance.now() - frozenAt < 3000) {
        const startedAt = performance.now();
        expect((await call(app, token, bot, 'getMe')).status).toBe(200);
        expect(performance.now() - startedAt).toBeLessThan(onLoadedMachine(1_000));
      }
      const me = await app.http().get('/v1/me').set(bearer(token)).expect(200);
      expect((me.body as Answer['body']).result).toMatchObject({ kind: 'token', enabled: true, pool_access: 'read' });
      const { id, app_ids, classes } = (me.body as Answer['body']).result ?? {};
      wire.cut();
      const cut = await app.http().get('/v1/me').set(bearer(token)).expect(200);
      expect((cut.body as Answer['body']).result).toMatchObject({ kind: 'token', id, app_ids, classes });
      expect((await call(app, token, bot, 'getMe')).status).toBe(200);
      for (const each of [unused, revoked]) {
        const { status, body } = await call(app, each, bot, 'getMe');
        expect([status, body.error?.['code']]).toEqual([503, 'database_unavailable']);
      }
    });
  });
});
