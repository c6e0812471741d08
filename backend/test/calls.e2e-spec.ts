import { Agent, request as httpRequest, type ClientRequest } from 'node:http';
import { once, setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { TdClient } from '../src/telegram/index.js';
import { API_TOKEN, startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { textContent } from './support/messages.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { loginUser } from './support/users.js';

const LIMIT = 1_000;

describe('calls', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let app: TestApp;
  let api: ApiClient;
  let appId: string;
  let dataDir: string | undefined;

  const start = async (): Promise<void> => {
    app = await startApp({
      env: {
        PACE_PER_SECOND: '100',
        ...telegram.env,
        WORKER_ID: 'w',
        ...(dataDir !== undefined && { DATA_DIR: dataDir }),
      },
      database,
    });
    dataDir = app.dataDir;
    api = new ApiClient(app);
  };

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    await start();
    appId = await api.createApp();
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await app.stop();
    await database.drop();
    await telegram.stop();
  });

  describe('in flight', () => {
    let path: string;
    const agent = new Agent({ keepAlive: false, maxSockets: LIMIT + 10 });
    setMaxListeners(0);

    /** A call that Telegram does not answer. */
    const make = (query: object): ClientRequest => {
      const call = httpRequest(`${app.url}${path}/call`, {
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${API_TOKEN}` },
      });
      call.on('error', () => undefined);
      call.end(JSON.stringify(query));
      return call;
    };

    beforeAll(async () => {
      const { token } = telegram.control.createBot({ username: 'busy_bot' });
      path = `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: appId }))).id}`;
    });

    it.each([
      ['wait for their answer', (n: number) => ({ method: 'searchPublicChat', params: { username: `nobody_${n}` } })],
      ['wait for a name', (n: number) => ({ method: 'getChat', params: { chat_id: `@anybody_${n}` } })],
      ['wait for the same name', () => ({ method: 'getChat', params: { chat_id: '@somebody_else' } })],
    ])(
      `that %s are ${LIMIT} at most, and a caller that leaves makes room`,
      async (_what, queryOf) => {
        telegram.control.addFault({ method: 'contacts.resolveUsername', hang: true });
        const calls = new Set<ClientRequest>();
        let isOver = false;
        // A busy machine may lose a connection before it is accepted: what should be in flight is made again.
        const keep = (number: number): void => {
          const call = make(queryOf(number));
          calls.add(call);
          call.once('response', (response) => response.resume());
          call.once('close', () => {
            calls.delete(call);
            setTimeout(() => {
              if (!isOver) keep(number);
            }, 50);
          });
        };
        for (let number = 0; number < LIMIT; number += 1) keep(number);
        const refused = await until(
          'the limit',
          async () => {
            const answer = await api.call(path, 'getOption', { name: 'version' });
            return answer.status === 503 && answer;
          },
          60_000,
        );
        expect(refused.body.error).toMatchObject({
          source: 'gateway',
          code: 'too_many_calls',
          message: expect.stringContaining(String(LIMIT)) as string,
          retry_after: 1,
          details: { limit: LIMIT },
        });
        isOver = true;
        for (const call of calls) call.destroy();
        await until('room', async () => (await api.call(path, 'getOption', { name: 'version' })).status === 200);
      },
      120_000,
    );

    it('end at the time that was asked for', async () => {
      telegram.control.addFault({ method: 'contacts.resolveUsername', hang: true });
      const { status, body } = await api.post(`${path}/call?timeout=1`, {
        method: 'searchPublicChat',
        params: { username: 'nobody_at_all' },
      });
      expect([status, body.error?.['code']]).toEqual([504, 'deadline_exceeded']);
      expect(body.error?.['message']).toContain('1 s');
    });
  });

  describe('for a file', () => {
    let path: string;
    let fileId: unknown;

    const isLoading = async (): Promise<unknown> => {
      const { body } = await api.call(path, 'getFile', { file_id: fileId });
      return (body.result?.['local'] as Record<string, unknown> | undefined)?.['is_downloading_active'];
    };

    /** A caller that may leave. */
    const download = (): { leave: () => void; answer: Promise<unknown> } => {
      const call = httpRequest(`${app.url}${path}/call?timeout=60`, {
        method: 'POST',
        agent: false,
        headers: { authorization: `Bearer ${API_TOKEN}` },
      });
      const answer = once(call, 'response').then(
        async ([response]) => JSON.parse(await text(response as Readable)) as unknown,
      );
      // Some of them leave on purpose.
      answer.catch(() => undefined);
      const params = { file_id: fileId, priority: 1, offset: 0, limit: 0, synchronous: true };
      call.end(JSON.stringify({ method: 'downloadFile', params }));
      return { leave: () => call.destroy(), answer };
    };

    beforeEach(async () => {
      const number = String(Math.floor(Math.random() * 1e7)).padStart(7, '0');
      const user = await loginUser(api, telegram, appId, `1558${number}`);
      path = user.path;
      const { userId: from } = telegram.control.createAccount({ phone: `1559${number}`, firstName: 'F' });
      await telegram.control.sendMessage({
        from,
        chatId: user.userId,
        document: { bytes: Buffer.alloc(300_000, number), name: 'file.bin' },
      });
      fileId = await until('the file', async () => {
        const { body } = await api.call(path, 'getChatHistory', { chat_id: from, limit: 1 });
        const [message] = (body.result?.['messages'] ?? []) as {
          content: { document?: { document: { id: unknown } } };
        }[];
        return message?.content.document?.document.id as number | undefined;
      });
    });

    it('go on for the others when one caller leaves', async () => {
      telegram.control.addFault({ method: 'upload.getFile', delayMs: 1_500 });
      const [first, second] = [download(), download()];
      await until('the download', isLoading);
      // The second one may not have arrived yet.
      await until('both', () => telegram.control.journal({ method: 'upload.getFile' }).length > 0);
      first.leave();
      expect(await second.answer).toMatchObject({ ok: true, result: { local: { is_downloading_completed: true } } });
    });

    it('end with the last caller', async () => {
      telegram.control.addFault({ method: 'upload.getFile', hang: true });
      const [first, second] = [download(), download()];
      await until('the download', isLoading);
      first.leave();
      second.leave();
      await until('the end of the download', async () => (await isLoading()) === false);
    });

    it('leave a download alone that somebody has asked for without waiting', async () => {
      telegram.control.addFault({ method: 'upload.getFile', delayMs: 1_500 });
      await api.must(
        api.call(path, 'downloadFile', { file_id: fileId, priority: 1, offset: 0, limit: 0, synchronous: false }),
      );
      const waiting = download();
      await until('the download', isLoading);
      waiting.leave();
      await until('the whole file', async () => {
        const { body } = await api.call(path, 'getFile', { file_id: fileId });
        return (body.result?.['local'] as Record<string, unknown>)['is_downloading_completed'] === true;
      });
    });
  });

  describe('to a session', () => {
    it('that was stopped, banned or never was are refused in words', async () => {
      const refusal = async (path: string): Promise<unknown[]> => {
        const { status, body } = await api.call(path, 'getMe');
        return [
          status,
          body.error?.['source'],
          body.error?.['code'],
          (body.error?.['details'] as { status?: unknown } | undefined)?.status,
        ];
      };
      const { token } = telegram.control.createBot({ username: 'stopped_bot' });
      const stopped = `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: appId }))).id}`;
      await api.must(api.post(`${stopped}/stop`));
      expect(await refusal(stopped)).toEqual([409, 'gateway', 'session_not_ready', 'stopped']);
      const { path, userId } = await loginUser(api, telegram, appId, '15550610000');
      telegram.control.accounts.ban(userId);
      await until('the ban', async () => (await api.get(path)).body.result?.['status'] === 'banned');
      expect(await refusal(path)).toEqual([409, 'gateway', 'session_not_ready', 'banned']);
      expect((await refusal('/v1/bot/00000000-0000-4000-8000-000000000000')).slice(0, 3)).toEqual([
        404,
        'gateway',
        'session_not_found',
      ]);
    });

    it('that is handed over are answered when Telegram answers soon, and told that it moves otherwise', async () => {
      const { path, userId } = await loginUser(api, telegram, appId, '15550620000');
      const { userId: friend } = telegram.control.createAccount({ phone: '15550620001', firstName: 'F' });
      await telegram.control.sendMessage({ from: friend, chatId: userId, text: 'hello' });
      await until('the chat', async () => (await api.call(path, 'getChat', { chat_id: friend })).status === 200);
      telegram.control.addFault({ method: 'contacts.resolveUsername', hang: true });
      telegram.control.addFault({ method: 'messages.getHistory', delayMs: 2_000 });
      const asked = (method: string): number => telegram.control.journal({ method, account: userId }).length;
      const slow = api.call(path, 'getChatHistory', { chat_id: friend, limit: 1 });
      const stuck = api.call(path, 'searchPublicChat', { username: 'nobody_ever' });
      await until('the stuck one', () => asked('contacts.resolveUsername') > 0);
      await app.app.close();
      expect((await slow).status).toBe(200);
      const { status, headers, body } = await stuck;
      expect([status, body.error?.['code'], headers['retry-after']]).toEqual([503, 'session_moving', '1']);
      expect(body.error?.['details']).toEqual({ sent: true });
      await start();
    });
  });

  describe('to chats known before a restart', () => {
    const CHATS = 200;

    it('of a user are made at once: each chat is loaded at most once, and nothing is searched for', async () => {
      const { path, userId } = await loginUser(api, telegram, appId, '15550500000');
      const chats: number[] = [];
      for (let number = 0; number < CHATS; number += 1) {
        const phone = `1555051${String(number).padStart(4, '0')}`;
        const friend = telegram.control.createAccount({ phone, firstName: `F ${number}` }).userId;
        await telegram.control.sendMessage({ from: friend, chatId: userId, text: 'hello' });
        chats.push(friend);
      }
      await until(
        'the last chat',
        async () => (await api.call(path, 'getChat', { chat_id: chats.at(-1) })).status === 200,
      );

      await app.app.close();
      await start();
      await until('the session', async () => (await api.call(path, 'getMe')).status === 200);
      const searches = telegram.control.journal({ method: 'contacts.*' }).length;
      const requests = jest.spyOn(TdClient.prototype, 'request');
      const answers = await Promise.all(
        chats.map((chat_id) =>
          api.post(`${path}/call?wait=60`, {
            method: 'sendMessage',
            params: { chat_id, input_message_content: textContent('to an old chat') },
          }),
        ),
      );
      const loads = requests.mock.calls
        .map(([query]) => query)
        .filter((query) => query['@type'] === 'createPrivateChat');
      requests.mockRestore();
      expect(answers.map(({ status }) => status)).toEqual(chats.map(() => 200));
      expect(answers.flatMap(({ body }) => body.sends?.map(({ status }) => status))).toEqual(chats.map(() => 'sent'));
      const loaded = loads.map((query) => query['user_id']);
      expect(new Set(loaded).size).toBe(loaded.length);
      expect(telegram.control.journal({ method: 'contacts.*' })).toHaveLength(searches);
      for (const chatId of chats) {
        const messages = await telegram.control.messages({ chatId, account: userId });
        expect(messages.filter(({ text }) => text === 'to an old chat')).toHaveLength(1);
      }
    }, 180_000);

    it('that Telegram does not know either are refused in its own words, after one load', async () => {
      const { path } = await loginUser(api, telegram, appId, '15550600000');
      const requests = jest.spyOn(TdClient.prototype, 'request');
      const refused = await api.call(path, 'sendMessage', {
        chat_id: 7_777_777,
        input_message_content: textContent('x'),
      });
      const loads = requests.mock.calls.filter(([query]) => query['@type'] === 'createPrivateChat');
      requests.mockRestore();
      expect([refused.status, refused.body.error]).toEqual([
        400,
        { source: 'tdlib', code: 400, message: 'Chat not found' },
      ]);
      expect(loads).toHaveLength(1);
    });
  });
});
