import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_TOKEN, type TestApp, freePort, master, startApp } from './support/app.js';
import { type TestDatabase, createDatabase } from './support/database.js';
import { insertApp, insertPool, insertSession } from './support/registry.js';
import { type RawS3Answer, type TestKey, sendSigned } from './support/s3.js';
import { onLoadedMachine, until } from './support/until.js';

interface Token {
  readonly id: string;
  readonly token: string;
}

interface Listed {
  readonly id: string;
  readonly name?: string;
  readonly prefix: string;
  readonly app_ids: readonly string[];
  readonly session_ids: readonly string[];
  readonly last_used_at?: string;
  readonly former_secrets_until?: string;
}

const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });

describe('scoped tokens', () => {
  let database: TestDatabase;
  let gateway: TestApp;
  let other: TestApp;
  let app: string;
  let session: string;
  let s3Port: number;

  beforeAll(async () => {
    database = await createDatabase();
    gateway = await startApp({ role: 'gateway', database });
    s3Port = await freePort();
    const env = { S3_LISTEN_ADDR: `127.0.0.1:${s3Port}`, AUTH_FAILURES_PER_MINUTE: '10000' };
    other = await startApp({ role: 'gateway', database, env });
    app = await insertApp(database);
    session = await insertSession(database, app);
  });

  afterAll(async () => {
    await other.stop();
    await gateway.stop();
    await database.drop();
  });

  afterEach(() => database.query('DELETE FROM api_tokens'));

  async function create(body: object = {}): Promise<Token> {
    const answer = await gateway.http().post('/v1/tokens').set(master).send(body).expect(200);
    return (answer.body as { result: Token }).result;
  }

  async function list(): Promise<Listed[]> {
    const answer = await gateway.http().get('/v1/tokens').set(master).expect(200);
    return (answer.body as { result: Listed[] }).result;
  }

  const patch = (id: string, body: object): ReturnType<ReturnType<TestApp['http']>['patch']> =>
    gateway.http().patch(`/v1/tokens/${id}`).set(master).send(body);

  /** The status that a token gets on the list of sessions, or on one of them. */
  async function status(token: string, path = '/v1/sessions', at = gateway): Promise<number> {
    return (await at.http().get(path).set(bearer(token))).status;
  }

  async function sessionsOf(token: string): Promise<string[]> {
    const answer = await gateway.http().get('/v1/sessions').set(bearer(token)).expect(200);
    return (answer.body as { result: { id: string }[] }).result.map(({ id }) => id);
  }

  describe('are made', () => {
    it('with a secret that is shown once and stored nowhere', async () => {
      const { id, token } = await create({ name: 'mine', session_ids: [session] });
      expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
      const [row] = await database.query<{ secret_hash: Buffer; text: string }>(
        'SELECT secret_hash, t::text AS text FROM api_tokens t WHERE id = $1',
        [id],
      );
      expect(row?.secret_hash).toEqual(createHash('sha256').update(token).digest());
      expect(row?.text).not.toContain(token);
      const listed = await list();
      expect(JSON.stringify(listed)).not.toContain(token);
      expect(listed).toEqual([
        {
          id,
          name: 'mine',
          prefix: token.slice(0, 6),
          enabled: true,
          all_sessions: false,
          app_ids: [],
          session_ids: [session],
          classes: ['read', 'send', 'manage'],
          pool_ids: [],
          pool_access: 'read',
          created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      ]);
    });

    it('without a body, nameless and without access', async () => {
      const answer = await gateway.http().post('/v1/tokens').set(master).expect(200);
      const { id, token } = (answer.body as { result: Token }).result;
      const [listed] = await list();
      expect(listed).toMatchObject({ id, enabled: true, all_sessions: false, app_ids: [], session_ids: [] });
      expect(listed).not.toHaveProperty('name');
      expect(await sessionsOf(token)).toEqual([]);
      expect(await status(token, `/v1/bot/${session}`)).toBe(403);
    });

    it('also from nulls, which are as good as nothing, and with ids given twice', async () => {
      const ids = [session, session.toUpperCase(), session];
      await create({ name: null, enabled: null, all_sessions: null, app_ids: null, session_ids: ids });
      expect(await list()).toMatchObject([{ app_ids: [], session_ids: [session] }]);
    });

    it('with the rights that they were given, and with read, send and manage when nothing was said', async () => {
      const pool = await insertPool(database);
      const rights = {
        classes: ['send', 'read', 'send'],
        methods: ['getMe', 'getMe'],
        chats: [-1001234567890, 5, 5],
        expires_at: '2999-01-01T00:00:00+01:00',
        pool_ids: [pool],
        pool_access: 'write',
      };
      await create();
      const { id } = await create(rights);
      const [plain, limited] = await list();
      expect(plain).toMatchObject({ classes: ['read', 'send', 'manage'], pool_ids: [], pool_access: 'read' });
      for (const absent of ['methods', 'chats', 'expires_at']) expect(plain).not.toHaveProperty(absent);
      expect(limited).toMatchObject({
        classes: ['read', 'send'],
        methods: ['getMe'],
        chats: [-1001234567890, 5],
        expires_at: '2998-12-31T23:00:00.000Z',
        pool_ids: [pool],
        pool_access: 'write',
      });
      await patch(id, { classes: [], methods: [], chats: [] }).expect(200);
      expect((await list())[1]).toMatchObject({ classes: [], methods: [], chats: [], pool_access: 'write' });
      await patch(id, { methods: null, chats: null, expires_at: null, classes: null }).expect(200);
      const [, freed] = await list();
      expect(freed).toMatchObject({ classes: [] });
      for (const absent of ['methods', 'chats', 'expires_at']) expect(freed).not.toHaveProperty(absent);
      await create({ session_ids: [session], comment: 'an unknown field that promises nothing' });
    });

    it('for nothing that does not exist: each wrong id is named by its place', async () => {
      const wrong = { app_ids: [randomUUID(), app, 'x'], session_ids: [session, randomUUID(), 7, null, app] };
      for (const request of [
        gateway.http().post('/v1/tokens').set(master).send(wrong),
        patch((await create({ session_ids: [session] })).id, wrong),
      ]) {
        const { body } = await request.expect(400);
        const { error } = body as { error: { code: string; details: { issues: { path: string }[] } } };
        expect(error.code).toBe('validation_failed');
        expect(error.details.issues.map(({ path }) => path)).toEqual([
          'app_ids[0]',
          'app_ids[2]',
          'session_ids[1]',
          'session_ids[2]',
          'session_ids[3]',
          'session_ids[4]',
        ]);
      }
      expect(await list()).toMatchObject([{ app_ids: [], session_ids: [session] }]);
    });

    it.each([
      ['a name that is no text', { name: 7 }, 'name'],
      ['a name that is too long', { name: 'x'.repeat(201) }, 'name'],
      ['a text for a truth', { enabled: 'yes' }, 'enabled'],
      ['a number for a truth', { all_sessions: 1 }, 'all_sessions'],
      ['a text for a list', { app_ids: 'x' }, 'app_ids'],
      ['an object for a list', { session_ids: {} }, 'session_ids'],
      ['too many ids', { session_ids: Array(1001).fill('x') }, 'session_ids'],
      ['a class that there is not', { classes: ['read', 'write'] }, 'classes[1]'],
      ['a text for classes', { classes: 'read' }, 'classes'],
      ['a method that there is not', { methods: ['getMe', 'getYou'] }, 'methods[1]'],
      ['a method that nobody may call', { methods: ['logOut'] }, 'methods[0]'],
      ['a chat by its name', { chats: ['@name'] }, 'chats[0]'],
      ['a chat that can be none', { chats: [5, 0] }, 'chats[1]'],
      ['a chat beyond 2^53', { chats: [1e300] }, 'chats[0]'],
      ['more chats than travel with a call', { chats: Array(501).fill(1) }, 'chats'],
      ['an end that is over', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
      ['an end without its zone', { expires_at: '2030-01-01T00:00:00' }, 'expires_at'],
      ['an end that is none', { expires_at: '2030-13-01T00:00:00Z' }, 'expires_at'],
      ['an end on a day that there is not', { expires_at: '2999-02-30T00:00:00Z' }, 'expires_at'],
      ['a limit under a wrong name', { chat: [5] }, 'chat'],
      ['a pool that there is not', { pool_ids: [randomUUID()] }, 'pool_ids[0]'],
      ['a pool by its name', { pool_ids: ['main'] }, 'pool_ids[0]'],
      ['another access than these two', { pool_access: 'all' }, 'pool_access'],
    ])('not from %s', async (_what, body, path) => {
      const answer = await gateway.http().post('/v1/tokens').set(master).send(body).expect(400);
      expect(answer.body).toMatchObject({ error: { code: 'validation_failed', details: { issues: [{ path }] } } });
    });
  });

  describe('are listed', () => {
    it('oldest first, in pages when a limit is given', async () => {
      const made = [await create(), await create(), await create()].map(({ id }) => id);
      expect((await list()).map(({ id }) => id)).toEqual(made);
      const first = await gateway.http().get('/v1/tokens?limit=2').set(master).expect(200);
      const { result, next_cursor } = first.body as { result: Listed[]; next_cursor: string };
      const rest = await gateway.http().get(`/v1/tokens?limit=2&cursor=${next_cursor}`).set(master).expect(200);
      expect([...result, ...(rest.body as { result: Listed[] }).result].map(({ id }) => id)).toEqual(made);
    });

    it('with the time of their last use, which costs no request a write', async () => {
      const { id, token } = await create();
      const own = await startApp({ role: 'gateway', database });
      expect((await list())[0]).not.toHaveProperty('last_used_at');
      for (let request = 0; request < 3; request++) expect(await status(token, '/v1/sessions', own)).toBe(200);
      // What was not written yet is written when the process ends.
      await own.stop();
      const [listed] = await list();
      expect(listed).toMatchObject({ id, last_used_at: expect.any(String) });
      expect(Date.now() - Date.parse(listed?.last_used_at ?? '')).toBeLessThan(60_000);
    });
  });

  describe('are changed', () => {
    it('by what is given; a list replaces that list and leaves the other', async () => {
      const [app2, session2] = [await insertApp(database), await insertSession(database, app)];
      const { id } = await create({ name: 'a', app_ids: [app], session_ids: [session] });
      const changed = await patch(id, { session_ids: [session2] }).expect(200);
      expect(changed.body).toEqual({ ok: true, result: { status: 'updated' } });
      expect(await list()).toMatchObject([{ name: 'a', app_ids: [app], session_ids: [session2] }]);
      await patch(id, { app_ids: [app2, app], name: 'b' }).expect(200);
      const [both] = await list();
      expect(both).toMatchObject({ name: 'b', session_ids: [session2] });
      expect(both?.app_ids.toSorted()).toEqual([app, app2].sort());
      await patch(id, { app_ids: [], session_ids: [], name: '' }).expect(200);
      expect(await list()).toMatchObject([{ app_ids: [], session_ids: [] }]);
      expect((await list())[0]).not.toHaveProperty('name');
      await patch(id, {}).expect(200);
      await patch(id, { enabled: false, all_sessions: true }).expect(200);
      expect(await list()).toMatchObject([{ enabled: false, all_sessions: true }]);
    });

    it('at the same time one after the other: the last list stands alone', async () => {
      const { id } = await create();
      const sessions = await Promise.all(Array.from({ length: 6 }, () => insertSession(database, app)));
      await Promise.all(sessions.map((each) => patch(id, { session_ids: [each] }).expect(200)));
      const [listed] = await list();
      expect(listed?.session_ids).toHaveLength(1);
    });

    it('not when there is no such token', async () => {
      for (const id of [randomUUID(), 'nope']) {
        const answers = [
          await patch(id, { name: 'x' }).expect(404),
          await gateway.http().delete(`/v1/tokens/${id}`).set(master).expect(404),
        ];
        for (const { body } of answers) expect(body).toMatchObject({ error: { code: 'token_not_found' } });
      }
    });

    it('by the end of what they name: the rest of the scope stays', async () => {
      const [app2, session2] = [await insertApp(database), await insertSession(database, app)];
      await create({ app_ids: [app, app2], session_ids: [session, session2] });
      await database.query('DELETE FROM sessions WHERE id = $1', [session2]);
      await gateway.http().delete(`/v1/apps/${app2}`).set(master).expect(200);
      expect(await list()).toMatchObject([{ app_ids: [app], session_ids: [session] }]);
    });
  });

  describe('get another secret', () => {
    async function rotate(id: string, body: object = {}): Promise<{ token: string; former_secrets_until: string }> {
      const answer = await gateway.http().post(`/v1/tokens/${id}/rotate`).set(master).send(body).expect(200);
      return (answer.body as { result: { token: string; former_secrets_until: string } }).result;
    }

    it('which serves from then on, the one before for a day more', async () => {
      const { id, token } = await create({ name: 'kept', session_ids: [session] });
      const rotated = await rotate(id);
      expect(rotated.token).not.toBe(token);
      for (const each of [token, rotated.token]) {
        expect(await status(each, `/v1/bot/${session}`, other)).toBe(200);
      }
      const [listed] = await list();
      expect(listed).toMatchObject({ id, name: 'kept', session_ids: [session], prefix: rotated.token.slice(0, 6) });
      const hours = (Date.parse(rotated.former_secrets_until) - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(23.9);
      expect(hours).toBeLessThanOrEqual(24);
      expect(listed?.former_secrets_until).toBe(rotated.former_secrets_until);
    });

    it('while no secret before it lives longer than the overlap: with 0s they all end at once', async () => {
      const { id, token: first } = await create();
      const { token: second } = await rotate(id, { overlap: '7d' });
      expect(await status(first)).toBe(200);
      const { token: third } = await rotate(id, { overlap: '0s' });
      const statuses = await Promise.all([first, second, third].map((each) => status(each)));
      expect(statuses).toEqual([401, 401, 200]);
      await until('the other gateway knows', async () => (await status(second, '/v1/sessions', other)) === 401);
      expect((await list())[0]).not.toHaveProperty('former_secrets_until');
    });

    it('whose end is not outlived by what a gateway remembers', async () => {
      const { id, token } = await create();
      await rotate(id, { overlap: '2s' });
      await status(token);
      await until('the overlap is over', async () => (await status(token)) === 401);
    });

    it('not when there is no such token, nor with an overlap that is none', async () => {
      await gateway.http().post(`/v1/tokens/${randomUUID()}/rotate`).set(master).send({}).expect(404);
      const { id } = await create();
      for (const overlap of ['8d', 'soon', 5, '']) {
        await gateway.http().post(`/v1/tokens/${id}/rotate`).set(master).send({ overlap }).expect(400);
      }
    });
  });

  describe('come to their end', () => {
    it('and are refused everywhere from then on, as the time of it, not a change, says', async () => {
      const { id, token } = await create({
        session_ids: [session],
        expires_at: new Date(Date.now() + 3000).toISOString(),
      });
      await until('the end', async () => (await status(token)) === 401);
      const answer = await gateway.http().get('/v1/sessions').set(bearer(token)).expect(401);
      expect(answer.body).toMatchObject({ error: { code: 'token_expired' } });
      await patch(id, { expires_at: null }).expect(200);
      expect(await status(token)).toBe(200);
    });
  });

  describe('use only the routes of their classes', () => {
    it.each([
      [['read'], { read: true, send: false, any: true }],
      [['send'], { read: false, send: true, any: true }],
      [[], { read: false, send: false, any: true }],
      [['account'], { read: false, send: false, any: true }],
    ] as const)('with %j', async (classes, may) => {
      const { token } = await create({ session_ids: [session], classes });
      const subscriptions = await status(token, `/v1/bot/${session}/updates/subscriptions`);
      const uploads = await status(token, '/v1/files');
      const all = [await status(token), await status(token, `/v1/bot/${session}`)];
      expect({ read: subscriptions !== 403, send: uploads !== 403, any: !all.includes(403) }).toEqual(may);
    });
  });

  describe('let in', () => {
    it('to the sessions that are named, to those of the apps that are named, and to all', async () => {
      const app2 = await insertApp(database);
      const [session2, user2] = [
        await insertSession(database, app2),
        await insertSession(database, app2, { kind: 'user' }),
      ];
      const bySession = await create({ session_ids: [session2] });
      const byApp = await create({ app_ids: [app2] });
      const all = await create({ all_sessions: true });
      const union = await create({ app_ids: [app2], session_ids: [session] });
      expect(await sessionsOf(bySession.token)).toEqual([session2]);
      expect(await sessionsOf(byApp.token)).toEqual([session2, user2]);
      expect(await sessionsOf(all.token)).toEqual(expect.arrayContaining([session, session2, user2]));
      expect(await sessionsOf(union.token)).toEqual(expect.arrayContaining([session, session2, user2]));
      for (const [token, path, expected] of [
        [bySession.token, `/v1/bot/${session2}`, 200],
        [bySession.token, `/v1/bot/${session2.toUpperCase()}`, 200],
        [bySession.token, `/v1/user/${user2}`, 403],
        [bySession.token, `/v1/bot/${session}`, 403],
        [byApp.token, `/v1/bot/${session2}`, 200],
        [byApp.token, `/v1/user/${user2}`, 200],
        [byApp.token, `/v1/bot/${user2}`, 404],
        [byApp.token, `/v1/bot/${session}`, 403],
        [all.token, `/v1/bot/${session}`, 200],
        [union.token, `/v1/bot/${session}`, 200],
        [union.token, `/v1/user/${user2}`, 200],
      ] as const) {
        expect({ path, status: await status(token, path) }).toEqual({ path, status: expected });
      }
    });

    it('to sessions of their apps that come later', async () => {
      const app2 = await insertApp(database);
      const { token } = await create({ app_ids: [app2] });
      expect(await sessionsOf(token)).toEqual([]);
      const later = await insertSession(database, app2);
      expect(await sessionsOf(token)).toEqual([later]);
      expect(await status(token, `/v1/bot/${later}`)).toBe(200);
    });

    it('tell nothing of what they do not cover: an unknown session is denied like another’s', async () => {
      const some = await create({ app_ids: [app] });
      const all = await create({ all_sessions: true });
      const foreign = await insertSession(database, await insertApp(database));
      const denied = [foreign, randomUUID(), 'nope', '..%2f', "'"];
      const answers = await Promise.all(
        denied.map(async (id) => gateway.http().get(`/v1/bot/${id}`).set(bearer(some.token)).expect(403)),
      );
      for (const { body } of answers) {
        expect(body).toEqual({
          ok: false,
          error: { source: 'gateway', code: 'scope_denied', message: expect.any(String) },
        });
      }
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      for (const id of [randomUUID(), 'nope']) {
        const { body } = await gateway.http().get(`/v1/bot/${id}`).set(bearer(all.token)).expect(404);
        expect(body).toMatchObject({ error: { code: 'session_not_found' } });
      }
    });

    it('show of a session neither network nor worker, and two digits of its number', async () => {
      const proxy = randomUUID();
      await database.query(`INSERT INTO proxies (id, type, host, port) VALUES ($1, 'http', 'proxy.internal', 1)`, [
        proxy,
      ]);
      const user = await insertSession(database, app, { kind: 'user', phone: '15550142' });
      await database.query(
        `UPDATE sessions SET proxy_id = $2, worker_id = 'w-1', health = 'down', health_cause = 'no proxy.internal' WHERE id = $1`,
        [user, proxy],
      );
      const { token } = await create({ session_ids: [user] });
      for (const path of ['/v1/sessions', `/v1/user/${user}`]) {
        const seen = await gateway.http().get(path).set(bearer(token)).expect(200);
        expect(seen.text).not.toMatch(/proxy|worker|w-1|155501/);
        const { result } = seen.body as { result: object };
        expect([result].flat()).toEqual([expect.objectContaining({ id: user, phone: '******42', health: 'down' })]);
        const whole = await gateway.http().get(path).set(master).expect(200);
        expect(whole.text).toContain('15550142');
        expect(whole.text).toContain('w-1');
      }
    });
  });

  describe('open exactly these routes', () => {
    /** What a token of all sessions may do. Every other operation of the document needs the master token. */
    const OPEN = new Set([
      'get /v1/me',
      'get /v1/pools',
      'get /v1/sessions',
      'get /v1/{kind}/{id}',
      'get /v1/{kind}/{id}/sends',
      'get /v1/{kind}/{id}/limits',
      'get /v1/me/limits',
      'get /v1/{kind}/{id}/files/{file_id}',
      'head /v1/{kind}/{id}/files/{file_id}',
      'get /v1/{kind}/{id}/storage',
      'post /v1/{kind}/{id}/storage/optimize',
      'post /v1/{kind}/{id}/call',
      'post /v1/{kind}/{id}/updates/subscriptions',
      'get /v1/{kind}/{id}/updates/subscriptions',
      'post /v1/{kind}/{id}/updates/subscriptions/preview',
      'get /v1/{kind}/{id}/updates/subscriptions/{sub}',
      'patch /v1/{kind}/{id}/updates/subscriptions/{sub}',
      'delete /v1/{kind}/{id}/updates/subscriptions/{sub}',
      'get /v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries',
      'get /v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries/{delivery}',
      'post /v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries/{delivery}/retry',
      'post /v1/{kind}/{id}/updates/subscriptions/{sub}/recover',
      'post /v1/{kind}/{id}/updates/subscriptions/{sub}/test',
      'get /v1/{kind}/{id}/updates/subscriptions/{sub}/events',
      'post /v1/events/ticket',
      'post /v1/execute',
      'get /v1/td/methods',
      'get /v1/td/types',
      'get /v1/files',
      'post /v1/files',
      'post /v1/uploads',
      'options /v1/uploads',
      'head /v1/uploads/{id}',
      'patch /v1/uploads/{id}',
      'delete /v1/uploads/{id}',
      'get /v1/files/{id}',
      'patch /v1/files/{id}',
      'delete /v1/files/{id}',
      'post /v1/files/{id}/complete',
    ]);
    const PUBLIC = /^\w+ \/(v1\/console\/session|healthz|readyz|d\/\{ticket\})$/;
    const { paths } = JSON.parse(readFileSync(join(__dirname, '..', 'openapi.json'), 'utf8')) as {
      readonly paths: Record<string, object>;
    };
    const operations = Object.entries(paths)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
      .filter((operation) => !PUBLIC.test(operation));

    async function ask(operation: string, token: string): Promise<{ status: number; code?: string }> {
      const [method = '', path = ''] = operation.split(' ');
      const url = path
        .replace('{kind}', 'bot')
        .replace('{id}', session)
        .replace(/\{\w+\}/g, randomUUID());
      const request = gateway.http()[method as 'head' | 'options' | 'get' | 'post' | 'patch' | 'delete' | 'put'](url);
      const answer = await (['get', 'head', 'options'].includes(method)
        ? request.set(bearer(token))
        : request.set(bearer(token)).send({}));
      const { error } = answer.body as { error?: { code: string } };
      return { status: answer.status, ...(error && { code: error.code }) };
    }

    it('of all that there are', async () => {
      const { token } = await create({ all_sessions: true });
      expect(operations.length).toBeGreaterThan(20);
      for (const operation of operations) {
        const answer = await ask(operation, token);
        if (OPEN.has(operation)) {
          expect({ operation, denied: [401, 403].includes(answer.status) }).toEqual({ operation, denied: false });
        } else {
          // The answer to HEAD has no body.
          const code = operation.startsWith('head ') ? {} : { code: 'scope_denied' };
          expect({ operation, ...answer }).toEqual({ operation, status: 403, ...code });
        }
      }
    });

    it('and nothing of a session that the token does not cover', async () => {
      const { token } = await create();
      // The ids of uploads are no sessions', and a refused HEAD has no code to compare.
      const ofSessions = operations.filter(
        (each) => each.includes('{id}') && !/v1.(files|uploads)./.test(each) && !each.startsWith('head '),
      );
      for (const operation of ofSessions) {
        expect({ operation, ...(await ask(operation, token)) }).toEqual({
          operation,
          status: 403,
          code: 'scope_denied',
        });
      }
    });

    it.each([
      ['POST', '/v1/user/{id}', 405],
      ['PUT', '/v1/bot/{id}', 405],
      ['DELETE', '/v1/bot/{id}', 403],
      ['PATCH', '/v1/bot/{id}', 403],
      ['POST', '/v1/user/{id}/login/code', 403],
      ['POST', '/v1/user/{id}/login/password', 403],
      ['POST', '/v1/user/{id}/login/resend', 403],
      ['POST', '/v1/user/{id}/login/other', 404],
      ['POST', '/v1/bot/{id}/stop', 403],
      ['GET', '/v1/bot/{id}/files', 404],
      ['GET', '/v1/bot/{id}/call', 405],
      ['POST', '/v1/bot/{id}/call/extra', 404],
      ['GET', '/v1/channel/{id}', 404],
      ['POST', '/v1/channel/{id}/call', 404],
      ['GET', '/v1/bot/{id}/', 404],
      ['POST', '/v1/tokens', 403],
      ['POST', '/internal/sessions/bot', 404],
    ] as const)('and not %s %s', async (method, path, expected) => {
      const { token } = await create({ all_sessions: true });
      const url = `${gateway.url}${path.replace('{id}', session)}`;
      const answer = await fetch(url, { method, headers: bearer(token), ...(method !== 'GET' && { body: '{}' }) });
      expect(answer.status).toBe(expected);
      expect(await answer.json()).toMatchObject({ ok: false, error: { source: 'gateway' } });
    });

    it('and not the console', async () => {
      const { token } = await create({ all_sessions: true });
      const { body } = await gateway.http().post('/v1/console/session').send({ token }).expect(403);
      expect((body as { error: object }).error).toMatchObject({
        code: 'scope_denied',
        message: expect.stringContaining('needs the master token') as string,
      });
      await gateway
        .http()
        .post('/v1/console/session')
        .send({ token: `${token}x` })
        .expect(401);
    });
  });

  describe('end', () => {
    const second = onLoadedMachine(1_000);

    it('at once where they are disabled, on every route, and come back when they are enabled', async () => {
      const { id, token } = await create({ all_sessions: true });
      expect(await status(token)).toBe(200);
      await patch(id, { enabled: false }).expect(200);
      for (const path of ['/v1/sessions', `/v1/bot/${session}`, '/v1/apps']) {
        const { body } = await gateway.http().get(path).set(bearer(token)).expect(403);
        expect(body).toMatchObject({ error: { source: 'gateway', code: 'token_disabled' } });
      }
      await patch(id, { enabled: true }).expect(200);
      expect(await status(token)).toBe(200);
    });

    it('for good when they are deleted', async () => {
      const { id, token } = await create({ all_sessions: true });
      expect(await status(token)).toBe(200);
      const answer = await gateway.http().delete(`/v1/tokens/${id}`).set(master).expect(200);
      expect(answer.body).toEqual({ ok: true, result: { status: 'deleted' } });
      const refused = await gateway.http().get('/v1/sessions').set(bearer(token)).expect(401);
      expect(refused.headers['www-authenticate']).toMatch(/^Bearer/);
      expect(refused.body).toMatchObject({ error: { code: 'unauthenticated' } });
      await gateway.http().delete(`/v1/tokens/${id}`).set(master).expect(404);
    });

    it.each([
      ['disabled', (id: string) => patch(id, { enabled: false }), '/v1/sessions', 403],
      ['deleted', (id: string) => gateway.http().delete(`/v1/tokens/${id}`).set(master), '/v1/sessions', 401],
      ['taken the session', (id: string) => patch(id, { session_ids: [] }), 'session', 403],
    ] as const)('within a second at another gateway when %s, even under load', async (_what, act, where, expected) => {
      const { id, token } = await create({ session_ids: [session] });
      const path = where === 'session' ? `/v1/bot/${session}` : where;
      expect(await status(token, path, other)).toBe(200);
      const over = new AbortController();
      const load = (async () => {
        while (!over.signal.aborted) await status(token, path, other);
      })();
      try {
        await act(id).expect(200);
        await until('the other gateway to refuse', async () => (await status(token, path, other)) === expected, second);
      } finally {
        over.abort();
        await load;
      }
    });

    it('within a second also where no notification arrives', async () => {
      const { id, token } = await create({ all_sessions: true });
      expect(await status(token, '/v1/sessions', other)).toBe(200);
      await database.query('DELETE FROM api_tokens WHERE id = $1', [id]);
      await until('the token to be unknown', async () => (await status(token, '/v1/sessions', other)) === 401, second);
    });

    it('with what they name: a deleted session is denied', async () => {
      const doomed = await insertSession(database, app);
      const { token } = await create({ session_ids: [doomed] });
      expect(await status(token, `/v1/bot/${doomed}`)).toBe(200);
      await database.query('DELETE FROM sessions WHERE id = $1', [doomed]);
      await until('it to be out of scope', async () => (await status(token, `/v1/bot/${doomed}`)) === 403, second);
    });
  });

  it('are no other way to the master token, and guesses are throttled', async () => {
    const port = await freePort();
    const env = { AUTH_FAILURES_PER_MINUTE: '3', S3_LISTEN_ADDR: `127.0.0.1:${port}`, TRUSTED_PROXIES: '127.0.0.1' };
    const own = await startApp({ role: 'gateway', database, env });
    try {
      const { id, token } = await create({ all_sessions: true });
      const guess = 'x'.repeat(43);
      for (const wrong of [guess, `${token}x`, token.slice(1)])
        expect(await status(wrong, '/v1/sessions', own)).toBe(401);
      expect(await status(guess, '/v1/sessions', own)).toBe(429);
      expect(await status(token, '/v1/sessions', own)).toBe(200);
      expect(await status(API_TOKEN, '/v1/sessions', own)).toBe(200);
      expect(await status(token, '/v1/tokens', own)).toBe(403);
      // Over S3 as well, and together with the others of the address.
      const answer = await gateway.http().post(`/v1/tokens/${id}/s3-keys`).set(master).expect(200);
      const { result } = answer.body as { result: { access_key_id: string; secret_access_key: string } };
      const key = { accessKeyId: result.access_key_id, secretAccessKey: result.secret_access_key };
      const ask = (secretAccessKey: string, headers: Record<string, string> = {}): Promise<RawS3Answer> =>
        sendSigned({ port }, { ...key, secretAccessKey }, { method: 'GET', target: '/', headers });
      const refused = await ask(guess);
      expect([refused.status, refused.code]).toEqual([503, 'SlowDown']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await ask(guess, { 'x-forwarded-for': '192.0.2.1' })).code).toBe('SignatureDoesNotMatch');
      expect((await ask(key.secretAccessKey)).status).toBe(200);
    } finally {
      await own.stop();
    }
  });

  describe('have access keys of S3', () => {
    async function createKey(tokenId: string): Promise<TestKey> {
      const answer = await gateway.http().post(`/v1/tokens/${tokenId}/s3-keys`).set(master).expect(200);
      const { result } = answer.body as { result: { access_key_id: string; secret_access_key: string } };
      return { accessKeyId: result.access_key_id, secretAccessKey: result.secret_access_key };
    }
    /** What the S3 endpoint of the other gateway says. */
    const ask = (key: TestKey): Promise<RawS3Answer> =>
      sendSigned({ port: s3Port }, key, { method: 'GET', target: '/' });
    const refused = (key: TestKey): Promise<true> =>
      until('the key is refused', async () => (await ask(key)).code === 'InvalidAccessKeyId');

    it('whose secrets are shown once and stored nowhere, and which every gateway takes', async () => {
      const { id } = await create();
      const key = await createKey(id);
      expect(key.accessKeyId).toMatch(/^[A-Z0-9]{20}$/);
      expect(key.secretAccessKey).toMatch(/^[A-Za-z0-9_-]{40}$/);
      const second = await createKey(id);
      expect(second.secretAccessKey).not.toBe(key.secretAccessKey);
      const answer = await gateway.http().get(`/v1/tokens/${id}/s3-keys`).set(master).expect(200);
      expect((answer.body as { result: unknown }).result).toEqual(
        [key, second].map(({ accessKeyId }) => ({
          access_key_id: accessKeyId,
          created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        })),
      );
      const rows = await database.query<{ text: string }>('SELECT k::text AS text FROM s3_keys k');
      expect(rows.map(({ text }) => text).join()).not.toContain(key.secretAccessKey);
      expect(await ask(key)).toMatchObject({ status: 200, headers: { 'content-type': 'application/xml' } });
      expect((await ask({ ...key, secretAccessKey: second.secretAccessKey })).code).toBe('SignatureDoesNotMatch');
      const bucket = await sendSigned({ port: s3Port }, key, { method: 'PUT', target: '/mine/key', body: 'x' });
      expect(bucket.code).toBe('NoSuchBucket');
    });

    it('with the port where they serve, when the gateway that makes one has it', async () => {
      const { id } = await create();
      const portOf = async (app: TestApp): Promise<unknown> => {
        const { body } = await app.http().post(`/v1/tokens/${id}/s3-keys`).set(master).expect(200);
        return (body as { result: { s3_port?: number } }).result.s3_port;
      };
      expect([await portOf(gateway), await portOf(other)]).toEqual([undefined, s3Port]);
    });

    it('that end with themselves and with their token', async () => {
      const { id } = await create();
      const [revoked, ofDisabled] = [await createKey(id), await createKey(id)];
      for (const key of [revoked, ofDisabled]) expect((await ask(key)).status).toBe(200);
      await gateway.http().delete(`/v1/tokens/${id}/s3-keys/${revoked.accessKeyId}`).set(master).expect(200);
      await refused(revoked);
      await gateway.http().delete(`/v1/tokens/${id}/s3-keys/${revoked.accessKeyId}`).set(master).expect(404);
      await patch(id, { enabled: false }).expect(200);
      await refused(ofDisabled);
      await patch(id, { enabled: true }).expect(200);
      await until('the key is taken again', async () => (await ask(ofDisabled)).status === 200);
      await gateway.http().delete(`/v1/tokens/${id}`).set(master).expect(200);
      await refused(ofDisabled);
    });

    it('that may do with buckets what their token may do with its pools, for as long as it lasts', async () => {
      const { id } = await create();
      const key = await createKey(id);
      let asked = 0;
      const createBucket = async (): Promise<string | undefined> =>
        (await sendSigned({ port: s3Port }, key, { method: 'PUT', target: `/bucket-${(asked += 1)}` })).code;
      expect(await createBucket()).toBe('AccessDenied');
      await patch(id, { pool_ids: [await insertPool(database)], pool_access: 'write' }).expect(200);
      await until('the key may write', async () => (await createBucket()) === undefined);
      await patch(id, { pool_access: 'read' }).expect(200);
      await until('the key may only read', async () => (await createBucket()) === 'AccessDenied');
      await patch(id, { expires_at: new Date(Date.now() + 1_000).toISOString() }).expect(200);
      await refused(key);
    });

    it('only for tokens that there are, and not without number', async () => {
      const unknown = randomUUID();
      for (const path of [`/v1/tokens/${unknown}/s3-keys`, '/v1/tokens/x/s3-keys']) {
        await gateway.http().post(path).set(master).expect(404);
        await gateway.http().get(path).set(master).expect(404);
      }
      const { id } = await create();
      for (let made = 0; made < 20; made += 1) await createKey(id);
      const { body } = await gateway.http().post(`/v1/tokens/${id}/s3-keys`).set(master).expect(409);
      expect(body).toMatchObject({ error: { code: 'too_many_s3_keys' } });
    });
  });
});
