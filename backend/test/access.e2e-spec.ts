import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuditSweep } from '../src/modules/audit/audit-sweep.js';
import { API_TOKEN, type TestApp, master, startApp } from './support/app.js';
import { type TestDatabase, createDatabase } from './support/database.js';
import { insertApp, insertSession } from './support/registry.js';
import { type TestTelegram, startTelegram } from './support/telegram.js';
import { until } from './support/until.js';

const CHAT = -1001;
const SOME_ID = '11111111-1111-4111-8111-111111111111';
const COLUMNS = ['none', 'disabled', 'expired', 'read', 'send', 'other', 'chats', 'covered', 'master'] as const;
type Column = (typeof COLUMNS)[number];

/** An operation of the OpenAPI document, its body, and the status of each column, all written by hand. */
type Row = readonly [operation: string, statuses: string, body?: object | undefined, query?: string];

/** Let in: what is behind cannot be loaded by Jest. */
const IN = 'in';
/** For the master alone, with what it gets. */
const MASTER = (status: number): string => `401 403 401 403 403 403 403 403 ${status}`;
/** For every token that serves. */
const ANY = (status: number): string => `401 403 401 ${Array(6).fill(status).join(' ')}`;
/** Of a covered session, without a class. */
const COVERED = (status: number): string => `401 403 401 ${status} ${status} 403 ${status} ${status} ${status}`;
/** Of a covered session, for the class read. */
const READ = (status: number): string => `401 403 401 ${status} 403 403 ${status} ${status} ${status}`;
/** Of no session, for the classes send and manage: the token of another session has them. */
const UPLOAD = (status: number | typeof IN): string => `401 403 401 403 ${Array(5).fill(status).join(' ')}`;

