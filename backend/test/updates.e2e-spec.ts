import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { UnitOfWork } from '../src/common/db/unit-of-work.js';
import { HeldSessions } from '../src/modules/sessions/held-sessions.js';
import { LanesRepository } from '../src/modules/webhooks/lanes.repository.js';
import type { Subscriber } from '../src/modules/webhooks/subscriber.js';
import { SubscribersRepository } from '../src/modules/webhooks/subscribers.repository.js';
import { UpdatesRepository } from '../src/modules/webhooks/updates.repository.js';
import { startApp, type TestApp } from './support/app.js';
import { EventStream, type StreamEvent } from './support/events.js';
import { Receiver, textOf } from './support/receiver.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { loginUser } from './support/users.js';

const NEW_MESSAGES = { types: ['updateNewMessage'] };

describe('updates', () => {
  let telegram: TestTelegram;
  let app: TestApp;
  let api: ApiClient;
  let appId: string;
  let path: string;
  let bot: number;
  let friend: number;
  let other: number;
  const receivers: Receiver[] = [];

  const say = (text: string, from = friend): Promise<unknown> =>
    telegram.control.sendMessage({ chatId: bot, from, text });
  const subscriptions = (of = path): string => `${of}/updates/subscriptions`;
  const subscribe = (body: object, of = path): Promise<Record<string, unknown> & { readonly id: string }> =>
    api.must(api.post(subscriptions(of), body));
  const receive = async (): Promise<Receiver> => {
    const receiver = await Receiver.start();
    receivers.push(receiver);
    return receiver;
  };
  const status = (id: string): Promise<Record<string, unknown>> => api.must(api.get(`${subscriptions()}/${id}`));
  const poll = async (id: string, query: string): Promise<{ events: StreamEvent[]; next: string }> => {
    const { body } = await api.get(`${subscriptions()}/${id}/events?${query}`);
    return { events: body.result as unknown as StreamEvent[], next: String(body.next_cursor) };
  };
  const texts = (events: readonly StreamEvent[]): readonly (string | undefined)[] =>
    events.map(({ update }) => textOf(update));

  beforeAll(async () => {
    telegram = await startTelegram();
    app = await startApp({ env: { ...telegram.env, WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' } });
    api = new ApiClient(app);
    appId = await api.createApp();
    const { token, userId } = telegram.control.createBot({ username: 'updates_bot' });
    bot = userId;
    path = `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: appId }))).id}`;
    friend = telegram.control.createAccount({ phone: '15550601', firstName: 'F' }).userId;
    other = telegram.control.createAccount({ phone: '15550602', firstName: 'O' }).userId;
  });

  afterEach(async () => {
    const { body } = await api.get(subscriptions());
    for (const { id } of body.result as unknown as { id: string }[]) await api.delete(`${subscriptions()}/${id}`);
    await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
  });

  afterAll(async () => {
    await app.stop();
    await telegram.stop();
  });

  it('arrive at a webhook as TDLib made them, signed in both ways', async () => {
    const receiver = await receive();
    const { id, secret } = await subscribe({ url: receiver.url, filters: NEW_MESSAGES });
    await say('hello "ü" 🙂');
    const [received] = await receiver.about('hello "ü" 🙂');
    if (received === undefined) throw new Error('nothing came');
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'x-tgcontrol-session': path.split('/').at(-1),
      'x-tgcontrol-kind': 'bot',
      'x-tgcontrol-subscription': id,
      'x-tgcontrol-attempt': '1',
      'webhook-id': received.headers['x-tgcontrol-delivery'],
    });
    const mac = createHmac('sha256', String(secret)).update(received.text).digest('hex');
    expect(received.headers['x-tgcontrol-signature']).toBe(`sha256=${mac}`);
    const headers = received.headers as Record<string, string>;
    expect(new Webhook(String(secret)).verify(received.text, headers)).toEqual(received.update);
    expect(received.text).toMatch(/^\{"@type":"updateNewMessage","message":\{"@type":"message",.*\}$/s);
    expect(received.text).not.toMatch(/@client_id|@extra/);
    await until('the note', async () => (await status(id))['delivered'] === 1);
    expect(await status(id)).toMatchObject({ state: 'active', pending: 0, failed: 0, dropped: 0, success_rate: 1 });
    const [logged] = (await api.get(`${subscriptions()}/${id}/deliveries`)).body.result as unknown as { id: string }[];
    expect(logged?.id).toBe(received.headers['x-tgcontrol-delivery']);
    const raw = await app
      .http()
      .get(`${subscriptions()}/${id}/deliveries/${String(logged?.id)}`)
      .set({
        authorization: 'Bearer api-token-of-the-tests',
      });
    expect(raw.text).toContain(`"update":${received.text}`);
    expect((raw.body as { result: object }).result).toMatchObject({
      status: 'delivered',
      type: 'updateNewMessage',
      chat_id: friend,
      log: [{ attempt: 1, status: 200, answer: 'ok' }],
    });
  });

  it('are read by polling and as a stream, of a webhook too, by readers that know nothing of each other', async () => {
    const receiver = await receive();
    const stream = await subscribe({ kind: 'stream', filters: NEW_MESSAGES });
    const webhook = await subscribe({ url: receiver.url, filters: NEW_MESSAGES });
    const { next } = await poll(stream.id, 'after=now');
    const waiting = poll(stream.id, `after=${next}&timeout=20`);
    const sse = EventStream.open(`${app.url}${subscriptions()}/${stream.id}/events`);
    const now = EventStream.open(`${app.url}${subscriptions()}/${webhook.id}/events?after=now`);
    await until('the streams', () => sse.ids.length > 0 && now.ids.length > 0);
    await say('first');
    const first = await waiting;
    expect(texts(first.events)).toEqual(['first']);
    await say('second');
    await say('third');
    await until('the streams', () => sse.events.length === 3 && now.events.length === 3);
    expect(texts(sse.events)).toEqual(['first', 'second', 'third']);
    const delivered = await receiver.about('third');
    expect(now.events.at(-1)?.id).toBe(delivered[0]?.headers['x-tgcontrol-delivery']);
    expect(texts((await poll(stream.id, `after=${first.next}`)).events)).toEqual(['second', 'third']);
    expect(texts((await poll(stream.id, 'limit=1')).events)).toEqual(['first']);
    sse.close();
    now.close();
    const resumed = EventStream.open(`${app.url}${subscriptions()}/${stream.id}/events`, {
      'last-event-id': first.next,
    });
    await until('the rest', () => resumed.events.length === 2);
    expect(resumed.events).toEqual(sse.events.slice(1));
    // Wherever the connection is lost, the last id that came is before all that has not come.
    expect(resumed.ids).toEqual([first.next, ...resumed.events.map(({ cursor }) => cursor)]);
    await api.delete(`${subscriptions()}/${stream.id}`);
    await until('the end', () => resumed.isOver);
    expect(resumed.names).toEqual(['end']);
  });

  it('follow the filters, and a change of them or of the address, at once', async () => {
    const [one, two] = [await receive(), await receive()];
    const { id } = await subscribe({ url: one.url, filters: { ...NEW_MESSAGES, chats: [friend] } });
    await say('for one');
    await say('for nobody', other);
    await one.about('for one');
    await api.must(
      api.patch(`${subscriptions()}/${id}`, { url: two.url, filters: { ...NEW_MESSAGES, chats: [other] } }),
    );
    await until('the change', async () => {
      await say('for two', other);
      return two.texts.includes('for two');
    });
    expect(one.texts).toEqual(['for one']);
    await api.must(api.patch(`${subscriptions()}/${id}`, { enabled: false }));
    expect(await status(id)).toMatchObject({ enabled: false, state: 'disabled' });
    await api.must(
      api.patch(`${subscriptions()}/${id}`, { enabled: true, filters: { exclude_types: ['updateNewMessage'] } }),
    );
    const all = await subscribe({ kind: 'stream', filters: NEW_MESSAGES });
    await say('excluded', other);
    // Sent is not arrived: only now it has met the filters.
    await until('the update', async () => texts((await poll(all.id, '')).events).includes('excluded'));
    await api.must(api.patch(`${subscriptions()}/${id}`, { filters: NEW_MESSAGES }));
    await until('what is included', async () => {
      await say('included', other);
      return two.texts.includes('included');
    });
    expect(two.texts).not.toContain('excluded');
  });

  it('are tried again when a receiver fails, whichever way, under the same id', async () => {
    const failing = await receive();
    failing.answer = (response, { headers }) => {
      response.statusCode = headers['x-tgcontrol-attempt'] === '1' ? 500 : 204;
      response.end('oh no'.repeat(1_000));
    };
    const hanging = await receive();
    hanging.answer = (response, { headers }) => {
      if (headers['x-tgcontrol-attempt'] !== '1') response.end();
    };
    const busy = await receive();
    busy.answer = (response, { headers }) => {
      if (headers['x-tgcontrol-attempt'] === '1') response.writeHead(429, { 'retry-after': '8' });
      response.end();
    };
    const moved = await receive();
    moved.answer = (response, { headers }) => {
      if (headers['x-tgcontrol-attempt'] === '1') response.writeHead(302, { location: failing.url });
      response.end();
    };
    const endless = await receive();
    endless.answer = (response) => {
      response.writeHead(200);
      const more = (): void => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    };
    const gone = await receive();
    gone.answer = (response) => response.writeHead(410).end();
    const all = [failing, hanging, busy, moved, endless, gone];
    const ids: string[] = [];
    for (const receiver of all) {
      ids.push((await subscribe({ url: receiver.url, filters: NEW_MESSAGES })).id);
    }
    await say('try');
    const [first, second] = await failing.about('try', 2);
    expect(second?.headers['x-tgcontrol-delivery']).toBe(first?.headers['x-tgcontrol-delivery']);
    expect(second?.headers['x-tgcontrol-attempt']).toBe('2');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(4_500);
    const [refused, accepted] = await busy.about('try', 2);
    // It has asked for more than the schedule waits.
    expect((accepted?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThan(7_500);
    await moved.about('try', 2);
    await hanging.about('try', 2);
    const [failingId = '', hangingId = '', , movedId = '', endlessId = '', goneId = ''] = ids;
    const logOf = async (id: string): Promise<unknown> => {
      const { body } = await api.get(`${subscriptions()}/${id}/deliveries`);
      const [{ id: delivery }] = body.result as unknown as [{ id: string }];
      return (await api.must(api.get(`${subscriptions()}/${id}/deliveries/${delivery}`)))['log'];
    };
    const delivered = async (id: string): Promise<boolean> => (await status(id))['delivered'] === 1;
    await until('the notes', async () => (await Promise.all(ids.slice(0, 5).map(delivered))).every(Boolean));
    expect(await logOf(failingId)).toMatchObject([
      { attempt: 1, status: 500, error: 'the receiver answered 500', answer: 'oh no'.repeat(205).slice(0, 1_024) },
      { attempt: 2, status: 204 },
    ]);
    expect(await logOf(hangingId)).toMatchObject([{ error: 'no answer within 10 s' }, { status: 200 }]);
    expect(await logOf(movedId)).toMatchObject([{ status: 302 }, { status: 200 }]);
    expect(await logOf(endlessId)).toMatchObject([{ attempt: 1, status: 200 }]);
    expect(gone.received).toHaveLength(1);
    expect(await status(goneId)).toMatchObject({
      state: 'disabled',
      disabled_reason: 'the receiver answered 410 Gone',
      failed: 1,
    });
    // What was given up is tried again when its owner wants that.
    gone.answer = (response) => response.end();
    await api.must(api.patch(`${subscriptions()}/${goneId}`, { enabled: true }));
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(await api.must(api.post(`${subscriptions()}/${goneId}/recover`, { since }))).toMatchObject({ requeued: 1 });
    await gone.about('try', 2);
  });

  it('that wait are delivered though their session was stopped, and nobody opens it', async () => {
    const receiver = await receive();
    receiver.answer = (response) => response.writeHead(500).end();
    const { token, userId } = telegram.control.createBot({ username: 'updates_left_bot' });
    const left = `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: appId }))).id}`;
    await subscribe({ url: receiver.url, filters: NEW_MESSAGES }, left);
    await telegram.control.sendMessage({ chatId: userId, from: friend, text: 'left' });
    await receiver.about('left');
    await api.must(api.post(`${left}/stop`));
    receiver.answer = (response) => response.end();
    const [first, second] = await receiver.about('left', 2, 60_000);
    const [id, attempt] = ['x-tgcontrol-delivery', 'x-tgcontrol-attempt'];
    expect(second?.headers[id]).toBe(first?.headers[id]);
    expect(second?.headers[attempt]).toBe('2');
  }, 90_000);

  it('are kept from the moment on at which the subscription is answered, however busy the worker is', async () => {
    const seen = await subscribe({ kind: 'stream', filters: NEW_MESSAGES });
    const subscribers = app.app.get(SubscribersRepository);
    const take = subscribers.take.bind(subscribers);
    let goOn = (): void => undefined;
    // The lane is taken, for everybody to see; the worker hears of it late.
    const late = new Promise<void>((resolve) => (goOn = resolve));
    subscribers.take = async (...given) => {
      const taken = await take(...given);
      await late;
      return taken;
    };
    try {
      const receiver = await receive();
      await subscribe({ url: receiver.url, filters: NEW_MESSAGES });
      await say('meanwhile');
      await until('the update', async () => texts((await poll(seen.id, '')).events).includes('meanwhile'));
      goOn();
      await receiver.about('meanwhile');
    } finally {
      goOn();
      subscribers.take = take;
    }
  });

  it('wait while a receiver is away, and arrive all, each under one id, when it is back', async () => {
    const receiver = await receive();
    const { id } = await subscribe({ url: receiver.url, filters: NEW_MESSAGES });
    await say('before');
    await receiver.about('before');
    receiver.answer = (response) => response.writeHead(502).end();
    for (let number = 1; number <= 12; number += 1) await say(`away ${number}`);
    await until('the failures', async () => (await status(id))['state'] === 'failing' && receiver.received.length >= 6);
    const tried = receiver.received.length;
    receiver.answer = (response) => response.end();
    await until('all', () => new Set(receiver.texts).size === 13);
    // Only one was tried while the others waited.
    expect(tried).toBeLessThan(13);
    await until('the notes', async () => (await status(id))['delivered'] === 13);
    expect(await status(id)).toMatchObject({ state: 'active', pending: 0, failed: 0 });
    const deliveries = new Map(receiver.received.map(({ headers, text }) => [headers['x-tgcontrol-delivery'], text]));
    expect(deliveries.size).toBe(13);
  });

  it('of one chat never overtake each other where that is asked, and other chats go on', async () => {
    const receiver = await receive();
    receiver.answer = (response, { update }) => {
      if (textOf(update) === 'a3' && !receiver.texts.includes('b20')) response.writeHead(500);
      setTimeout(() => response.end(), Math.random() * 20);
    };
    await subscribe({ url: receiver.url, filters: NEW_MESSAGES, order: 'chat' });
    for (let number = 1; number <= 20; number += 1) {
      await say(`a${number}`);
      await say(`b${number}`, other);
    }
    await until('the other chat', () => receiver.texts.includes('b20'));
    // On a slow machine the other chat may take several of the repeats' pauses, and each is twice the one before.
    await receiver.about('a20', 1, 240_000);
    const [refused, taken] = [receiver.texts.indexOf('a3'), receiver.texts.lastIndexOf('a3')];
    expect(taken).toBeGreaterThan(receiver.texts.indexOf('b20'));
    // What came of the chat meanwhile is what was refused.
    const repeats = receiver.texts.filter((text, index) => index > refused && index <= taken && text.startsWith('a'));
    expect(new Set(repeats)).toEqual(new Set(['a3']));
    const others = receiver.texts.filter((text) => text.startsWith('a') && text !== 'a3');
    expect(others).toEqual(Array.from({ length: 20 }, (_, index) => `a${index + 1}`).toSpliced(2, 1));
    expect(receiver.texts.filter((text) => text.startsWith('b'))).toEqual(
      Array.from({ length: 20 }, (_, index) => `b${index + 1}`),
    );
  }, 300_000);

  it('that come to a session which another worker has taken are left for that one to look for', async () => {
    const { token, userId } = telegram.control.createBot({ username: 'updates_taken_bot' });
    const { id } = await api.must(api.post('/v1/bot', { token, app_id: appId }));
    const stream = await subscribe({ kind: 'stream', filters: NEW_MESSAGES }, `/v1/bot/${id}`);
    await telegram.control.sendMessage({ chatId: userId, from: friend, text: 'noted' });
    await until('the update', async () => {
      const { body } = await api.get(`${subscriptions(`/v1/bot/${id}`)}/${stream.id}/events?after=0`);
      return texts(body.result as unknown as StreamEvent[]).includes('noted');
    });
    await app.database.query(
      `INSERT INTO workers (id, instance, addr, pid, capacity, started_at, last_seen_at, expires_at, volume, backend_pid)
       SELECT 'elsewhere', gen_random_uuid(), 'http://127.0.0.1:1', 1, 200, now(), now(), now() + interval '1 hour', volume, 1
         FROM workers LIMIT 1`,
    );
    await app.database.query(`UPDATE sessions SET worker_id = 'elsewhere', epoch = epoch + 1 WHERE id = $1`, [id]);
    const held = app.app.get(HeldSessions);
    await until('the end of its client', () => held.get(id) === undefined);
    // `closed` would say that nothing can be missing.
    expect(readFileSync(join(app.dataDir, 'sessions', id, 'seen'), 'utf8')).toMatch(/^live\n/);
    await app.database.query(`DELETE FROM workers WHERE id = 'elsewhere'`);
  });

  it('are stored and settled by looking their rows up, however many there are', async () => {
    const { id: subscription } = await subscribe({ kind: 'stream' });
    const session = String(path.split('/').at(-1));
    await app.database.query(
      `WITH made AS (
         INSERT INTO updates (part, id, session_id, type, at, payload)
         SELECT update_part(now()), gen_random_uuid(), $1, 'updateChatAction', now(), '{}' FROM generate_series(1, 5000)
         RETURNING part, id)
       INSERT INTO deliveries (part, id, subscription_id, update_id, status)
       SELECT part, gen_random_uuid(), $2, id, 'stored' FROM made`,
      [session, subscription],
    );
    const [lease] = await app.database.query<{ worker_id: string; epoch: number; part: number }>(
      'SELECT worker_id, epoch, update_part(now()) AS part FROM sessions WHERE id = $1',
      [session],
    );
    if (lease === undefined) throw new Error('the session has no worker');
    const unitOfWork = app.app.get(UnitOfWork);
    const entries = Array.from({ length: 50 }, () => ({
      entry: {
        ...{ id: randomUUID(), isNamed: true, type: 'updateNewMessage', chatId: 7, at: Date.now(), payload: '{}' },
        subscriptionIds: [subscription],
      },
      lease: { sessionId: session, epoch: lease.epoch, workerId: lease.worker_id },
    }));
    const outcome = { isDelivered: true, at: Date.now(), durationMs: 1, status: 200 };
    const of = { id: subscription, laneEpoch: 0 } as Subscriber;
    await unitOfWork.run(async () => {
      const wanted = entries.map(({ entry }) => ({ entry, subscriptionId: subscription, claimEpoch: undefined }));
      const { deliveries } = await app.app.get(UpdatesRepository).store(lease.worker_id, entries, wanted);
      expect(deliveries).toHaveLength(50);
      const items = deliveries.map(({ id, part }) => ({ id, part, seq: 0, chatId: 7, attempt: 1, payload: '{}' }));
      const settled = { outcome, status: 'delivered', dueInMs: 0, wasProbe: false } as const;
      await app.app.get(LanesRepository).settle(items.map((item) => ({ settled: { item, ...settled }, of })));
      const [read] = await unitOfWork.rows<{ rows: number }>(
        `SELECT sum(seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables
          WHERE relname ~ '^(updates|deliveries)_[0-9]$'`,
      );
      expect(read?.rows).toBeLessThan(500);
    });
  });

  it('come with a test event and the events of the product, where those are named', async () => {
    const receiver = await receive();
    const types = ['tgcontrol.session.status'];
    const { id } = await subscribe({ url: receiver.url, filters: { types } });
    const { id: delivery } = await api.must(api.post(`${subscriptions()}/${id}/test`));
    const [test] = await until('the test event', () => receiver.received.length > 0 && receiver.received);
    expect(test).toMatchObject({ update: { '@type': 'tgcontrol.test', subscription_id: id } });
    expect(test?.headers['x-tgcontrol-delivery']).toBe(delivery);
    await api.must(api.post(`${path}/stop`));
    // Its session is closed: whichever worker has time delivers it.
    const stopped = await until('the stop', () => receiver.received[1]);
    expect(stopped.update).toMatchObject({ '@type': types[0], status: 'stopped', former: 'authorized' });
    await api.must(api.post(`${path}/start`));
    await until('the start', async () => (await api.call(path, 'getMe')).status === 200);
  });

  it('about the chat of the login codes go to the master alone', async () => {
    const user = await loginUser(api, telegram, appId, '15550603');
    const { token } = (await api.must(api.post('/v1/tokens', { session_ids: [user.id] }))) as unknown as {
      token: string;
    };
    const asToken = { authorization: `Bearer ${token}` };
    const made = await app.http().post(subscriptions(user.path)).set(asToken).send({ kind: 'stream' });
    const scoped = (made.body as Answer['body']).result?.id ?? '';
    const all = await subscribe({ kind: 'stream' }, user.path);
    const read = async (sub: string): Promise<string> =>
      (
        await app
          .http()
          .get(`${subscriptions(user.path)}/${sub}/events?limit=1000`)
          .set({
            authorization: 'Bearer api-token-of-the-tests',
          })
      ).text;
    await api.post('/v1/user', { app_id: appId, phone: '15550603' });
    const code = telegram.control.newestCode('15550603');
    await until('the code', async () => (await read(all.id)).includes(code));
    await telegram.control.sendMessage({ chatId: user.userId, from: friend, text: 'to all' });
    await until('what is for all', async () => (await read(scoped)).includes('to all'));
    expect(await read(scoped)).not.toContain(code);
    expect(await read(scoped)).not.toContain('"chat_id":777000');
  });

  it('go no further when their token is switched off, and go on when it is on again', async () => {
    const receiver = await receive();
    const session = path.split('/').at(-1);
    const made = (await api.must(api.post('/v1/tokens', { session_ids: [session] }))) as unknown as {
      id: string;
      token: string;
    };
    const asToken = { authorization: `Bearer ${made.token}` };
    const body = { url: receiver.url, filters: NEW_MESSAGES };
    const answer: Answer = await app.http().post(subscriptions()).set(asToken).send(body);
    const id = answer.body.result?.id ?? '';
    await until('the first', async () => {
      await say('with token');
      return receiver.texts.length > 0;
    });
    const stream = EventStream.open(`${app.url}${subscriptions()}/${id}/events?after=now`, asToken);
    await until('the stream', () => stream.ids.length > 0);
    await api.must(api.patch(`/v1/tokens/${made.id}`, { enabled: false }));
    await until('the end of the stream', () => stream.isOver);
    await until('the news', async () => (await status(id))['state'] === 'token_disabled');
    const count = receiver.received.length;
    await say('without token');
    await api.must(api.patch(`/v1/tokens/${made.id}`, { enabled: true }));
    await until('the rest', async () => {
      await say('again with token');
      return receiver.texts.includes('again with token');
    });
    expect(receiver.texts.slice(0, count)).not.toContain('without token');
    await api.must(api.delete(`/v1/tokens/${made.id}`));
    expect((await api.get(`${subscriptions()}/${id}`)).status).toBe(404);
  });
});
