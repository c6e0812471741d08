import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from './support/database.js';
import { textContent } from './support/messages.js';
import { type ProcessAnswer, ProductProcess } from './support/process.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

/** One session of a kind with a chat that it may write to. */
interface Sender {
  readonly path: string;
  readonly account: number;
  readonly chat: number;
}

describe('sends and the processes that make them', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let dataDir: string;
  let running: ProductProcess[];
  let accounts = 0;

  const start = async (role: 'all' | 'worker' | 'gateway', env: NodeJS.ProcessEnv = {}): Promise<ProductProcess> => {
    const started = await ProductProcess.start(role, {
      ...(role !== 'gateway' && telegram.env),
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      WORKER_ID: 'w',
      ...env,
    });
    running.push(started);
    return started;
  };

  const bot = async (api: ProductProcess, app_id: unknown): Promise<Sender> => {
    accounts += 1;
    const { userId, token } = telegram.control.createBot({ username: `sender_${accounts}_bot` });
    const { id } = await api.must('POST', '/v1/bot', { token, app_id });
    const { chatId } = telegram.control.createChat({ type: 'channel', title: 'News', admins: [userId] });
    const path = `/v1/bot/${String(id)}`;
    await api.must('POST', `${path}/call`, { method: 'getChat', params: { chat_id: chatId } });
    return { path, account: userId, chat: chatId };
  };

  const user = async (api: ProductProcess, app_id: unknown): Promise<Sender> => {
    accounts += 1;
    const phone = `1555030${String(accounts).padStart(4, '0')}`;
    const { userId } = telegram.control.createAccount({ phone, firstName: 'A' });
    const friend = telegram.control.createAccount({
      phone: `${phone}1`,
      firstName: 'B',
      username: `friend_${accounts}`,
    });
    const login = await api.must('POST', '/v1/user', { app_id, phone });
    const path = `/v1/user/${String(login['id'])}`;
    const code = telegram.control.newestCode(phone);
    await api.must('POST', `${path}/login/code`, { code });
    await api.must('POST', `${path}/call`, {
      method: 'searchPublicChat',
      params: { username: `friend_${accounts}` },
    });
    return { path, account: userId, chat: friend.userId };
  };

  const send = (
    api: ProductProcess,
    { path, chat }: Sender,
    text: string,
    { query = '', key }: { query?: string; key?: string } = {},
  ): Promise<ProcessAnswer> =>
    api.ask(
      'POST',
      `${path}/call${query}`,
      { method: 'sendMessage', params: { chat_id: chat, input_message_content: textContent(text) } },
      key === undefined ? {} : { 'idempotency-key': key },
    );
  const held = async ({ chat, account }: Sender, text: string): Promise<readonly number[]> =>
    (await telegram.control.messages({ chatId: chat, account }))
      .filter((message) => message.text === text)
      .map(({ messageId }) => messageId);
  const outcome = (api: ProductProcess, { path, chat }: Sender, messageId: unknown, wait = 0): Promise<ProcessAnswer> =>
    api.ask('GET', `${path}/sends?chat_id=${chat}&message_id=${String(messageId)}${wait > 0 ? `&wait=${wait}` : ''}`);
  const createApp = async (api: ProductProcess): Promise<unknown> =>
    (await api.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) }))['app_id'];

  beforeAll(async () => {
    telegram = await startTelegram();
  });

  beforeEach(async () => {
    running = [];
    database = await createDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tgcontrol-data-'));
  });

  afterEach(async () => {
    telegram.control.removeFault();
    for (const each of running) await each.end('SIGTERM');
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  afterAll(() => telegram.stop());

  it.each([
    ['a bot', bot],
    ['a user', user],
  ])(
    'are decided after SIGKILL, each message sent once, for %s',
    async (_name, login) => {
      const first = await start('all');
      const sender = await login(first, await createApp(first));
      expect((await send(first, sender, 'before', { query: '?wait=30' })).body.sends).toMatchObject([
        { status: 'sent' },
      ]);
      telegram.control.addFault({ method: 'send', hang: true });
      const texts = ['one', 'two', 'two', 'three'];
      const answers: ProcessAnswer[] = [];
      for (const [index, text] of texts.entries())
        answers.push(await send(first, sender, text, { key: `key ${index}` }));
      // Its request has not ended when the process dies.
      const unanswered = send(first, sender, 'four', { query: '?wait=60', key: 'key 4' }).catch(() => undefined);
      await until(
        'the fifth send',
        async () => (await database.query('SELECT 1 FROM sends WHERE key_id IS NOT NULL')).length === 5,
      );
      expect(await first.end('SIGKILL')).toBe('SIGKILL');
      expect(await unanswered).toBeUndefined();
      telegram.control.removeFault();

      const second = await start('all');
      const ids: number[] = [];
      for (const { body } of answers) {
        const { body: told } = await outcome(second, sender, body.result?.['id'], 30);
        expect(told.result).toMatchObject({ status: 'sent', chat_id: sender.chat });
        ids.push(Number(told.result?.['message_id']));
      }
      const [one] = await held(sender, 'one');
      const [two, twoAgain] = await held(sender, 'two');
      const [three] = await held(sender, 'three');
      expect(ids).toEqual([one, two, twoAgain, three]);

      for (const [index, text] of texts.entries()) {
        const repeat = await send(second, sender, text, { key: `key ${index}`, query: '?wait=30' });
        expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
        expect(repeat.body.result).toEqual(answers[index]?.body.result);
        expect(repeat.body.sends).toMatchObject([{ status: 'sent', message_id: ids[index] }]);
      }
      // The request of a process that was killed counts as being served for a few seconds.
      const died = await until('the end of the request', async () => {
        const repeat = await send(second, sender, 'four', { key: 'key 4' });
        return repeat.body.error?.['code'] !== 'idempotency_in_progress' && repeat;
      });
      expect(died.status).toBe(409);
      expect(died.body.error).toMatchObject({
        code: 'idempotency_outcome_unknown',
        details: { sends: [{ chat_id: sender.chat, status: 'sent', message_id: (await held(sender, 'four'))[0] }] },
      });
      const other = await send(second, sender, 'another body', { key: 'key 0' });
      expect([other.status, other.body.error?.['code']]).toEqual([422, 'idempotency_mismatch']);
      for (const [text, count] of [
        ['one', 1],
        ['two', 2],
        ['three', 1],
        ['four', 1],
        ['another body', 0],
      ] as const) {
        expect(await held(sender, text)).toHaveLength(count);
      }

      expect(await second.end('SIGTERM')).toBe(0);
      const third = await start('all');
      const { body: kept } = await outcome(third, sender, ids[0]);
      expect(kept.result).toMatchObject({ status: 'sent', message_id: ids[0] });
      expect((await send(third, sender, 'one', { key: 'key 0' })).headers.get('idempotent-replayed')).toBe('true');
      expect(await held(sender, 'one')).toHaveLength(1);
    },
    180_000,
  );

  it('keep an outcome that the process saw just before it was killed', async () => {
    const first = await start('all');
    const sender = await bot(first, await createApp(first));
    const { body } = await send(first, sender, 'seen', { query: '?wait=30' });
    expect(body).toMatchObject({ ok: true, sends: [{ status: 'sent' }] });
    expect(await first.end('SIGKILL')).toBe('SIGKILL');
    const second = await start('all');
    const told = await outcome(second, sender, body.result?.['id'], 30);
    const message_id = body.sends?.[0]?.['message_id'];
    expect(told.body).toMatchObject({ ok: true, result: { status: 'sent', message_id } });
    expect(await held(sender, 'seen')).toHaveLength(1);
  });

  it('are told right, all of them, by a process that follows one killed under load', async () => {
    const first = await start('all');
    const appId = await createApp(first);
    const senders = [await bot(first, appId), await user(first, appId)];
    const answered: { readonly sender: Sender; readonly text: string; readonly id: unknown }[] = [];
    let count = 0;
    const lane = async (sender: Sender): Promise<void> => {
      for (;;) {
        const text = `message ${(count += 1)}`;
        const { status, body } = await send(first, sender, text);
        if (status === 200) answered.push({ sender, text, id: body.result?.['id'] });
      }
    };
    const lanes = [0, 1, 2].flatMap(() => senders.map((sender) => lane(sender).catch(() => undefined)));
    await until('a hundred sends', () => answered.length >= 100);
    await first.end('SIGKILL');
    await Promise.all(lanes);

    const second = await start('all');
    let sent = 0;
    for (const { sender, text, id } of answered) {
      const { body } = await outcome(second, sender, id, 30);
      const messages = await held(sender, text);
      // TDLib writes its log some milliseconds after its answer: the very last messages may have died with the process.
      const result = messages.length > 0 ? { status: 'sent', message_id: messages[0] } : { status: 'unknown' };
      expect({ text, count: messages.length, result: body.result }).toEqual({
        text,
        count: Math.min(messages.length, 1),
        result: { ...result, chat_id: sender.chat },
      });
      sent += messages.length;
    }
    expect(sent).toBeGreaterThan(answered.length - lanes.length);
  }, 180_000);

  it('are followed through a gateway while their worker dies and another takes over', async () => {
    const killed = await start('worker', { WORKER_ID: 'w1' });
    const gateway = await start('gateway', { DATA_DIR: `${dataDir}/gateway` });
    const sender = await bot(gateway, await createApp(gateway));
    expect((await send(gateway, sender, 'split', { query: '?wait=30' })).body.sends).toMatchObject([
      { status: 'sent' },
    ]);
    telegram.control.addFault({ method: 'send', hang: true });
    const { body } = await send(gateway, sender, 'moving', { key: 'moving' });
    const heir = await start('worker', { WORKER_ID: 'w2' });
    const following = outcome(gateway, sender, body.result?.['id'], 60);
    await killed.end('SIGKILL');
    telegram.control.removeFault();
    const [messageId] = await until('the message', async () => {
      const ids = await held(sender, 'moving');
      return ids.length > 0 && ids;
    });
    expect((await following).body.result).toEqual({ status: 'sent', chat_id: sender.chat, message_id: messageId });
    const repeat = await send(gateway, sender, 'moving', { key: 'moving' });
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await held(sender, 'moving')).toHaveLength(1);
    expect(await heir.end('SIGTERM')).toBe(0);
    // Nobody holds the session: the database knows.
    const told = await outcome(gateway, sender, body.result?.['id']);
    expect(told.body.result).toMatchObject({ status: 'sent', message_id: messageId });
  });

  it('are never more than a quota lets pass, with the process killed in the middle', async () => {
    const max = 60;
    const first = await start('all');
    const sender = await bot(first, await createApp(first));
    const session_id = sender.path.split('/').at(-1);
    const rule = { level: 'session', session_id, methods: ['@send'], max, per: 'week' };
    const { id } = await first.must('POST', '/v1/limits', rule);
    await until('the rule is known', async () => {
      await send(first, sender, 'probe');
      const { usage } = await first.must('GET', `/v1/limits/${String(id)}`);
      return (usage as { used: number }).used > 0;
    });
    const statuses: number[] = [];
    const sendMany = (api: ProductProcess, count: number): Promise<unknown> =>
      Promise.all(
        Array.from({ length: count }, async (_, number) => {
          const answer = await send(api, sender, `quota ${number}`).catch(() => undefined);
          if (answer !== undefined) statuses.push(answer.status);
        }),
      );
    const firstHalf = (async (): Promise<void> => {
      for (let round = 0; round < 20 && statuses.length < 100; round += 1) await sendMany(first, 5);
    })();
    await until('some have passed', () => statuses.length >= 20);
    expect(await first.end('SIGKILL')).toBe('SIGKILL');
    await firstHalf;
    expect(statuses.length).toBeLessThan(max);

    const second = await start('all');
    await until('the rule is known', async () => {
      await sendMany(second, 5);
      return statuses.at(-1) === 429;
    });
    await sendMany(second, 20);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(max);
    const { usage } = await second.must('GET', `/v1/limits/${String(id)}`);
    expect(usage).toMatchObject({ used: max });
    await until('all are decided', async () => {
      const { body } = await second.ask('GET', `${sender.path}/sends?state=pending`);
      return (body.result as unknown as unknown[]).length === 0;
    });
    const messages = await telegram.control.messages({ chatId: sender.chat, account: sender.account });
    expect(messages.filter(({ text }) => text.startsWith('quota ')).length).toBeLessThanOrEqual(max);
  });
});
