import { randomBytes } from 'node:crypto';
import { existsSync, utimesSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { StorageSweep } from '../src/modules/files/storage-sweep.js';
import { master, startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { uploadFile } from './support/uploads.js';
import { loginUser } from './support/users.js';

const MIB = 1024 * 1024;
const DAY_S = 86_400;

interface Received {
  readonly url: string;
  readonly fileId: number;
  readonly bytes: Buffer;
}

interface Files {
  readonly bytes: number;
  readonly count: number;
}

describe('the storage of sessions', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let worker: TestApp;
  let gateway: TestApp;
  let api: ApiClient;
  let user: { path: string; userId: number };
  let bot: { path: string; userId: number };
  let sender: number;

  const get = (url: string): Promise<Response> => fetch(`${gateway.url}${url}`, { headers: master });
  const bytesOf = async (url: string): Promise<Buffer> => Buffer.from(await (await get(url)).arrayBuffer());
  const filesOf = async (): Promise<Files> =>
    (await api.must(api.get(`${user.path}/storage?by_type=1`)))['files'] as Files;
  const pathOf = async (fileId: number): Promise<string> => {
    const { local } = await api.must(api.call(user.path, 'getFile', { file_id: fileId }));
    return (local as { path: string }).path;
  };
  const receive = async (size: number, name: string, to = user): Promise<Received> => {
    const bytes = randomBytes(size);
    await telegram.control.sendMessage({ from: sender, chatId: to.userId, document: { bytes, name }, text: name });
    const messageId = (await telegram.control.messages({ chatId: sender, account: to.userId })).at(-1)?.messageId;
    const { content } = await until('the message', async () => {
      const { status, body } = await api.call(to.path, 'getMessage', { chat_id: sender, message_id: messageId });
      return status === 200 && body.result;
    });
    const fileId = (content as { document: { document: { id: number } } }).document.document.id;
    return { url: `${to.path}/files/${fileId}`, fileId, bytes };
  };
  const download = async (size: number, name: string): Promise<Received & { path: string }> => {
    const file = await receive(size, name);
    expect((await bytesOf(file.url)).equals(file.bytes)).toBe(true);
    return { ...file, path: await pathOf(file.fileId) };
  };
  /** As if nobody had used it for so long. */
  const age = (path: string, seconds: number): void => {
    const then = Date.now() / 1_000 - seconds;
    utimesSync(path, then, then);
  };
  const open = (url: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      httpRequest(`${gateway.url}${url}`, { headers: master }).on('response', resolve).on('error', reject).end();
    });

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    const { TDLIB_PATH } = telegram.env;
    worker = await startApp({ role: 'worker', env: { ...telegram.env, WORKER_ID: 'w1' }, database });
    const uploads = { UPLOADS_DIR: worker.config.uploads.dir, UPLOAD_QUOTA: '1GiB' };
    gateway = await startApp({ role: 'gateway', env: { ...uploads, TDLIB_PATH, TDLIB_PROXY_ONLY: 'true' }, database });
    api = new ApiClient(gateway);
    const appId = await api.createApp();
    user = await loginUser(api, telegram, appId, '15550900000');
    const { token, userId } = telegram.control.createBot({ username: 'storage_bot' });
    bot = { path: `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: appId }))).id}`, userId };
    sender = telegram.control.createAccount({ phone: '15550900001', firstName: 'Sender' }).userId;
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await gateway.stop();
    await worker.stop();
    await database.drop();
    await telegram.stop();
  });

  it('is told in bytes and files, by type, and in total with what the disks have left', async () => {
    const before = await filesOf();
    await download(2 * MIB, 'counted.bin');
    const id = user.path.split('/').at(-1);
    const answer = await api.must(api.get(`${user.path}/storage?by_type=1`));
    expect(answer).toMatchObject({ session_id: id, kind: 'user', uploads: { bytes: 0, count: 0 } });
    expect(answer['database_bytes']).toBeGreaterThan(0);
    const { bytes, count } = answer['files'] as Files;
    expect(bytes - before.bytes).toBeGreaterThanOrEqual(2 * MIB);
    expect(count - before.count).toBe(1);
    expect((answer['by_type'] as { type: string }[]).map(({ type }) => type)).toContain('Document');
    await uploadFile(gateway, 'waiting.bin', 'abc');
    const { uploads, workers } = await api.must(api.get('/v1/storage'));
    expect(uploads).toMatchObject({ bytes: 3, count: 1, quota_bytes: 1024 * MIB });
    expect((uploads as { free_bytes: number }).free_bytes).toBeGreaterThan(0);
    expect(workers).toMatchObject([{ worker_id: 'w1' }]);
    expect((workers as { sessions: unknown[] }[])[0]?.sessions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ session_id: id, files: expect.objectContaining({ count }) as object }),
      ]),
    );
    expect((workers as { free_bytes: number }[])[0]?.free_bytes).toBeGreaterThan(0);
  });

  it('is told for bots too, in total as well, and becomes less on demand and by the sweep', async () => {
    const storageOf = async (query = ''): Promise<Record<string, unknown>> =>
      api.must(api.get(`${bot.path}/storage${query}`));
    const get = async (size: number, name: string): Promise<string> => {
      const { url, fileId } = await receive(size, name, bot);
      await bytesOf(url);
      const { local } = await api.must(api.call(bot.path, 'getFile', { file_id: fileId }));
      return (local as { path: string }).path;
    };
    const before = (await storageOf())['files'] as Files;
    const [old, older] = [await get(2 * MIB, 'bot.bin'), await get(MIB, 'bot too.bin')];
    const id = bot.path.split('/').at(-1);
    const told = await storageOf('?by_type=1');
    expect(told).toMatchObject({ session_id: id, kind: 'bot', by_type: [{ type: 'Document', count: 2 }] });
    expect(told['files']).toEqual({ bytes: before.bytes + 3 * MIB, count: before.count + 2 });
    expect(told['database_bytes']).toBeGreaterThan(0);
    const { workers } = await api.must(api.get('/v1/storage'));
    expect((workers as { sessions: unknown[] }[])[0]?.sessions).toContainEqual(
      expect.objectContaining({ session_id: id, kind: 'bot', files: told['files'] }),
    );
    age(old, DAY_S);
    const optimized = await api.must(api.post(`${bot.path}/storage/optimize`, { ttl: 3_600, immunity_delay: 60 }));
    expect(optimized).toMatchObject({
      removed: { bytes: 2 * MIB, count: 1 },
      files: { bytes: before.bytes + MIB, count: before.count + 1 },
    });
    age(older, 31 * DAY_S);
    await worker.app.get(StorageSweep).sweep();
    expect([existsSync(old), existsSync(older)]).toEqual([false, false]);
  });

  it('counts the uploads that messages on their way use', async () => {
    telegram.control.addFault({ method: 'upload.saveFilePart', delayMs: 60_000 });
    const path = await uploadFile(gateway, 'on its way.bin', '0123456789');
    await api.must(
      api.call(user.path, 'sendMessage', {
        chat_id: sender,
        input_message_content: { '@type': 'inputMessageDocument', document: { '@type': 'inputFileLocal', path } },
      }),
    );
    expect((await api.must(api.get(`${user.path}/storage`)))['uploads']).toEqual({ bytes: 10, count: 1 });
    const { body } = await api.get('/v1/files');
    const listed = body.result as unknown as { path: string }[];
    expect(listed.find((each) => each.path === path)).toMatchObject({ status: 'in_use', offset: 10, length: 10 });
    const id = path.split('/').at(-2);
    const refused = await fetch(`${gateway.url}/v1/files/${id}`, { method: 'DELETE', headers: master });
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('upload_in_use') as string]);
    expect(existsSync(path)).toBe(true);
    telegram.control.removeFault();
  });

  it('becomes less on demand, the longest unused first, and what was removed can be had again', async () => {
    const [old, fresh] = [await download(3 * MIB, 'old.bin'), await download(MIB, 'fresh.bin')];
    age(old.path, DAY_S);
    const before = await filesOf();
    const { removed, files } = await api.must(
      api.post(`${user.path}/storage/optimize`, { ttl: 3_600, immunity_delay: 60 }),
    );
    expect(removed).toMatchObject({ count: 1 });
    expect((removed as Files).bytes).toBeGreaterThanOrEqual(3 * MIB);
    expect((files as Files).count).toBe(before.count - 1);
    expect([existsSync(old.path), existsSync(fresh.path)]).toEqual([false, true]);
    expect((await bytesOf(old.url)).equals(old.bytes)).toBe(true);
    age(fresh.path, DAY_S);
    await api.must(api.post(`${user.path}/storage/optimize`, { size: 0 }));
    expect(existsSync(fresh.path)).toBe(false);
  });

  it('never loses what is being downloaded, however long it stands still', async () => {
    const file = await receive(24 * MIB, 'in use.bin');
    telegram.control.addFault({ method: 'upload.getFile', delayMs: 50 });
    const answer = await open(file.url);
    await new Promise((resolve) => answer.once('readable', resolve));
    const path = await until('a part', () => pathOf(file.fileId));
    age(path, DAY_S);
    await api.must(api.post(`${user.path}/storage/optimize`, { size: 0, ttl: 0, count: 0, immunity_delay: 60 }));
    expect(existsSync(path)).toBe(true);
    telegram.control.removeFault();
    const pieces: Buffer[] = [];
    for await (const piece of answer) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).equals(file.bytes)).toBe(true);
  });

  it.each([
    ['deleteFile', (fileId: number) => ({ file_id: fileId })],
    [
      'optimizeStorage',
      () => ({ size: 0, ttl: 0, count: 0, immunity_delay: 0, file_types: [{ '@type': 'fileTypeDocument' }] }),
    ],
  ])('taken from under a download by a call of %s ends it, or costs nothing but time', async (method, paramsOf) => {
    const file = await receive(12 * MIB, `${method}.bin`);
    telegram.control.addFault({ method: 'upload.getFile', delayMs: 50 });
    const answer = await open(file.url);
    await new Promise((resolve) => answer.once('readable', resolve));
    const called = await api.call(user.path, method, paramsOf(file.fileId));
    expect(called.status).toBe(200);
    telegram.control.removeFault();
    const pieces: Buffer[] = [];
    const end = await (async () => {
      for await (const piece of answer) pieces.push(piece as Buffer);
      return 'whole';
    })().catch(() => 'cut');
    const got = Buffer.concat(pieces);
    expect(got.equals(end === 'whole' ? file.bytes : file.bytes.subarray(0, got.length))).toBe(true);
    expect((await bytesOf(file.url)).equals(file.bytes)).toBe(true);
  });

  it('is filled further when a call of cancelDownloadFile takes a download back', async () => {
    const file = await receive(12 * MIB, 'taken back.bin');
    telegram.control.addFault({ method: 'upload.getFile', delayMs: 50 });
    const pieces: Buffer[] = [];
    let size = 0;
    let cancelled = 0;
    for await (const piece of await open(file.url)) {
      pieces.push(piece as Buffer);
      size += (piece as Buffer).length;
      if (cancelled < 3 && size > (cancelled + 1) * 2 * MIB) {
        cancelled += 1;
        const taken = await api.call(user.path, 'cancelDownloadFile', { file_id: file.fileId, only_if_pending: false });
        expect(taken.status).toBe(200);
      }
    }
    expect([cancelled, Buffer.concat(pieces).equals(file.bytes)]).toEqual([3, true]);
  });

  it('is brought within its limits by the sweep', async () => {
    const file = await download(MIB, 'long unused.bin');
    age(file.path, 31 * DAY_S);
    const recent = await download(MIB, 'used last month.bin');
    age(recent.path, 29 * DAY_S);
    await worker.app.get(StorageSweep).sweep();
    expect([existsSync(file.path), existsSync(recent.path)]).toEqual([false, true]);
  });

  it.each([
    ['a negative size', { size: -1 }],
    ['a size that is no number', { size: 'all' }],
    ['hardly any immunity', { immunity_delay: 59 }],
    ['more seconds than TDLib can count', { ttl: 2 ** 31 }],
    ['no null', { ttl: null }],
  ])('is not changed by %s', async (_what, body) => {
    expect(await api.post(`${user.path}/storage/optimize`, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed' } },
    });
  });

  it('is that of sessions that are there', async () => {
    const id = user.path.split('/').at(-1);
    for (const ask of [
      () => api.get(`/v1/bot/${id}/storage`),
      () => api.post(`/v1/bot/${id}/storage/optimize`),
      () => api.get('/v1/user/00000000-0000-4000-8000-000000000000/storage'),
    ]) {
      expect((await ask()).status).toBe(404);
    }
  });

  it('of others is nothing to a token, nor is the total, nor may it remove files', async () => {
    const id = user.path.split('/').at(-1);
    const create = async (scope: object): Promise<string> =>
      String((await api.must(api.post('/v1/tokens', { name: 'storage', ...scope })))['token']);
    const ask = async (token: string, path: string, method = 'GET'): Promise<number> => {
      const answer = await fetch(`${gateway.url}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
      return answer.status;
    };
    const own = await create({ session_ids: [id] });
    const none = await create({ session_ids: [] });
    expect(await ask(own, `${user.path}/storage`)).toBe(200);
    expect(await ask(own, `${user.path}/storage/optimize`, 'POST')).toBe(200);
    expect(await ask(none, `${user.path}/storage`)).toBe(403);
    expect(await ask(none, `${user.path}/storage/optimize`, 'POST')).toBe(403);
    expect(await ask(own, '/v1/storage')).toBe(403);
    expect(await ask(own, '/v1/files')).toBe(200);
  });
});
