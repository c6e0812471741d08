import { createHash, randomBytes } from 'node:crypto';
import { existsSync, truncateSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { generatedBytes } from '@tgcontrol/sandbox';
import { master, startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { onLoadedMachine, until } from './support/until.js';
import { loginUser } from './support/users.js';

const MIB = 1024 * 1024;
const STALL_MS = 2_000;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface Received {
  readonly chatId: number;
  readonly messageId: number;
  readonly fileId: number;
  readonly remoteId: string;
  readonly bytes: Buffer;
  /** Of the download. */
  readonly url: string;
}

describe('downloads through a gateway', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let worker: TestApp;
  let gateway: TestApp;
  let api: ApiClient;
  let bot: { path: string; userId: number };
  let user: { path: string; userId: number };

  const served = (): number => telegram.control.stats().fileBytes;
  const get = (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(`${gateway.url}${url}`, { method, headers: { ...master, ...headers } });
  const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());
  const errorOf = async (answer: Response): Promise<{ status: number; code: unknown; message: unknown }> => {
    const { error } = (await answer.json()) as { error?: { code: unknown; message: unknown } };
    return { status: answer.status, code: error?.code, message: error?.message };
  };
  /** A file that somebody sends to the session. */
  const receive = async (size: number, name: string, to = user): Promise<Received> => {
    const bytes = randomBytes(size);
    const from = telegram.control.createAccount({
      phone: `1556${String(Math.random()).slice(2, 9)}`,
      firstName: 'F',
    }).userId;
    await telegram.control.sendMessage({ from, chatId: to.userId, document: { bytes, name }, text: name });
    const messageId = (await telegram.control.messages({ chatId: from, account: to.userId })).at(-1)?.messageId ?? 0;
    const { content } = await until('the message', async () => {
      const { status, body } = await api.call(to.path, 'getMessage', { chat_id: from, message_id: messageId });
      return status === 200 && (body.result as { content: unknown } | undefined);
    });
    const { document } = (content as { document: { document: { id: number; remote: { id: string } } } }).document;
    const { id: fileId, remote } = document;
    const url = `${to.path}/files/${fileId}`;
    return { chatId: from, messageId, fileId, remoteId: remote.id, bytes, url };
  };
  /** A download that the test reads by hand. */
  const open = (url: string, headers = {}): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      httpRequest(`${gateway.url}${url}`, { headers: { ...master, ...headers } })
        .on('response', resolve)
        .on('error', reject)
        .end();
    });

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    const { TDLIB_PATH } = telegram.env;
    const more = { DOWNLOAD_STALL_TIMEOUT: `${STALL_MS}ms` };
    worker = await startApp({ role: 'worker', env: { ...telegram.env, ...more, WORKER_ID: 'w1' }, database });
    gateway = await startApp({ role: 'gateway', env: { ...more, TDLIB_PATH, TDLIB_PROXY_ONLY: 'true' }, database });
    api = new ApiClient(gateway);
    const appId = await api.createApp();
    const { token, userId } = telegram.control.createBot({ username: 'download_bot' });
    bot = { path: `/v1/bot/${(await api.must(api.post('/v1/bot', { token, app_id: appId }))).id}`, userId };
    user = await loginUser(api, telegram, appId, '15550800000');
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await gateway.stop();
    await worker.stop();
    await database.drop();
    await telegram.stop();
  });

  it.each([1, 1023, 700_001, 5 * MIB + 3])('of %i bytes are whole, with name, type and tag', async (size) => {
    const file = await receive(size, `отчёт ${size}.txt`);
    const answer = await get(file.url);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-length': String(size),
      'content-type': 'text/plain',
      'content-disposition': expect.stringContaining(
        `filename*=UTF-8''${encodeURIComponent(`отчёт ${size}.txt`)}`,
      ) as string,
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"[\w-]+"$/) as string,
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String) as string,
    });
    expect(sha256(await bytesOf(answer))).toBe(sha256(file.bytes));
  });

  it('are the same for a bot', async () => {
    const file = await receive(100_000, 'bot.bin', bot);
    expect(sha256(await bytesOf(await get(file.url)))).toBe(sha256(file.bytes));
  });

  it('can be named by the remote id', async () => {
    const file = await receive(10_000, 'remote.bin');
    const answer = await get(`${user.path}/files/any?remote_id=${encodeURIComponent(file.remoteId)}`);
    expect(sha256(await bytesOf(answer))).toBe(sha256(file.bytes));
  });

  describe('of a range', () => {
    let file: Received;
    let etag: string;

    beforeAll(async () => {
      file = await receive(48 * MIB, 'large.bin');
    });

    it('fetch no more than it covers', async () => {
      const before = served();
      const head = await get(file.url, { range: 'bytes=0-1023' });
      expect([head.status, head.headers.get('content-range')]).toEqual([206, `bytes 0-1023/${file.bytes.length}`]);
      expect(await bytesOf(head)).toEqual(file.bytes.subarray(0, 1024));
      etag = head.headers.get('etag') ?? '';
      expect(served() - before).toBeLessThanOrEqual(2 * MIB);
      const tail = await get(file.url, { range: 'bytes=-5' });
      expect(await bytesOf(tail)).toEqual(file.bytes.subarray(-5));
      const middle = await get(file.url, { range: `bytes=${20 * MIB}-${20 * MIB + 99}` });
      expect(await bytesOf(middle)).toEqual(file.bytes.subarray(20 * MIB, 20 * MIB + 100));
      expect(served() - before).toBeLessThanOrEqual(6 * MIB);
    });

    it('tell by HEAD what they would answer, and fetch nothing', async () => {
      const before = served();
      const whole = await get(file.url, {}, 'HEAD');
      expect([whole.status, whole.headers.get('content-length')]).toEqual([200, String(file.bytes.length)]);
      const part = await get(file.url, { range: 'bytes=1-2' }, 'HEAD');
      expect([part.status, part.headers.get('content-length')]).toEqual([206, '2']);
      expect((await get(file.url, { range: `bytes=${file.bytes.length}-` }, 'HEAD')).status).toBe(416);
      expect(served()).toBe(before);
    });

    it('are refused when the number means another file than the client thinks', async () => {
      const other = await receive(1000, 'another.bin');
      for (const [headers, status] of [
        [{ 'if-match': etag }, 412],
        [{ 'if-match': etag, range: 'bytes=0-1' }, 412],
        [{ 'if-match': etag, 'if-none-match': '*' }, 412],
        [{ 'if-match': `"x", ${(await get(other.url, {}, 'HEAD')).headers.get('etag')}` }, 200],
        [{ 'if-match': '*' }, 200],
      ] as const) {
        expect((await get(other.url, headers, 'HEAD')).status).toBe(status);
        const answer = await get(other.url, headers);
        if (status === 412) expect(await errorOf(answer)).toMatchObject({ status, code: 'file_changed' });
        else expect([answer.status, await bytesOf(answer)]).toEqual([200, other.bytes]);
      }
    });

    it('know what the client has', async () => {
      const before = served();
      const unchanged = await get(file.url, { 'if-none-match': etag });
      expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
      const beyond = await get(file.url, { range: `bytes=${file.bytes.length}-` });
      expect(beyond.headers.get('content-range')).toBe(`bytes */${file.bytes.length}`);
      expect(await errorOf(beyond)).toMatchObject({ status: 416, code: 'range_not_satisfiable' });
      const same = await get(file.url, { range: 'bytes=0-1', 'if-range': etag });
      expect([same.status, (await bytesOf(same)).length]).toEqual([206, 2]);
      expect(served() - before).toBeLessThanOrEqual(MIB);
      for (const headers of [{ range: 'bytes=0-1', 'if-range': '"other"' }, { range: 'bytes=0-1,5-6' }] as const) {
        const whole = await open(file.url).then((answer) => answer.destroy());
        expect(whole).toBeDefined();
        const answer = await get(file.url, headers);
        expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(file.bytes.length)]);
        await answer.body?.cancel();
      }
    });
  });

  it('of a kilobyte of a gigabyte begin at once, and cost no more than two megabytes', async () => {
    const size = 1_000_000_000;
    const { chatId } = telegram.control.createChat({ type: 'supergroup', title: 'Large', members: [user.userId] });
    await until('the chat', async () => (await api.call(user.path, 'getChat', { chat_id: chatId })).status === 200);
    const times: number[] = [];
    for (const name of ['one.bin', 'two.bin', 'three.bin']) {
      const { messageId } = await telegram.control.sendMessage({ chatId, document: { size, name } });
      const { content } = await until('the message', async () => {
        const { status, body } = await api.call(user.path, 'getMessage', { chat_id: chatId, message_id: messageId });
        return status === 200 && (body.result as { content: unknown } | undefined);
      });
      const { id } = (content as { document: { document: { id: number } } }).document.document;
      const before = served();
      const began = performance.now();
      const answer = await open(`${user.path}/files/${id}`, { range: 'bytes=0-1023' });
      await new Promise((resolve) => answer.once('readable', resolve));
      times.push(performance.now() - began);
      expect([answer.statusCode, answer.headers['content-range']]).toEqual([206, `bytes 0-1023/${size}`]);
      const pieces: Buffer[] = [];
      for await (const piece of answer) pieces.push(piece as Buffer);
      expect(Buffer.concat(pieces).equals(generatedBytes(0, 1024))).toBe(true);
      expect(served() - before).toBeLessThanOrEqual(2 * MIB);
    }
    // The machine may be busy with something else for a while, but not each time.
    expect(Math.min(...times)).toBeLessThanOrEqual(onLoadedMachine(300));
  });

  it('send bytes on as they come, and stop when the last reader leaves', async () => {
    const file = await receive(32 * MIB, 'progress.bin');
    telegram.control.addFault({ method: 'upload.getFile', delayMs: 150 });
    const before = served();
    const answer = await open(file.url);
    const first = await new Promise<Buffer>((resolve) => answer.once('data', resolve));
    expect(first).toEqual(file.bytes.subarray(0, first.length));
    expect(served() - before).toBeLessThan(file.bytes.length / 2);
    answer.destroy();
    let last = -1;
    await until('the end of it', async () => {
      const now = served();
      const isSame = now === last;
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 400));
      return isSame;
    });
    expect(served() - before).toBeLessThan(file.bytes.length * 0.9);
    telegram.control.removeFault();
    expect(sha256(await bytesOf(await get(file.url)))).toBe(sha256(file.bytes));
  });

  it('do not run far ahead of a client that takes nothing', async () => {
    const file = await receive(64 * MIB, 'slow.bin');
    const before = served();
    const answer = await open(file.url);
    await new Promise((resolve) => answer.once('readable', resolve));
    let last = -1;
    await until('it to pause', async () => {
      const now = served();
      const isSame = now === last;
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return isSame;
    });
    expect(served() - before).toBeLessThan(40 * MIB);
    answer.destroy();
  });

  it('are shared by fifty readers', async () => {
    const file = await receive(3 * MIB, 'shared.bin');
    const before = served();
    const answers = await Promise.all(Array.from({ length: 50 }, () => get(file.url)));
    const hashes = await Promise.all(answers.map(async (answer) => sha256(await bytesOf(answer))));
    expect(new Set(hashes)).toEqual(new Set([sha256(file.bytes)]));
    expect(served() - before).toBeLessThan(file.bytes.length * 1.2);
  });

  it('serve readers of different ranges side by side', async () => {
    const file = await receive(24 * MIB, 'ranges.bin');
    const parts = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const from = index * 3 * MIB;
        return bytesOf(await get(file.url, { range: `bytes=${from}-${from + 3 * MIB - 1}` }));
      }),
    );
    expect(sha256(Buffer.concat(parts))).toBe(sha256(file.bytes));
  });

  it('end with the cause when nothing comes, and by a cut after the first byte', async () => {
    const file = await receive(30 * MIB, 'stalls.bin');
    telegram.control.addFault({ method: 'upload.getFile', hang: true });
    expect(await errorOf(await get(file.url))).toMatchObject({ status: 504, code: 'download_stalled' });
    telegram.control.removeFault();
    const partly = await receive(30 * MIB, 'stalls later.bin');
    telegram.control.addFault({ method: 'upload.getFile', delayMs: 100 });
    const answer = await open(partly.url);
    let size = 0;
    const ended = new Promise<string>((resolve) => {
      answer.on('data', (piece: Buffer) => {
        if (size === 0) {
          telegram.control.removeFault();
          telegram.control.addFault({ method: 'upload.getFile', hang: true });
        }
        size += piece.length;
      });
      answer.on('end', () => resolve('whole'));
      answer.on('error', () => resolve('cut'));
    });
    expect(await ended).toBe('cut');
    expect(size).toBeLessThan(partly.bytes.length);
    telegram.control.removeFault();
    telegram.control.dropConnections(user.userId);
    const rest = await until('the rest', async () => {
      const part = await get(partly.url, { range: `bytes=${size}-` });
      return part.status === 206 ? bytesOf(part) : undefined;
    });
    expect(sha256(rest)).toBe(sha256(partly.bytes.subarray(size)));
  });

  it("remove TDLib's copy only after every byte was delivered", async () => {
    const file = await receive(3 * MIB, 'deleted.bin');
    const pathOf = async (): Promise<string> => {
      const { body } = await api.call(user.path, 'getFile', { file_id: file.fileId });
      return (body.result?.['local'] as { path: string }).path;
    };
    await bytesOf(await get(file.url));
    const path = await pathOf();
    expect(existsSync(path)).toBe(true);
    await get(`${file.url}?delete=1`, {}, 'HEAD');
    await bytesOf(await get(`${file.url}?delete=1`, { range: 'bytes=0-1' }));
    await get(`${file.url}?delete=1`, { 'if-none-match': '*' });
    const aborted = await open(`${file.url}?delete=1`);
    aborted.destroy();
    expect(existsSync(path)).toBe(true);
    expect(sha256(await bytesOf(await get(`${file.url}?delete=1`)))).toBe(sha256(file.bytes));
    await until('the removal', async () => !existsSync(path) && (await pathOf()) === '');
    expect(sha256(await bytesOf(await get(file.url)))).toBe(sha256(file.bytes));
  });

  it('notice that the copy was changed on the disk', async () => {
    const file = await receive(2 * MIB, 'changed.bin');
    await bytesOf(await get(file.url));
    const { body } = await api.call(user.path, 'getFile', { file_id: file.fileId });
    truncateSync((body.result?.['local'] as { path: string }).path, 1000);
    expect(sha256(await bytesOf(await get(file.url)))).toBe(sha256(file.bytes));
  });

  it('get a new reference from the message when theirs has expired', async () => {
    const file = await receive(50_000, 'expired.bin');
    telegram.control.expireFileReferences();
    const message = `chat_id=${file.chatId}&message_id=${file.messageId}`;
    const answer = await get(`${user.path}/files/0?remote_id=${encodeURIComponent(file.remoteId)}&${message}`);
    expect(sha256(await bytesOf(answer))).toBe(sha256(file.bytes));
  });

  it('are never empty: a bot whose reference has expired is told', async () => {
    const file = await receive(50_001, 'expired bot.bin', bot);
    telegram.control.expireFileReferences();
    const refused = await errorOf(await get(file.url));
    expect(refused).toMatchObject({ status: 502, code: 'download_failed' });
    expect(refused.message).toContain('another session');
  });

  it('are refused when the message that could renew their reference is gone', async () => {
    const file = await receive(50_002, 'deleted message.bin');
    const { messageId, chatId } = file;
    const params = { chat_id: chatId, message_ids: [messageId], revoke: true };
    expect((await api.call(user.path, 'deleteMessages', params)).status).toBe(200);
    telegram.control.expireFileReferences();
    const at = `remote_id=${encodeURIComponent(file.remoteId)}&chat_id=${chatId}&message_id=${messageId}`;
    const answer = await get(`${user.path}/files/0?${at}`);
    expect([answer.status >= 400, await answer.json()]).toEqual([true, expect.objectContaining({ ok: false })]);
  });

  it('are never those of another session: its number of a file means nothing here', async () => {
    const files = [];
    for (let number = 0; number < 5; number += 1) files.push(await receive(30_000 + number, `${number}.bin`));
    const last = files.reduce((one, other) => (one.fileId > other.fileId ? one : other));
    const answer = await get(`${bot.path}/files/${last.fileId}`);
    const bytes = await bytesOf(answer);
    expect(bytes.equals(last.bytes)).toBe(false);
    expect(answer.status === 200 ? bytes.length : answer.status).not.toBe(0);
  });

  it.each([
    ['no number', 'x', 400, 'validation_failed'],
    ['unknown number', '999999999', 404, 404],
    ['a number that TDLib cannot have', '2147483648', 400, 'validation_failed'],
    ['half a message', '1?chat_id=5', 400, 'validation_failed'],
    ['bad remote id', 'x?remote_id=nonsense', 400, 400],
  ])('are refused for %s', async (_what, rest, status, code) => {
    expect(await errorOf(await get(`${user.path}/files/${rest}`))).toMatchObject({ status, code });
  });

  it('are refused for sessions that are not there or of the other kind', async () => {
    const id = user.path.split('/').at(-1);
    expect(await errorOf(await get(`/v1/bot/${id}/files/1`))).toMatchObject({ status: 404, code: 'kind_mismatch' });
    expect(await errorOf(await get('/v1/bot/nope/files/1'))).toMatchObject({ status: 404, code: 'session_not_found' });
  });
});
