import { randomUUID } from 'node:crypto';
import { startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { EventStream } from './support/events.js';
import { Receiver, textOf } from './support/receiver.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

/** Gateway and worker, so that everything goes the longer way. */
describe('subscriptions through a gateway', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let worker: TestApp;
  let gateway: TestApp;
  let api: ApiClient;
  let receiver: Receiver;
  let path: string;
  let session: string;
  let bot: number;
  let friend: number;

  const subscriptions = (id = ''): string => `${path}/updates/subscriptions${id === '' ? '' : `/${id}`}`;
  const subscribe = (body: object): Promise<Record<string, unknown> & { readonly id: string }> =>
    api.must(api.post(subscriptions(), body));
  const say = (text: string): Promise<unknown> => telegram.control.sendMessage({ chatId: bot, from: friend, text });
  const issuesOf = ({ body }: Answer): unknown =>
    (body.error?.['details'] as { issues: { path: string }[] } | undefined)?.issues.map((issue) => issue.path);
  const createToken = async (): Promise<{ id: string; headers: Record<string, string> }> => {
    const made = await api.must(api.post('/v1/tokens', { session_ids: [session] }));
    return { id: made.id, headers: { authorization: `Bearer ${String(made['token'])}` } };
  };
  const as = async (
    method: 'get' | 'post' | 'delete',
    at: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Answer> => {
    const request = gateway.http()[method](at).set(headers);
    return body === undefined ? request : request.send(body);
  };

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    const networks = { WEBHOOK_ALLOW_NETWORKS: '127.0.0.1,10.0.0.0/8' };
    const { TDLIB_PATH } = telegram.env;
    worker = await startApp({ role: 'worker', env: { ...telegram.env, ...networks, WORKER_ID: 'w1' }, database });
    const few = { HELD_REQUESTS_PER_TOKEN: '3', HELD_REQUESTS_PER_ADDRESS: '5' };
    const env = { TDLIB_PATH, TDLIB_PROXY_ONLY: 'true', ...networks, ...few };
    gateway = await startApp({ role: 'gateway', env, database });
    api = new ApiClient(gateway);
    receiver = await Receiver.start();
    const { token, userId } = telegram.control.createBot({ username: 'subscribed_bot' });
    bot = userId;
    session = (await api.must(api.post('/v1/bot', { token, app_id: await api.createApp() }))).id;
    path = `/v1/bot/${session}`;
    friend = telegram.control.createAccount({ phone: '15550611', firstName: 'F' }).userId;
  });

  afterEach(async () => {
    const { body } = await api.get(subscriptions());
    for (const { id } of body.result as unknown as { id: string }[]) await api.delete(subscriptions(id));
    receiver.received.length = 0;
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.stop();
    await receiver.stop();
    await database.drop();
    await telegram.stop();
  });

  it('are listed over all sessions for the master token, each with its session, and for no other', async () => {
    const { id } = await subscribe({ url: receiver.url });
    await subscribe({ kind: 'stream' });
    const first = await api.get('/v1/subscriptions?limit=1');
    expect(first.body.result).toEqual([
      expect.objectContaining({ id, session_id: session, session_kind: 'bot', state: 'active', pending: 0 }),
    ]);
    const second = await api.get(`/v1/subscriptions?limit=1&cursor=${first.body.next_cursor ?? ''}`);
    expect(second.body.result).toEqual([expect.objectContaining({ kind: 'stream', session_id: session })]);
    const { headers } = await createToken();
    expect((await as('get', '/v1/subscriptions', headers)).status).toBe(403);
  });

  it('are live when they are made, show their secret once, and are listed without it', async () => {
    const made = await subscribe({ url: receiver.url, filters: { types: ['updateNewMessage', 'updateNewMesage'] } });
    expect(made).toEqual({
      id: expect.any(String) as string,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
      warnings: ['updateNewMesage is no update that this TDLib or tgcontrol makes'],
    });
    await say('at once');
    await receiver.about('at once');
    const own = await subscribe({ url: receiver.url, secret: 'a secret of mine' });
    expect(own['secret']).toBeUndefined();
    expect(own['warnings']).toEqual(['another subscription of this session posts to the same URL: it gets both']);
    const listed = await api.get(`${subscriptions()}?limit=1`);
    expect(listed.body.result).toEqual([
      {
        id: made.id,
        kind: 'webhook',
        url: receiver.url,
        order: 'none',
        max_connections: 40,
        filters: { types: ['updateNewMessage', 'updateNewMesage'] },
        enabled: true,
        state: 'active',
        pending: 0,
        failed: 0,
        dropped: 0,
        delivered: expect.any(Number) as number,
        created_at: expect.any(String) as string,
        ...(listed.body.result as unknown as Record<string, unknown>[])[0],
      },
    ]);
    expect(JSON.stringify(listed.body)).not.toContain('whsec_');
    const next = await api.get(`${subscriptions()}?limit=1&cursor=${String(listed.body.next_cursor)}`);
    expect(next.body.result).toMatchObject([{ id: own.id }]);
    const stored = await database.query<{ secret_sealed: string }>('SELECT secret_sealed FROM subscriptions');
    for (const { secret_sealed } of stored) expect(secret_sealed).toMatch(/^v1\./);
  });

  it.each<[object, readonly string[]]>([
    [{}, ['url']],
    [{ url: 'ftp://example.com/' }, ['url']],
    [{ url: 'http://127.0.0.2/' }, ['url']],
    [{ url: 'http://a:b@example.com/' }, ['url']],
    [{ url: `http://example.com/${'x'.repeat(2_100)}` }, ['url']],
    [{ kind: 'stream', url: 'http://example.com/' }, ['url']],
    [{ kind: 'stream', secret: 'long enough', order: 'chat' }, ['secret', 'order']],
    [{ kind: 'queue' }, ['kind']],
    [{ url: 'http://example.com/', secret: 'short' }, ['secret']],
    [{ url: 'http://example.com/', max_connections: 0, order: 'any' }, ['order', 'max_connections']],
    [{ url: 'http://example.com/', max_connections: 101 }, ['max_connections']],
    [{ url: 'http://example.com/', filters: 'all' }, ['filters']],
    [{ url: 'http://example.com/', filters: { types: [1] } }, ['filters.types']],
    [{ url: 'http://example.com/', filters: { types: ['a b'], chats: ['x'] } }, ['filters.types', 'filters.chats']],
    [{ url: 'http://example.com/', filters: { chats: [1.5] } }, ['filters.chats']],
  ])('that make no sense are refused with what is wrong (%#)', async (body, fields) => {
    const answer = await api.post(subscriptions(), body);
    expect(answer.status).toBe(400);
    expect((issuesOf(answer) as string[]).toSorted()).toEqual([...fields].toSorted());
  });

  it('have their secret rotated, the old one signing too', async () => {
    const { id } = await subscribe({ url: receiver.url, filters: { types: ['updateNewMessage'] } });
    const rotated = await api.must(api.patch(subscriptions(id), { rotate_secret: true }));
    expect(rotated).toMatchObject({ status: 'updated', secret: expect.stringMatching(/^whsec_/) as string });
    await until('two signatures', async () => {
      await say('rotated');
      return receiver.received.some(({ headers }) => String(headers['webhook-signature']).split(' ').length === 2);
    });
    expect((await api.must(api.get(subscriptions(id))))['former_secret_until']).toBeDefined();
    expect((await api.patch(subscriptions(id), { secret: 'without rotation' })).status).toBe(400);
    expect((await api.patch(subscriptions(id), { rotate_secret: false })).status).toBe(400);
  });

  it('belong to the token that made them; only the master sees those of others', async () => {
    const [one, two] = [await createToken(), await createToken()];
    const ofMaster = await subscribe({ kind: 'stream' });
    const made = await as('post', subscriptions(), one.headers, { kind: 'stream' });
    const id = made.body.result?.id ?? '';
    expect((await as('get', subscriptions(), one.headers)).body.result).toMatchObject([{ id, token_id: one.id }]);
    expect((await as('get', subscriptions(), two.headers)).body.result).toEqual([]);
    for (const other of [id, ofMaster.id]) {
      for (const at of ['', '/deliveries', '/events']) {
        const answer = await as('get', `${subscriptions(other)}${at}`, two.headers);
        expect([answer.status, answer.body.error?.['code']]).toEqual([404, 'subscription_not_found']);
      }
      expect((await as('delete', subscriptions(other), two.headers)).status).toBe(404);
    }
    expect((await api.get(subscriptions())).body.result).toHaveLength(2);
    await api.must(api.delete(`/v1/tokens/${one.id}`));
    expect((await api.get(subscriptions())).body.result).toMatchObject([{ id: ofMaster.id }]);
  });

  it('are unknown under wrong ids, sessions and kinds', async () => {
    const { id } = await subscribe({ kind: 'stream' });
    for (const [at, code] of [
      [subscriptions(randomUUID()), 'subscription_not_found'],
      [subscriptions('nonsense'), 'subscription_not_found'],
      [`/v1/user/${session}/updates/subscriptions/${id}`, 'kind_mismatch'],
      [`/v1/bot/${randomUUID()}/updates/subscriptions/${id}`, 'session_not_found'],
      [`${subscriptions(id)}/deliveries/${randomUUID()}`, 'delivery_not_found'],
    ] as const) {
      const { status, body } = await api.get(at);
      expect([status, body.error?.['code']]).toEqual([404, code]);
    }
    expect((await api.get(`${subscriptions(id)}/events?after=-`)).status).toBe(400);
    expect((await api.get(`${subscriptions(id)}/events?timeout=61`)).status).toBe(400);
    expect((await api.get(`${subscriptions(id)}/deliveries?status=lost`)).status).toBe(400);
    expect((await api.post(`${subscriptions(id)}/recover`, { since: 'yesterday' })).status).toBe(400);
    expect((await api.post(`${subscriptions(id)}/recover`, { since: new Date().toISOString() })).status).toBe(400);
  });

  it('are read through any gateway with a ticket that serves once', async () => {
    const { id } = await subscribe({ kind: 'stream', filters: { types: ['updateNewMessage'] } });
    const token = await createToken();
    const { ticket } = await api.must(api.post('/v1/events/ticket'));
    const at = `${gateway.url}${subscriptions(id)}/events?ticket=`;
    const stream = EventStream.open(`${at}${String(ticket)}`, { authorization: '' });
    await until('the stream', () => stream.ids.length > 0);
    await say('by ticket');
    await until('the event', () => stream.events.length === 1);
    expect(textOf(stream.events[0]?.update ?? {})).toBe('by ticket');
    const again = EventStream.open(`${at}${String(ticket)}`, { authorization: '' });
    await until('the refusal', () => again.isOver);
    expect(again.status).toBe(401);
    // A ticket gives what its token has, and nothing anywhere else.
    const scoped = (await as('post', '/v1/events/ticket', token.headers)).body.result?.['ticket'];
    const foreign = EventStream.open(`${at}${String(scoped)}`, { authorization: '' });
    await until('the refusal', () => foreign.isOver);
    expect(foreign.status).toBe(404);
    const elsewhere = (await api.must(api.post('/v1/events/ticket')))['ticket'];
    expect((await gateway.http().get(`${subscriptions()}?ticket=${String(elsewhere)}`)).status).toBe(401);
    stream.close();
  });

  it('are held open for a token, and for an address, only so many at once; the master reads on', async () => {
    const [one, two] = [await createToken(), await createToken()];
    const streamOf = async (headers: Record<string, string>): Promise<string> =>
      subscriptions((await as('post', subscriptions(), headers, { kind: 'stream' })).body.result?.id);
    const [first, second] = [await streamOf(one.headers), await streamOf(two.headers)];
    const open: EventStream[] = [];
    const stream = async (at: string, headers: Record<string, string>): Promise<EventStream> => {
      const opened = EventStream.open(`${gateway.url}${at}/events`, headers);
      open.push(opened);
      await until('the stream or its refusal', () => opened.ids.length > 0 || opened.isOver);
      return opened;
    };
    const refused = async (at: string, headers: Record<string, string>): Promise<unknown> => {
      const { status, headers: answered, body } = await as('get', at, headers);
      return [status, body.error?.['code'], body.error?.['details'], answered['retry-after']];
    };
    const tooMany = (of: string, limit: number): unknown => [429, 'too_many_held_requests', { of, limit }, '5'];
    try {
      for (let opened = 0; opened < 3; opened += 1) await stream(first, one.headers);
      expect((await stream(first, one.headers)).status).toBe(429);
      for (const waiting of [`${first}/events?timeout=60`, `${path}/sends?wait=60`]) {
        expect(await refused(waiting, one.headers)).toEqual(tooMany('token', 3));
      }
      expect((await as('get', `${first}/events`, one.headers)).status).toBe(200);
      for (let opened = 0; opened < 2; opened += 1) expect((await stream(second, two.headers)).status).toBe(200);
      expect(await refused(`${second}/events?timeout=60`, two.headers)).toEqual(tooMany('address', 5));
      expect((await stream(first, {})).status).toBe(200);
      open[0]?.close();
      await until('the place is free', async () => (await stream(second, two.headers)).status === 200);
      await until('the refusals are in the audit log', async () => {
        const { body } = await api.get('/v1/audit?action=readEvents');
        return JSON.stringify(body.result).includes('too_many_held_requests');
      });
    } finally {
      for (const each of open) each.close();
    }
  });

  it('say how many of the newest updates filters would let pass', async () => {
    await subscribe({ kind: 'stream', filters: { types: ['updateNewMessage'] } });
    await database.query('DELETE FROM updates');
    for (const text of ['p1', 'p2', 'p3']) await say(text);
    const preview = (filters: object): Promise<unknown> =>
      api.must(api.post(`${subscriptions()}/preview`, { filters }));
    await until('three', async () => ((await preview({})) as { of: number }).of === 3);
    expect(await preview({ chats: [friend] })).toMatchObject({ matched: 3, of: 3, types: { updateNewMessage: 3 } });
    expect(await preview({ chats: [1] })).toMatchObject({ matched: 0, of: 3 });
  });

  it('are deleted at once with 10,000 deliveries that wait', async () => {
    receiver.answer = (response) => response.writeHead(503, { 'retry-after': '300' }).end();
    const { id } = await subscribe({ url: receiver.url, filters: { types: ['tgcontrol.nothing'] } });
    await database.query(
      `WITH made AS (
         INSERT INTO updates (part, id, session_id, type, at, payload)
         SELECT update_part(now()), gen_random_uuid(), $1, 'updateNewMessage', now(), '{"@type":"updateNewMessage"}'
           FROM generate_series(1, 10000) RETURNING part, id)
       INSERT INTO deliveries (part, id, subscription_id, update_id, status, due_at)
       SELECT part, gen_random_uuid(), $2, id, 'pending', now() FROM made`,
      [session, id],
    );
    await api.must(api.post(`${subscriptions(id)}/test`));
    await until('an attempt', () => receiver.received.length > 0);
    expect((await api.must(api.get(subscriptions(id))))['pending']).toBe(10_001);
    await api.must(api.delete(subscriptions(id)));
    expect(await database.query('SELECT 1 FROM deliveries WHERE subscription_id = $1 LIMIT 1', [id])).toEqual([]);
    receiver.answer = (response) => response.end();
    const count = receiver.received.length;
    const { id: next } = await subscribe({ url: receiver.url, filters: { types: ['updateNewMessage'] } });
    await say('after that');
    await receiver.about('after that');
    expect(receiver.received.slice(count).every(({ headers }) => headers['x-tgcontrol-subscription'] === next)).toBe(
      true,
    );
  });

  it('go on in the worker that takes their session over', async () => {
    const { id } = await subscribe({ url: receiver.url, filters: { types: ['updateNewMessage'] } });
    const other = await startApp({
      role: 'worker',
      env: { ...telegram.env, WEBHOOK_ALLOW_NETWORKS: '127.0.0.1', WORKER_ID: 'w2', DATA_DIR: worker.dataDir },
      database,
    });
    await say('before the move');
    await receiver.about('before the move');
    await worker.app.close();
    await until('the move', async () => (await api.call(path, 'getMe')).status === 200);
    await say('after the move');
    await receiver.about('after the move');
    for (const text of ['before the move', 'after the move']) {
      expect(receiver.texts.filter((each) => each === text)).toHaveLength(1);
    }
    expect((await api.must(api.get(subscriptions(id))))['state']).toBe('active');
    await other.stop();
  });
});