// Sessions are stopped bots and users without a directory; ids of other things are of nothing that there is.
const ROWS: readonly Row[] = [
  ['post /v1/console/session', '400 400 400 400 400 400 400 400 400', {}],
  ['post /v1/console/session', '401 401 401 401 401 401 401 401 401', { token: 'wrong' }],
  ['get /v1/console/session', '401 401 401 401 401 401 401 401 401'],
  ['delete /v1/console/session', '200 200 200 200 200 200 200 200 200'],
  ['get /healthz', '200 200 200 200 200 200 200 200 200'],
  ['get /readyz', '200 200 200 200 200 200 200 200 200'],

  ['get /v1/me', ANY(200)],
  ['get /v1/tokens', MASTER(200)],
  ['post /v1/tokens', MASTER(200), { name: 'made by the table' }],
  ['get /v1/tokens/{id}', MASTER(404)],
  ['patch /v1/tokens/{id}', MASTER(404), { all_sessions: true }],
  ['delete /v1/tokens/{id}', MASTER(404)],
  ['post /v1/tokens/{id}/rotate', MASTER(404), {}],
  ['post /v1/tokens/{id}/check', MASTER(404), { method: 'getMe', session_id: 'x' }],
  ['get /v1/tokens/{id}/s3-keys', MASTER(404)],
  ['post /v1/tokens/{id}/s3-keys', MASTER(404), {}],
  ['delete /v1/tokens/{id}/s3-keys/{key}', MASTER(404)],
  ['get /v1/audit', MASTER(200)],
  ['get /v1/workers', MASTER(200)],
  ['post /v1/workers/{id}/drain', MASTER(404)],
  ['post /v1/workers/{id}/undrain', MASTER(404)],
  ['post /v1/apps', MASTER(400), {}],
  ['get /v1/apps', MASTER(200)],
  ['patch /v1/apps/{id}', MASTER(404), { label: 'x' }],
  ['delete /v1/apps/{id}', MASTER(404)],
  ['post /v1/proxies', MASTER(400), {}],
  ['get /v1/proxies', MASTER(200)],
  ['patch /v1/proxies/{id}', MASTER(404), { label: 'x' }],
  ['delete /v1/proxies/{id}', MASTER(404)],
  ['post /v1/proxies/{id}/test', MASTER(404), {}],
  ['get /v1/storage', MASTER(200)],
  ['get /v1/limits', MASTER(200)],
  ['post /v1/limits', MASTER(400), {}],
  ['get /v1/limits/{id}', MASTER(404)],
  ['patch /v1/limits/{id}', MASTER(404), { max: 5 }],
  ['delete /v1/limits/{id}', MASTER(404)],
  ['get /v1/me/limits', ANY(200)],
  ['get /v1/{kind}/{id}/limits', COVERED(200)],
  ['get /v1/{kind}/{id}/limits/floods', MASTER(200)],
  ['get /v1/{kind}/{id}/limits/floods/counts', MASTER(200)],
  ['delete /v1/{kind}/{id}/limits/cooldowns/{scope}', MASTER(404)],

  ['post /v1/pools', MASTER(400), {}],
  ['get /v1/pools', ANY(200)],
  ['get /v1/pools/{pool}', MASTER(404)],
  ['patch /v1/pools/{pool}', MASTER(404), { paused: true }],
  ['delete /v1/pools/{pool}', MASTER(404)],
  ['get /v1/pools/{pool}/status', MASTER(404)],
  ['post /v1/pools/{pool}/verify', MASTER(404), {}],
  ['post /v1/pools/{pool}/chats', MASTER(404), { chat_id: CHAT }],
  ['post /v1/pools/{pool}/bots', MASTER(404), { session_id: SOME_ID }],
  ['patch /v1/pools/{pool}/bots/{id}', MASTER(404), { state: 'paused' }],
  ['delete /v1/pools/{pool}/bots/{id}', MASTER(404)],
  ['delete /v1/pools/{pool}/bots/{id}/cooldown', MASTER(404)],
  ['get /v1/pools/{pool}/objects', MASTER(404)],
  ['put /v1/pools/{pool}/objects/{key}', MASTER(404), {}],
  ['head /v1/pools/{pool}/objects/{key}', MASTER(404)],
  ['get /v1/pools/{pool}/objects/{key}', MASTER(404)],
  ['delete /v1/pools/{pool}/objects/{key}', MASTER(404)],
  ['get /v1/pools/{pool}/stat/{key}', MASTER(404)],
  ['post /v1/pools/{pool}/copies', MASTER(400), {}],
  ['post /v1/pools/{pool}/collect', MASTER(404), {}],
  ['post /v1/pools/{pool}/jobs', MASTER(400), {}],
  ['get /v1/pools/{pool}/jobs', MASTER(404)],
  ['get /v1/pools/{pool}/jobs/{id}', MASTER(404)],
  ['delete /v1/pools/{pool}/jobs/{id}', MASTER(404)],
  ['post /v1/pools/{pool}/uploads', MASTER(404), undefined, 'key=a'],
  ['get /v1/pools/{pool}/uploads', MASTER(404)],
  ['get /v1/pools/{pool}/uploads/{id}', MASTER(404)],
  ['patch /v1/pools/{pool}/uploads/{id}', MASTER(400), {}],
  ['delete /v1/pools/{pool}/uploads/{id}', MASTER(404)],
  ['post /v1/pools/{pool}/uploads/{id}/complete', MASTER(404), {}],
  ['post /v1/pools/{pool}/links', MASTER(404), { key: 'a', expires_in: 60 }],
  ['get /v1/pools/{pool}/links', MASTER(404)],
  ['delete /v1/pools/{pool}/links/{id}', MASTER(404)],
  ['get /v1/pools/{pool}/events', MASTER(404)],
  ['head /d/{ticket}', '404 404 404 404 404 404 404 404 404'],
  ['get /d/{ticket}', '404 404 404 404 404 404 404 404 404'],

  ['post /v1/bot', MASTER(400), {}],
  ['post /v1/user', MASTER(400), {}],
  ['post /v1/bot/{id}/login', MASTER(400), {}],
  ['post /v1/user/{id}/login', MASTER(409), {}],
  ['delete /v1/user/{id}/login', MASTER(409)],
  ['post /v1/user/{id}/login/code', MASTER(409), { code: '12345' }],
  ['post /v1/user/{id}/login/password', MASTER(409), { password: 'x' }],
  ['post /v1/user/{id}/login/resend', MASTER(409), {}],
  ['post /v1/user/{id}/login/email', MASTER(409), { email: 'a@example.com' }],
  ['post /v1/user/{id}/login/email-code', MASTER(409), { code: '12345' }],
  ['post /v1/user/{id}/login/recover', MASTER(409), {}],
  ['post /v1/user/{id}/login/register', MASTER(409), { first_name: 'A' }],
  ['get /v1/sessions', ANY(200)],
  ['get /v1/{kind}/{id}', COVERED(200)],
  ['patch /v1/{kind}/{id}', MASTER(200), { label: 'x' }],
  ['post /v1/{kind}/{id}/stop', MASTER(200), {}],
  ['post /v1/{kind}/{id}/move', MASTER(409), {}],
  ['post /v1/{kind}/{id}/start', MASTER(400), {}],
  ['delete /v1/{kind}/{id}', MASTER(200)],

  // What passes meets a session that is stopped.
  ['post /v1/{kind}/{id}/call', READ(409), { method: 'getMe' }],
  [
    'post /v1/{kind}/{id}/call',
    '401 403 401 403 409 403 409 409 409',
    { method: 'sendMessage', params: { chat_id: CHAT } },
  ],
  [
    'post /v1/{kind}/{id}/call',
    '401 403 401 403 403 403 409 409 409',
    { method: 'leaveChat', params: { chat_id: CHAT } },
  ],
  ['post /v1/{kind}/{id}/call', MASTER(409), { method: 'setPassword' }],
  ['post /v1/{kind}/{id}/call', MASTER(403), { method: 'logOut' }],
  ['post /v1/{kind}/{id}/call', '401 403 401 400 400 403 400 400 400', {}],
  ['get /v1/{kind}/{id}/sends', COVERED(200)],
  ['get /v1/{kind}/{id}/sends', '401 403 401 404 404 403 403 404 404', undefined, 'chat_id=5&message_id=7'],
  // It computes without a session; a chat in it is none that anybody reads.
  ['post /v1/execute', '401 403 401 200 403 200 200 200 200', { method: 'getTextEntities', params: { text: '@x' } }],
  ['post /v1/execute', MASTER(400), { method: 'setOption', params: { name: 'x' } }],
  ['get /v1/td/methods', ANY(200)],
  ['get /v1/td/types', ANY(200)],

  ['post /v1/files', UPLOAD(400)],
  ['get /v1/files', UPLOAD(200)],
  ['patch /v1/files/{id}', UPLOAD(400), {}],
  ['get /v1/files/{id}', UPLOAD(400)],
  ['delete /v1/files/{id}', UPLOAD(400)],
  ['post /v1/files/{id}/complete', UPLOAD(400), {}],
  ['post /v1/uploads', UPLOAD(IN), {}],
  ['options /v1/uploads', UPLOAD(IN)],
  ['head /v1/uploads/{id}', UPLOAD(IN)],
  ['patch /v1/uploads/{id}', UPLOAD(IN), {}],
  ['delete /v1/uploads/{id}', UPLOAD(IN)],
  ['get /v1/{kind}/{id}/storage', READ(409)],
  ['post /v1/{kind}/{id}/storage/optimize', '401 403 401 403 403 403 409 409 409', {}],
  // The number of a file does not tell its chat: a token of some chats names the message.
  ['head /v1/{kind}/{id}/files/{file_id}', '401 403 401 409 403 403 403 409 409'],
  ['get /v1/{kind}/{id}/files/{file_id}', '401 403 401 409 403 403 403 409 409'],
  ['get /v1/{kind}/{id}/files/{file_id}', READ(409), undefined, `chat_id=${CHAT}&message_id=1`],
  ['get /v1/{kind}/{id}/files/{file_id}', '401 403 401 409 403 403 403 409 409', undefined, 'chat_id=5&message_id=1'],
  [
    'get /v1/{kind}/{id}/files/{file_id}',
    '401 403 401 403 403 403 403 403 409',
    undefined,
    'chat_id=777000&message_id=1',
  ],

  ['get /v1/subscriptions', MASTER(200)],
  ['post /v1/{kind}/{id}/updates/subscriptions', READ(200), { kind: 'stream' }],
  ['get /v1/{kind}/{id}/updates/subscriptions', READ(200)],
  ['post /v1/{kind}/{id}/updates/subscriptions/preview', READ(200), { filters: {} }],
  ['get /v1/{kind}/{id}/updates/subscriptions/{sub}', READ(404)],
  ['patch /v1/{kind}/{id}/updates/subscriptions/{sub}', READ(404), { enabled: false }],
  ['delete /v1/{kind}/{id}/updates/subscriptions/{sub}', READ(404)],
  ['get /v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries', READ(404)],
  ['get /v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries/{delivery}', READ(404)],
  ['post /v1/{kind}/{id}/updates/subscriptions/{sub}/deliveries/{delivery}/retry', READ(404), {}],
  ['post /v1/{kind}/{id}/updates/subscriptions/{sub}/recover', READ(404), { since: '2026-01-01T00:00:00Z' }],
  ['post /v1/{kind}/{id}/updates/subscriptions/{sub}/test', READ(404), {}],
  ['get /v1/{kind}/{id}/updates/subscriptions/{sub}/events', READ(404)],
  ['post /v1/events/ticket', '401 403 401 200 403 200 200 200 200', {}],
];

type Method = 'head' | 'options' | 'get' | 'post' | 'patch' | 'delete' | 'put';

describe('access', () => {
  let database: TestDatabase;
  let telegram: TestTelegram;
  let app: TestApp;
  let appId: string;
  let headers: Record<Column, Record<string, string>>;
  let ids: Partial<Record<Column, string>>;

  beforeAll(async () => {
    database = await createDatabase();
    telegram = await startTelegram();
    const env = { ...telegram.env, TDLIB_PROXY_ONLY: 'true', AUTH_FAILURES_PER_MINUTE: '100000' };
    app = await startApp({ database, env });
    appId = await insertApp(database);
    const foreign = await insertSession(database, await insertApp(database));
    ids = {};
    const make = async (column: Column, body: object): Promise<Record<string, string>> => {
      const answer = await app
        .http()
        .post('/v1/tokens')
        .set(master)
        .send({ name: column, ...body })
        .expect(200);
      const { id, token } = (answer.body as { result: { id: string; token: string } }).result;
      ids[column] = id;
      return { authorization: `Bearer ${token}` };
    };
    const mine = { app_ids: [appId] };
    headers = {
      none: {},
      disabled: await make('disabled', { ...mine, enabled: false }),
      expired: await make('expired', { ...mine, expires_at: '2999-01-01T00:00:00Z' }),
      read: await make('read', { ...mine, classes: ['read'] }),
      send: await make('send', { ...mine, classes: ['send'] }),
      other: await make('other', { session_ids: [foreign] }),
      chats: await make('chats', { ...mine, chats: [CHAT] }),
      covered: await make('covered', mine),
      master,
    };
    await database.query(`UPDATE api_tokens SET expires_at = now() - interval '1 s' WHERE id = $1`, [ids.expired]);
  });

  afterAll(async () => {
    await app.stop();
    await telegram.stop();
    await database.drop();
  });

  async function status([operation, , body, query]: Row, column: Column): Promise<number> {
    const [method = '', path = ''] = operation.split(' ');
    const kind = path.includes('/user/') ? 'user' : 'bot';
    const isOfSession = /\/(bot|user|\{kind\})\/\{id\}/.test(path);
    const id = isOfSession ? await insertSession(database, appId, { kind }) : randomUUID();
    const url = path
      .replace('{kind}', kind)
      .replace('{id}', id)
      .replace('{file_id}', '1')
      .replace(/\{\w+\}/g, () => randomUUID());
    const request = app
      .http()
      [method as Method](query === undefined ? url : `${url}?${query}`)
      .set(headers[column]);
    return (await (body === undefined ? request : request.send(body))).status;
  }

  const { paths } = JSON.parse(readFileSync(join(__dirname, '..', 'openapi.json'), 'utf8')) as {
    readonly paths: Record<string, object>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );

  it('has a row for every route that there is, and for no other', () => {
    expect([...new Set(ROWS.map(([operation]) => operation))].sort()).toEqual(operations.sort());
  });

  it.each(COLUMNS)(
    'is as it was decided for the column %s',
    async (column) => {
      const at = COLUMNS.indexOf(column);
      const wrong: string[] = [];
      for (const row of ROWS) {
        const expected = row[1].split(' ')[at] ?? '';
        const given = await status(row, column);
        const isRight = expected === IN ? ![401, 403].includes(given) : given === Number(expected);
        if (!isRight) wrong.push(`${row[0]} ${JSON.stringify(row[2] ?? {})}: ${given}, not ${expected}`);
      }
      expect(wrong).toEqual([]);
    },
    60_000,
  );

  describe('to pools of bots', () => {
    const POOL = '22222222-2222-4222-8222-222222222222';
    const upload = `uploads/${SOME_ID}`;
    const writes = new Set([
      ...['put objects/key', 'delete objects/key', 'post copies'],
      ...['post uploads', `patch ${upload}`, `delete ${upload}`, `post ${upload}/complete`],
    ]);
    const reads = new Set([
      ...['get', 'get status', 'get objects', 'get objects/key', 'head objects/key', 'get stat/key'],
      ...['get uploads', `get ${upload}`, 'get events', 'get links', 'post links', `delete links/${SOME_ID}`],
    ]);
    const copy = { from: { key: 'a' }, to: { key: 'b' } };
    let tokens: Record<'reader' | 'writer' | 'other', Record<string, string>>;

    beforeAll(async () => {
      for (const [id, name] of [
        [POOL, 'mine'],
        [SOME_ID, 'yours'],
      ]) {
        await database.query(
          `INSERT INTO pools (id, name, chunk_bytes, budget_max, budget_window_ms, budget_gap_ms)
           VALUES ($1, $2, 1048576, 20, 60000, 0)`,
          [id, name],
        );
        // With a chat the worker runs them, without a bot.
        await database.query('INSERT INTO pool_chats (pool_id, chat_id) VALUES ($1, $2)', [id, CHAT]);
      }
      const make = async (pool_ids: string[], pool_access: string): Promise<Record<string, string>> => {
        const made = await app.http().post('/v1/tokens').set(master).send({ pool_ids, pool_access }).expect(200);
        return { authorization: `Bearer ${(made.body as { result: { token: string } }).result.token}` };
      };
      tokens = {
        reader: await make([POOL], 'read'),
        writer: await make([POOL], 'write'),
        other: await make([SOME_ID], 'write'),
      };
    });

    const ofPools = operations.flatMap((operation) => {
      const [, method, rest = ''] = /^(\w+) \/v1\/pools\/\{pool\}\/?(.*)$/.exec(operation) ?? [];
      const path = rest.replace('{key}', 'key').replace('{id}', SOME_ID);
      return method === undefined ? [] : [`${method} ${path}`.trim()];
    });

    it('are by their tokens, to read or to write too', async () => {
      expect(ofPools).toEqual(expect.arrayContaining([...reads, ...writes]));
      const wrong: string[] = [];
      for (const operation of ofPools) {
        for (const who of ['reader', 'writer', 'other'] as const) {
          const [method = '', path = ''] = operation.split(' ');
          const url = `/v1/pools/mine${path === '' ? '' : `/${path}`}`;
          // A stream that may be read does not end; one that is asked for wrongly does.
          const asked = app
            .http()
            [method as Method](url)
            .set({ ...tokens[who], 'last-event-id': 'x' });
          const { status: given } = await (path === 'copies' ? asked.send(copy) : asked);
          const isOpen = who !== 'other' && (reads.has(operation) || (who === 'writer' && writes.has(operation)));
          if (isOpen ? [401, 403].includes(given) : given !== 403) wrong.push(`${who}: ${operation}: ${given}`);
        }
      }
      expect(wrong).toEqual([]);
    }, 60_000);

    it('show each token its own, without the worker that runs them, and a stranger nothing', async () => {
      const seen = async (as: Record<string, string>): Promise<unknown> => {
        const { body } = await app.http().get('/v1/pools').set(as).expect(200);
        return (body as { result: { name: string; worker?: string }[] }).result.map(
          ({ name, worker }) => `${name} ${worker === undefined ? 'hidden' : 'shown'}`,
        );
      };
      expect(await seen(tokens.reader)).toEqual(['mine hidden']);
      expect(await seen(tokens.other)).toEqual(['yours hidden']);
      expect(await seen(headers.covered)).toEqual([]);
      await app.http().get(`/v1/pools/${POOL}`).set(tokens.reader).expect(200);
      const nothing = await app.http().get('/v1/pools/nothing').set(tokens.reader).expect(403);
      expect(nothing.body).toMatchObject({ error: { code: 'scope_denied' } });
    });
  });

  describe('and the audit log', () => {
    interface Event {
      readonly id: string;
      readonly actor: string;
      readonly action: string;
      readonly status: number;
      readonly count: number;
      readonly details: Record<string, unknown>;
      readonly [field: string]: unknown;
    }

    async function events(query: string): Promise<Event[]> {
      const answer = await app.http().get(`/v1/audit?${query}`).set(master).expect(200);
      return (answer.body as { result: Event[] }).result;
    }

    const eventsOf = (requestId: string, count = 1): Promise<Event[]> =>
      until('the event is written', async () => {
        const found = await events(`request_id=${requestId}`);
        return found.length >= count && found;
      });

    it('tell who made what from where, under the request id of the answer, and no secret', async () => {
      const requestId = randomUUID();
      const made = await app
        .http()
        .post('/v1/proxies')
        .set({ ...master, 'x-request-id': requestId })
        .send({ type: 'socks5', host: 'proxy.example.com', port: 1080, username: 'ada', password: 'hunter2' })
        .expect(200);
      const { proxy_id: id } = (made.body as { result: { proxy_id: string } }).result;
      expect(await eventsOf(requestId)).toEqual([
        {
          id: expect.any(String),
          at: expect.any(String),
          actor: 'master',
          address: '127.0.0.1',
          request_id: requestId,
          action: 'createProxy',
          object_type: 'proxy',
          object_id: id,
          status: 200,
          details: {
            body: { type: 'socks5', host: 'proxy.example.com', port: 1080, username: '***', password: '***' },
          },
          count: 1,
        },
      ]);
    });

    it('tell of login steps and of what was refused to them, with codes and numbers masked', async () => {
      const user = await insertSession(database, appId, { kind: 'user' });
      const requestId = randomUUID();
      await app
        .http()
        .post(`/v1/user/${user}/login/code`)
        .set({ ...master, 'x-request-id': requestId })
        .send({ code: '12345', phone: '+15550142' })
        .expect(409);
      const [event] = await eventsOf(requestId);
      expect(event).toMatchObject({
        action: 'submitLoginCode',
        object_type: 'session',
        object_id: user,
        session_id: user,
        status: 409,
        code: 'session_not_ready',
        details: { body: { code: '***', phone: '***42' } },
      });
      expect(await events(`object=${user.toUpperCase()}`)).toEqual([event]);
    });

    it('tell why a cooldown was to be lifted, and its scope as it is written', async () => {
      const user = await insertSession(database, appId, { kind: 'user' });
      const requestId = randomUUID();
      await app
        .http()
        .delete(`/v1/user/${user}/limits/cooldowns/getUser?reason=it%20is%20over&token=x`)
        .set({ ...master, 'x-request-id': requestId });
      expect(await eventsOf(requestId)).toMatchObject([
        {
          action: 'liftCooldown',
          object_type: 'cooldown',
          object_id: 'getUser',
          session_id: user,
          details: { query: { reason: 'it is over', token: '***' } },
        },
      ]);
    });

    it('tell of refused calls, whose they were, the first at once and how many more when the time is over', async () => {
      const bot = await insertSession(database, appId);
      const call = (): Promise<unknown> =>
        app
          .http()
          .post(`/v1/bot/${bot}/call`)
          .set(headers.covered)
          .send({ method: 'setPassword', params: { new_password: 'hunter2' } })
          .expect(403);
      for (let attempt = 0; attempt < 5; attempt += 1) await call();
      const found = await until('the first', async () => {
        const all = await events(`object=${bot}&action=callMethod`);
        return all.length > 0 && all;
      });
      expect(found).toEqual([
        expect.objectContaining({
          actor: 'token',
          token_id: ids.covered,
          token_name: 'covered',
          status: 403,
          code: 'scope_denied',
          details: { method: 'setPassword', class: 'account' },
          count: 1,
        }),
      ]);
      expect(await events(`actor=${ids.covered ?? ''}&object=${bot}`)).toEqual(found);
    });

    it('name who was refused, also before the body was read, and nobody where it is nobody', async () => {
      const id = randomUUID();
      await app.http().patch(`/v1/tokens/${id}`).set(headers.read).send({ all_sessions: true }).expect(403);
      await app.http().delete(`/v1/tokens/${id}`).expect(401);
      const found = await until('both', async () => {
        const all = await events(`object=${id}`);
        return all.length === 2 && all;
      });
      expect(found).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ action: 'updateToken', actor: 'token', token_id: ids.read, details: {} }),
          expect.objectContaining({ action: 'deleteToken', actor: 'nobody', code: 'unauthenticated' }),
        ]),
      );
    });

    it('can be paged and searched by actor, action and time', async () => {
      const from = new Date().toISOString();
      const requestIds = [randomUUID(), randomUUID(), randomUUID()];
      for (const requestId of requestIds) {
        await app
          .http()
          .post('/v1/tokens')
          .set({ ...master, 'x-request-id': requestId })
          .send({})
          .expect(200);
      }
      for (const requestId of requestIds) await eventsOf(requestId);
      const query = `action=createToken&from=${from}`;
      const first = await app.http().get(`/v1/audit?${query}&limit=2`).set(master).expect(200);
      const { result, next_cursor } = first.body as { result: Event[]; next_cursor: string };
      const rest = await events(`${query}&limit=2&cursor=${next_cursor}`);
      expect([...result, ...rest].map((each) => each['request_id'])).toEqual(requestIds.toReversed());
      expect(await events(`${query}&to=${from}`)).toEqual([]);
      expect(await events(`${query}&actor=console`)).toEqual([]);
      expect(await events(`${query}&actor=master`)).toHaveLength(3);
      await app.http().get('/v1/audit?from=yesterday').set(master).expect(400);
    });

    it('has no line for what changes nothing, and takes whatever is thrown at it', async () => {
      const requestId = randomUUID();
      await app
        .http()
        .get('/v1/tokens')
        .set({ ...master, 'x-request-id': requestId })
        .expect(200);
      await app
        .http()
        .post('/v1/execute')
        .set({ ...master, 'x-request-id': requestId })
        .send({ method: 'getTextEntities', params: { text: 'x' } })
        .expect(200);
      const odd = randomUUID();
      await app
        .http()
        .post('/v1/console/session')
        .set('x-request-id', odd)
        .type('json')
        .send(`{"token":"x","\\ud800":1,"a\\u0000b":{"\\udfff":"\\ud800"}}`);
      expect(await eventsOf(odd)).toMatchObject([{ action: 'openConsoleSession', actor: 'nobody', status: 400 }]);
      expect(await events(`request_id=${requestId}`)).toEqual([]);
      const opening = randomUUID();
      await app.http().post('/v1/console/session').set('x-request-id', opening).send({ token: API_TOKEN }).expect(200);
      expect(await eventsOf(opening)).toMatchObject([{ action: 'openConsoleSession', actor: 'console', status: 200 }]);
      const [row] = await database.query<{ text: string }>(
        `SELECT string_agg(e::text, ' ') AS text FROM audit_events e`,
      );
      expect(row?.text).not.toMatch(/hunter2|12345"|15550142/);
      expect(row?.text).not.toContain(API_TOKEN);
    });

    it('are written when the process ends, counted ones too, and forgotten after AUDIT_TTL', async () => {
      const own = await startApp({ role: 'gateway', database, env: { AUDIT_TTL: '1h' } });
      const bot = await insertSession(database, appId);
      for (let attempt = 0; attempt < 3; attempt += 1) await own.http().get(`/v1/bot/${bot}`).expect(401);
      await database.query(
        `INSERT INTO audit_events (id, created_at, actor, address, request_id, action, status, details, count)
         VALUES ($1, now() - interval '61 min', 'master', '', 'old', 'old', 200, '{}', 1)`,
        [randomUUID()],
      );
      await own.app.get(AuditSweep, { strict: false }).sweep();
      expect(await events('request_id=old')).toEqual([]);
      await own.stop();
      const counts = (await events(`object=${bot}`)).map(({ count }) => count);
      expect(counts.toSorted()).toEqual([1, 2]);
    });
  });
});
