import { createHash, randomFillSync, randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { JobsRepository } from '../src/modules/bot-pool/jobs/jobs.repository.js';
import { freePort, master, startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { type RawS3Answer, sendSigned } from './support/s3.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { loginUser } from './support/users.js';

const MIB = 1024 * 1024;
const BOTS = 4;
// POOL_RANGES=1000 POOL_OPERATIONS=500 show more; the defaults are a look.
const RANGES = Number(process.env['POOL_RANGES'] ?? 5);
const OPERATIONS = Number(process.env['POOL_OPERATIONS'] ?? 20);
const randomBytes = (size: number): Uint8Array<ArrayBuffer> => randomFillSync(new Uint8Array(size));
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const md5 = (bytes: Uint8Array, as: 'hex' | 'base64' = 'hex'): string => createHash('md5').update(bytes).digest(as);

interface PoolStatus {
  readonly state: string;
  readonly bots: readonly {
    readonly session_id: string;
    readonly state: string;
    readonly budget: { readonly of: number };
  }[];
}

describe('a pool of bots on two workers, through a gateway', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let workers: TestApp[];
  let gateway: TestApp;
  let api: ApiClient;
  let appId: string;
  let channel: number;
  let dataDir: string;
  let s3Port: number;
  const bots: { id: string; userId: number }[] = [];

  const bot = (n: number): { id: string; userId: number } => bots[n] ?? { id: '', userId: 0 };
  /** A pool's bots as they were made: those that were added within a millisecond come in any order. */
  const inOrder = (pool: Record<string, unknown>): unknown[] =>
    bots.map(({ id }) => (pool['bots'] as { session_id: string }[]).find((each) => each.session_id === id));
  const newBot = async (username: string): Promise<{ id: string; userId: number }> => {
    const { token, userId } = telegram.control.createBot({ username });
    return { id: (await api.must(api.post('/v1/bot', { token, app_id: appId }))).id, userId };
  };
  const at = (key: string): string => `${gateway.url}/v1/pools/store/objects/${key}`;
  const put = (
    key: string,
    body: Uint8Array<ArrayBuffer> | string,
    headers: Record<string, string> = {},
  ): Promise<Response> => fetch(at(key), { method: 'PUT', body, headers: { ...master, ...headers } });
  const get = (key: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(at(key), { method, headers: { ...master, ...headers } });
  const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());
  const resultOf = async (answer: Response): Promise<Record<string, unknown>> =>
    ((await answer.json()) as { result: Record<string, unknown> }).result;
  const errorOf = async (answer: Response): Promise<{ status: number; code: unknown }> => ({
    status: answer.status,
    code: ((await answer.json()) as { error?: { code: unknown } }).error?.code,
  });
  /** How many documents the channel holds. */
  const held = async (): Promise<number> =>
    (await telegram.control.messages({ chatId: channel })).filter(({ file }) => file !== undefined).length;
  /** I6: every message in the channel belongs to an object. @returns how many there are */
  const cleaned = (): Promise<number> =>
    until('the channel to hold nothing but objects', async () => {
      const [row] = await database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pool_blobs WHERE refs > 0 AND chat_id = ${channel}`,
      );
      return (await held()) === row?.count && spooled().length === 0 && { count: row.count };
    }).then(({ count }) => count);
  const status = async (): Promise<PoolStatus> =>
    (await api.must(api.get('/v1/pools/store/status'))) as unknown as PoolStatus;
  const stateOf = async (id: string): Promise<string | undefined> =>
    (await status()).bots.find(({ session_id }) => session_id === id)?.state;
  /** Leaves all work to one bot, so that it is the one that gets a part. */
  const onlyBotWorks = async (n: number, isAlone: boolean): Promise<void> => {
    const others = bots.filter(({ id }) => id !== bot(n).id);
    const state = isAlone ? 'paused' : 'active';
    for (const { id } of others) await api.must(api.patch(`/v1/pools/store/bots/${id}`, { state }));
    await until('the others to follow', async () => {
      const states = await Promise.all(others.map(({ id }) => stateOf(id)));
      return states.every((each) => (each === 'paused') === isAlone);
    });
  };
  const jobOf = async (order: object): Promise<Record<string, unknown> & { readonly id: string }> =>
    api.must(api.post('/v1/pools/store/jobs', order));
  /** The job once it has ended. */
  const ended = (id: string): Promise<Record<string, unknown>> =>
    until('the job to end', async () => {
      const job = await api.must(api.get(`/v1/pools/store/jobs/${id}`));
      return job['ended_at'] !== undefined && job;
    });
  /** As if what a key has had been stored so many hours ago. */
  const age = async (key: string, hours: number): Promise<void> => {
    await database.query(`UPDATE pool_blobs SET stored_at = now() - interval '${hours} hours' WHERE id IN (
      SELECT blob_id FROM pool_extents e JOIN pool_objects o ON o.id = e.object_id WHERE o.key = '${key}')`);
  };
  /** Of a token that may write in the pool. */
  const s3Key = async (): Promise<{ readonly accessKeyId: string; readonly secretAccessKey: string }> => {
    const { id } = await api.must(api.get('/v1/pools/store'));
    const token = await api.must(api.post('/v1/tokens', { name: 's3', pool_ids: [id], pool_access: 'write' }));
    const made = await api.must(api.post(`/v1/tokens/${token.id}/s3-keys`));
    return { accessKeyId: String(made['access_key_id']), secretAccessKey: String(made['secret_access_key']) };
  };
  const spooled = (): string[] => readdirSync(join(gateway.config.uploads.dir, '.pools'));

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    const { TDLIB_PATH } = telegram.env;
    // Workers that take each other's sessions over share their folders, and gateways that of the uploads.
    dataDir = mkdtempSync(join(tmpdir(), 'tgcontrol-pools-'));
    const env = { ...telegram.env, DATA_DIR: dataDir };
    workers = [];
    for (const WORKER_ID of ['w1', 'w2']) {
      workers.push(await startApp({ role: 'worker', env: { ...env, WORKER_ID }, database }));
    }
    s3Port = await freePort();
    const gatewayEnv = {
      DATA_DIR: dataDir,
      TDLIB_PATH,
      TDLIB_PROXY_ONLY: 'true',
      S3_LISTEN_ADDR: `127.0.0.1:${s3Port}`,
    };
    gateway = await startApp({ role: 'gateway', env: gatewayEnv, database });
    api = new ApiClient(gateway);
    appId = await api.createApp();
    for (let n = 0; n < BOTS; n++) bots.push(await newBot(`pool_bot_${n}`));
    // Made within the second for which a list of workers is kept, all may be with one, which hands half of them over then.
    await until('bots with both workers', async () => {
      const sessions = await api.sessions();
      return new Set(sessions.map((each) => each['worker_id'])).size === workers.length;
    });
    await until('calls of all of them', async () => {
      const calls = await Promise.all(bots.map(({ id }) => api.call(`/v1/bot/${id}`, 'getMe')));
      return calls.every(({ status: answered }) => answered === 200);
    });
    const owner = telegram.control.createAccount({ phone: '15550900000' }).userId;
    const admins = [owner, ...bots.slice(0, 3).map(({ userId }) => userId)];
    channel = telegram.control.createChat({ type: 'channel', title: 'Store', admins }).chatId;
  });

  afterEach(() => {
    telegram.control.removeFault();
    telegram.control.removeRule();
  });

  afterAll(async () => {
    await gateway.stop();
    for (const worker of workers) await worker.stop();
    await database.drop();
    await telegram.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('21 is made of the bots that may store in the chat and are in no other pool; the others are put aside with the reason', async () => {
    const nobody = await api.post('/v1/pools', { name: 'nobody', chat_id: channel, session_ids: [bot(3).id] });
    expect(nobody.status).toBe(422);
    expect(nobody.body.error?.['code']).toBe('no_usable_bot');
    const budget = { max: 1000, window_s: 60, gap_ms: 0 };
    const settings = { name: 'store', chat_id: channel, chunk_size: MIB, budget };
    const pool = await api.must(api.post('/v1/pools', { ...settings, session_ids: bots.map(({ id }) => id) }));
    expect(inOrder(pool)).toMatchObject([
      { session_id: bot(0).id, state: 'active' },
      { session_id: bot(1).id, state: 'active' },
      { session_id: bot(2).id, state: 'active' },
      { session_id: bot(3).id, state: 'quarantined', reason: expect.any(String) as string },
    ]);
    const again = await api.post('/v1/pools', { ...settings, name: 'other', session_ids: [bot(0).id] });
    expect(again.body.error?.['code']).toBe('bot_in_pool');
    const taken = await api.post('/v1/pools', { ...settings, session_ids: [bot(0).id] });
    expect(taken.body.error?.['code']).toBe('pool_name_taken');
    await until('the pool to be run', async () => (await status()).state === 'degraded');
    const none = await api.post('/v1/pools', { ...settings, name: 'nobody', session_ids: [] });
    expect([none.status, none.body.error?.['message']]).toEqual([400, expect.stringContaining('session_ids')]);
  });

  it('takes a bot back that was given its rights', async () => {
    telegram.control.chats.promote(channel, bot(3).userId);
    const pool = await api.must(api.post('/v1/pools/store/verify'));
    expect(inOrder(pool)).toMatchObject(bots.map(({ id }) => ({ session_id: id, state: 'active' })));
    await until('all bots to work', async () => (await status()).state === 'ok');
  });

  it('D6 gives back what was put, through bots of both workers, and leaves nothing in the spool', async () => {
    const bytes = randomBytes(8 * MIB + 12_345);
    const answer = await put('a/large file.bin', bytes, {
      'content-type': 'application/x-thing',
      'x-meta-colour': 'green',
      'content-md5': md5(bytes, 'base64'),
      'x-content-sha256': sha256(bytes),
    });
    expect(answer.status).toBe(200);
    expect(await resultOf(answer)).toMatchObject({
      key: 'a/large file.bin',
      size: bytes.length,
      sha256: sha256(bytes),
      etag: md5(bytes),
      metadata: { colour: 'green' },
    });
    const back = await get('a/large%20file.bin');
    expect(back.status).toBe(200);
    expect(Object.fromEntries(back.headers)).toMatchObject({
      'content-type': 'application/x-thing',
      'content-length': String(bytes.length),
      'x-meta-colour': 'green',
      etag: `"${md5(bytes)}"`,
    });
    expect(sha256(await bytesOf(back))).toBe(sha256(bytes));
    expect(spooled()).toEqual([]);
    const stat = await api.must(api.get('/v1/pools/store/stat/a/large%20file.bin'));
    const parts = stat['parts'] as readonly { uploader: string; sha256: string; size: number }[];
    expect(parts).toHaveLength(9);
    expect(parts.map(({ sha256: hash }) => hash)).toEqual(
      parts.map((_, n) => sha256(bytes.subarray(n * MIB, (n + 1) * MIB))),
    );
    expect(new Set(parts.map(({ uploader }) => uploader)).size).toBe(BOTS);
    const holders = await database.query<{ worker_id: string }>('SELECT DISTINCT worker_id FROM sessions');
    expect(holders).toHaveLength(2);
  });

  it('52 gives every stretch across the borders of parts', async () => {
    const bytes = randomBytes(2 * MIB + 100);
    await put('ranges', bytes);
    const ends = [0, MIB - 1, MIB, MIB + 1, 2 * MIB + 99];
    for (const from of ends) {
      for (const to of ends.filter((each) => each >= from)) {
        const answer = await get('ranges', { range: `bytes=${from}-${to}` });
        expect([answer.status, answer.headers.get('content-range')]).toEqual([
          206,
          `bytes ${from}-${to}/${bytes.length}`,
        ]);
        expect((await bytesOf(answer)).equals(bytes.subarray(from, to + 1))).toBe(true);
      }
    }
    expect((await bytesOf(await get('ranges', { range: 'bytes=-5' }))).equals(bytes.subarray(-5))).toBe(true);
    const beyond = await get('ranges', { range: `bytes=${bytes.length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
    const same = await get('ranges', { 'if-none-match': `"${md5(bytes)}"` });
    expect(same.status).toBe(304);
    const head = await get('ranges', {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    for (let n = 0; n < RANGES; n += 1) {
      const [a, b] = [randomInt(bytes.length), randomInt(bytes.length)];
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const back = await bytesOf(await get('ranges', { range: `bytes=${from}-${to}` }));
      expect([from, to, back.equals(bytes.subarray(from, to + 1))]).toEqual([from, to, true]);
    }
    // Nobody has to give several at once: it is the whole then.
    expect((await get('ranges', { range: 'bytes=0-1,5-6' })).status).toBe(200);
  }, 300_000);

  it.each([0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB])('48 stores %i bytes as so many parts as they need', async (size) => {
    const bytes = randomBytes(size);
    // Of a stream the length is not known before.
    const stream = new Response(bytes).body;
    const answer = await fetch(at('sizes'), {
      method: 'PUT',
      headers: master,
      ...(size % 2 === 0 && stream !== null ? { body: stream, duplex: 'half' as const } : { body: bytes }),
    });
    expect(answer.status).toBe(200);
    const stat = await api.must(api.get('/v1/pools/store/stat/sizes'));
    expect((stat['parts'] as unknown[]).length).toBe(Math.ceil(size / MIB));
    expect((await bytesOf(await get('sizes'))).equals(bytes)).toBe(true);
  });

  it('29, 33 keeps nothing of a body that is not what its headers say', async () => {
    const before = await cleaned();
    const wrong = await put('wrong', randomBytes(2 * MIB), { 'x-content-sha256': sha256(Buffer.from('other')) });
    expect(await errorOf(wrong)).toEqual({ status: 422, code: 'checksum_mismatch' });
    expect((await get('wrong')).status).toBe(404);
    expect(await cleaned()).toBe(before);
  });

  it('34 keeps nothing of a body that breaks off', async () => {
    const before = await cleaned();
    const upload = httpRequest(at('broken'), { method: 'PUT', headers: { ...master, 'content-length': 5 * MIB } });
    upload.on('error', () => undefined);
    upload.write(randomBytes(3 * MIB));
    await until('a part to arrive', async () => (await held()) > before);
    upload.destroy();
    expect(await cleaned()).toBe(before);
    expect((await get('broken')).status).toBe(404);
  });

  it('35 has all of an object or nothing of it when its client leaves while it is being completed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const body = Buffer.alloc(MIB + 7, round);
      const upload = httpRequest(at('left'), { method: 'PUT', headers: { ...master, 'content-length': body.length } });
      upload.on('error', () => undefined);
      const answered = new Promise((resolve) => upload.on('response', resolve).on('close', resolve));
      upload.end(body, () => setTimeout(() => upload.destroy(), round * 120));
      await answered;
      await cleaned();
      const answer = await get('left');
      if (answer.status === 200) {
        const back = await bytesOf(answer);
        // Of this round, or of one before that got through.
        expect(back.equals(Buffer.alloc(MIB + 7, back[0]))).toBe(true);
      } else expect(answer.status).toBe(404);
    }
    await api.must(api.delete('/v1/pools/store/objects/left'));
  });

  it('34 takes back what a client leaves that has sent all of it, so that it comes over nothing younger', async () => {
    const stored = telegram.control.journal({ method: 'messages.sendMedia' }).length;
    telegram.control.addFault({ method: 'messages.sendMedia', delayMs: 2_000, times: 1 });
    const upload = httpRequest(at('young'), { method: 'PUT', headers: { ...master, 'content-length': 3 } });
    upload.on('error', () => undefined);
    upload.end('old');
    await until('its message to be sent', () => {
      return telegram.control.journal({ method: 'messages.sendMedia' }).length > stored;
    });
    upload.destroy();
    expect((await put('young', 'new')).status).toBe(200);
    telegram.control.removeFault();
    await cleaned();
    await until('the bots to rest', async () => (await status()).bots.every(({ state }) => state !== 'uploading'));
    expect((await bytesOf(await get('young'))).toString()).toBe('new');
    expect((await resultOf(await get('young', {}, 'DELETE')))['deleted']).toBe(true);
    await cleaned();
  });

  it('39 refuses before it has a body sent while it is paused, and finishes what had begun', async () => {
    const began = telegram.control.journal({ method: 'messages.sendMedia' }).length;
    telegram.control.addFault({ method: 'messages.sendMedia', delayMs: 500 });
    const work = put('begun', randomBytes(3 * MIB));
    await until('a part to be sent', () => {
      return telegram.control.journal({ method: 'messages.sendMedia' }).length > began;
    });
    await api.must(api.patch('/v1/pools/store', { paused: true }));
    await until('the pause', async () => (await status()).state === 'paused');
    telegram.control.removeFault();
    const refused = await put('refused', 'x');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await errorOf(refused)).toEqual({ status: 503, code: 'pool_paused' });
    await api.must(api.patch('/v1/pools/store', { paused: false }));
    await until('the end of the pause', async () => (await status()).state !== 'paused');
    expect((await work).status).toBe(200);
  });

  it('names by its query what no path names', async () => {
    for (const key of ['.', '..', 'a/../b']) {
      const named = `?key=${encodeURIComponent(key)}`;
      expect((await put(named, `of ${key}`)).status).toBe(200);
      expect((await bytesOf(await get(named))).toString()).toBe(`of ${key}`);
      expect((await get(named, {}, 'HEAD')).headers.get('content-length')).toBe(String(3 + key.length));
      expect(await api.must(api.get(`/v1/pools/store/stat/${named}`))).toMatchObject({ key, parts: [{ n: 1 }] });
      expect(await resultOf(await get(named, {}, 'DELETE'))).toMatchObject({ deleted: true });
    }
    expect(await errorOf(await put('', 'x'))).toEqual({ status: 400, code: 'validation_failed' });
  });

  it('says of a key with U+0000 that it can be none', async () => {
    for (const key of ['a%00b', '?key=a%00b']) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await get(key, {}, method);
        expect(answer.status).toBe(400);
        expect(await answer.text()).toMatch(/validation_failed.*"path":"key"/);
      }
      expect(await errorOf(await put(key, 'x'))).toEqual({ status: 400, code: 'validation_failed' });
    }
    expect((await api.get('/v1/pools/store/stat/a%00b')).status).toBe(400);
    expect((await api.get('/v1/pools/st%00re/objects/a')).status).toBe(404);
  });

  it('36 a bot that is taken out at once hands what it sends to another', async () => {
    telegram.control.addFault({ method: 'send', account: bot(1).userId, hang: true });
    await onlyBotWorks(1, true);
    const work = put('handed', randomBytes(3 * MIB));
    await until('the bot to hang', async () => (await stateOf(bot(1).id)) === 'uploading');
    await onlyBotWorks(1, false);
    expect((await api.delete(`/v1/pools/store/bots/${bot(1).id}?drain=false`)).status).toBe(200);
    expect((await work).status).toBe(200);
    telegram.control.removeFault();
    await api.must(api.post('/v1/pools/store/bots', { session_id: bot(1).id }));
    await until('all bots to work', async () => (await status()).bots.length === BOTS);
    await cleaned();
  });

  it('58 refuses before it has a body sent, and tells whoever may send to go on', async () => {
    const asks = (key: string, more: Record<string, string> = {}): Promise<string> =>
      new Promise((resolve, reject) => {
        const headers = { ...master, ...more, expect: '100-continue', 'content-length': 5 };
        const upload = httpRequest(`${gateway.url}/v1/pools/${key}`, { method: 'PUT', headers });
        upload.on('error', reject);
        upload.on('continue', () => upload.end('hello'));
        upload.on('response', (answer) => {
          resolve(`${answer.statusCode} ${upload.writableEnded ? 'sent' : 'kept'}`);
          answer.resume();
          upload.destroy();
        });
        upload.flushHeaders();
      });
    expect(await asks('nothing/objects/asked')).toBe('404 kept');
    expect(await asks('store/objects/asked')).toBe('200 sent');
    // What the key has is looked at before the body as well.
    expect(await asks('store/objects/asked', { 'if-none-match': '*' })).toBe('412 kept');
    expect(await errorOf(await put('asked', '', { 'x-max-wait': 'long' }))).toEqual({
      status: 400,
      code: 'validation_failed',
    });
  });

  it('25 loses nothing when a bot is kicked in the middle, and says so of it', async () => {
    telegram.control.chats.promote(channel, bot(2).userId, []);
    const bytes = randomBytes(6 * MIB);
    await onlyBotWorks(2, true);
    const subscriptions = `/v1/bot/${bot(2).id}/updates/subscriptions`;
    const types = ['tgcontrol.pool.bot', 'tgcontrol.pool.status'];
    const { id: stream } = await api.must(api.post(subscriptions, { kind: 'stream', filters: { types } }));
    const work = put('kicked', bytes);
    await until('the bot to be put aside', async () => (await stateOf(bot(2).id)) === 'quarantined');
    await onlyBotWorks(2, false);
    expect((await work).status).toBe(200);
    expect((await bytesOf(await get('kicked'))).equals(bytes)).toBe(true);
    await until('the registry to know', async () => {
      const { bots: registered } = await api.must(api.get('/v1/pools/store'));
      return (registered as { session_id: string; state: string }[]).some(
        ({ session_id, state }) => session_id === bot(2).id && state === 'quarantined',
      );
    });
    telegram.control.chats.promote(channel, bot(2).userId);
    await api.must(api.post('/v1/pools/store/verify'));
    await until('the bot to be back', async () => (await stateOf(bot(2).id)) === 'idle');
    await until('its subscribers to be told', async () => {
      const { body } = await api.get(`${subscriptions}/${stream}/events`);
      const seen = (body.result as unknown as { update: Record<string, unknown> }[]).map(({ update }) => update);
      const ofBot = seen.filter((update) => update['@type'] === types[0]).map((update) => update['status']);
      return (
        seen.some((update) => update['@type'] === types[1]) && ofBot[0] === 'quarantined' && ofBot[1] === 'working'
      );
    });
    await api.delete(`${subscriptions}/${stream}`);
  });

  it('19 goes on with the other bots while one is refused for coming too soon, and writes down until when', async () => {
    telegram.control.addFault({
      method: 'send',
      account: bot(0).userId,
      error: { code: 420, message: 'FLOOD_WAIT_300' },
    });
    const bytes = randomBytes(6 * MIB);
    await onlyBotWorks(0, true);
    const work = put('limited', bytes);
    await until('the bot to rest', async () => (await stateOf(bot(0).id)) === 'cooling');
    await onlyBotWorks(0, false);
    expect((await work).status).toBe(200);
    const [row] = await until('the registry to know', async () => {
      const rows = await database.query<{ rest: number }>(
        `SELECT extract(epoch FROM cooldown_until - now())::float AS rest FROM pool_bots
          WHERE session_id = '${bot(0).id}' AND cooldown_until IS NOT NULL`,
      );
      return rows.length > 0 && rows;
    });
    expect(row?.rest).toBeGreaterThan(200);
    telegram.control.removeFault();
    expect((await api.delete(`/v1/pools/store/bots/${bot(0).id}/cooldown`)).status).toBe(200);
    await until('the cooldown to be over', async () => (await stateOf(bot(0).id)) === 'idle');
  });

  it('51 lets one of twenty writers make a key that must not be there', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        // Whoever is told to come again does so.
        until('an answer', async () => {
          const answer = await put('once', `writer ${n}`, { 'if-none-match': '*' });
          return answer.status !== 503 && answer;
        }),
      ),
    );
    expect(answers.map(({ status: each }) => each).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
    const [text] = [(await bytesOf(await get('once'))).toString()];
    expect(text).toMatch(/^writer \d+$/);
  });

  it('49 has one whole object of several that were put at once, and keeps nothing of the others', async () => {
    const bodies = Array.from({ length: 4 }, (_, n) => new Uint8Array(MIB + 1).fill(n));
    const read = (async () => {
      for (let n = 0; n < 10; n += 1) {
        const answer = await get('raced');
        const back = answer.status === 200 ? await bytesOf(answer) : undefined;
        if (back !== undefined) expect(back.equals(Buffer.alloc(MIB + 1, back[0]))).toBe(true);
      }
    })();
    const answers = await Promise.all(bodies.map((body) => put('raced', body)));
    expect(answers.map(({ status: each }) => each)).toEqual([200, 200, 200, 200]);
    await read;
    const last = await bytesOf(await get('raced'));
    expect(bodies.some((body) => last.equals(body))).toBe(true);
    await cleaned();
  });

  it('54 gives stretches of one message to many readers at once', async () => {
    const bytes = randomBytes(MIB);
    await put('shared', bytes);
    const size = MIB / 16;
    const stretches = await Promise.all(
      Array.from({ length: 16 }, async (_, n) =>
        bytesOf(await get('shared', { range: `bytes=${n * size}-${(n + 1) * size - 1}` })),
      ),
    );
    expect(stretches.map((each) => (each.length === size ? '' : each.toString()))).toEqual(stretches.map(() => ''));
    expect(Buffer.concat(stretches).equals(bytes)).toBe(true);
  });

  it('50 goes on with what a reader has begun when it is put anew, and deletes it afterwards', async () => {
    const [first, second] = [randomBytes(3 * MIB), randomBytes(MIB)];
    await put('versions', first);
    telegram.control.addFault({ method: 'upload.getFile', delayMs: 50 });
    const before = await get('versions');
    expect((await put('versions', second)).status).toBe(200);
    const meanwhile = bytesOf(await get('versions'));
    const removed = await api.must(api.delete('/v1/pools/store/objects/versions'));
    // Somebody reads it, or nobody any more.
    expect(removed).toMatchObject({ deleted: true, remote: expect.stringMatching(/pending|deleted/) as string });
    expect((await bytesOf(before)).equals(first)).toBe(true);
    expect((await meanwhile).equals(second)).toBe(true);
    telegram.control.removeFault();
    expect((await get('versions')).status).toBe(404);
    await cleaned();
    expect(await database.query('SELECT 1 FROM pool_reads')).toEqual([]);
  });

  it('55 says so of an object whose message somebody has deleted in the chat, and of no other', async () => {
    await put('gone', randomBytes(100));
    await put('stays', 'it stays');
    const { parts } = await api.must(api.get('/v1/pools/store/stat/gone'));
    const [part] = parts as { uploader: string; message_id: number }[];
    const params = { chat_id: channel, message_ids: [part?.message_id], revoke: true };
    await api.must(api.post(`/v1/bot/${part?.uploader ?? ''}/call`, { method: 'deleteMessages', params }));
    expect(await errorOf(await get('gone'))).toEqual({ status: 410, code: 'blob_lost' });
    expect(await database.query(`SELECT 1 FROM pool_blobs WHERE state = 'lost'`)).toHaveLength(1);
    expect((await bytesOf(await get('stays'))).toString()).toBe('it stays');
    await api.must(api.delete('/v1/pools/store/objects/gone'));
    await cleaned();
  });

  it('46 reads a little ahead, and asks Telegram for nothing more when its reader has left', async () => {
    const bytes = randomBytes(16 * MIB);
    await put('unread', bytes);
    const asked = (): number => telegram.control.journal({ method: 'upload.getFile' }).length;
    const before = asked();
    telegram.control.addFault({ method: 'upload.getFile', delayMs: 200 });
    const left = new AbortController();
    const answer = await fetch(at('unread'), { headers: master, signal: left.signal });
    expect(answer.status).toBe(200);
    await until('other bots to be asked for what comes next', () => {
      const accounts = telegram.control.journal({ method: 'upload.getFile' }).slice(before);
      return new Set(accounts.map(({ account }) => account)).size > 1;
    });
    left.abort();
    let seen = -1;
    await until('the questions to end', async () => {
      const former = seen;
      seen = asked();
      await sleep(1_000);
      return former === seen;
    });
    telegram.control.removeFault();
    expect((await bytesOf(await get('unread'))).equals(bytes)).toBe(true);
    expect((seen - before) * 2).toBeLessThan(asked() - before);
  });

  it('57 copies without bytes, and deletes messages with the last object that has them', async () => {
    const bytes = randomBytes(2 * MIB);
    await put('original', bytes);
    const before = await cleaned();
    await api.must(api.post('/v1/pools/store/copies', { from: { key: 'original' }, to: { key: 'copy' } }));
    await api.must(api.post('/v1/pools/store/copies', { from: { key: 'copy' }, to: { key: 'copy' } }));
    expect(await held()).toBe(before);
    const kept = await api.must(api.delete('/v1/pools/store/objects/original'));
    expect(kept).toMatchObject({ deleted: true, remote: 'none' });
    expect(await held()).toBe(before);
    expect((await bytesOf(await get('copy'))).equals(bytes)).toBe(true);
    await api.must(api.delete('/v1/pools/store/objects/copy'));
    expect(await held()).toBe(before - 2);
    expect(await api.must(api.delete('/v1/pools/store/objects/copy'))).toMatchObject({
      deleted: false,
      remote: 'none',
    });
  });

  it('57 has after any puts, copies and deletes what a map would have, and no message more', async () => {
    const model = new Map<string, string>();
    const keys = ['a', 'b', 'c', 'd'].map((name) => `model/${name}`);
    const anyKey = (): string => keys[randomInt(keys.length)] ?? '';
    const said: string[] = [];
    for (let n = 0; n < OPERATIONS; n += 1) {
      const [key, other] = [anyKey(), anyKey()];
      const value = model.get(other);
      switch (randomInt(3)) {
        case 0:
          said.push(`put ${key}`);
          expect((await put(key, `value ${n}`)).status).toBe(200);
          model.set(key, `value ${n}`);
          break;
        case 1: {
          said.push(`copy ${other} to ${key}`);
          const copied = await api.post('/v1/pools/store/copies', { from: { key: other }, to: { key } });
          expect(copied.status).toBe(value === undefined ? 404 : 200);
          if (value !== undefined) model.set(key, value);
          break;
        }
        default:
          said.push(`delete ${key}`);
          expect(await api.must(api.delete(`/v1/pools/store/objects/${key}`))).toMatchObject({
            deleted: model.delete(key),
          });
      }
    }
    for (const key of keys) {
      const answer = await get(key);
      const text = answer.status === 200 ? (await bytesOf(answer)).toString() : undefined;
      expect([said, key, text]).toEqual([said, key, model.get(key)]);
    }
    const [row] = await database.query<{ kept: number }>(
      `SELECT count(DISTINCT e.blob_id)::int AS kept FROM pool_extents e JOIN pool_objects o ON o.id = e.object_id
        WHERE o.key LIKE 'model/%'`,
    );
    expect(row?.kept).toBe(new Set(model.values()).size);
    for (const key of keys) await api.must(api.delete(`/v1/pools/store/objects/${key}`));
    await cleaned();
  });

  it('53 reads through another bot when the one that has stored is gone from the pool', async () => {
    const bytes = randomBytes(MIB);
    await put('orphaned', bytes);
    const { parts } = await api.must(api.get('/v1/pools/store/stat/orphaned'));
    const [part] = parts as { uploader: string }[];
    const uploader = part?.uploader ?? '';
    expect((await api.delete(`/v1/pools/store/bots/${uploader}`)).status).toBe(200);
    expect((await bytesOf(await get('orphaned'))).equals(bytes)).toBe(true);
    await api.must(api.post('/v1/pools/store/bots', { session_id: uploader }));
    await until('all bots to work', async () => (await status()).bots.length === BOTS);
  });

  it('encrypts what it stores when it is asked to, and gives it back in any range, also when it is asked no longer', async () => {
    expect(await api.must(api.patch('/v1/pools/store', { encryption: true }))).toMatchObject({ encryption: true });
    const bytes = Buffer.alloc(2 * MIB, 'what nobody is to read');
    const answer = await put('secret', new Uint8Array(bytes), { 'x-content-sha256': sha256(bytes) });
    expect(await resultOf(answer)).toMatchObject({ size: bytes.length, sha256: sha256(bytes), etag: md5(bytes) });
    await api.must(api.patch('/v1/pools/store', { encryption: false }));
    await put('open', new Uint8Array(bytes.subarray(0, 100)));
    const { parts } = await api.must(api.get('/v1/pools/store/stat/secret'));
    const stored = parts as readonly { size: number; sha256: string; uploader: string; message_id: number }[];
    // Messages are no larger than they may be: what encryption adds makes a third one.
    expect(stored.map(({ size }) => size).reduce((sum, size) => sum + size)).toBe(bytes.length);
    expect(stored).toHaveLength(3);
    const [first] = stored;
    const uploader = first?.uploader ?? '';
    const message = await api.must(
      api.post(`/v1/bot/${uploader}/call`, {
        method: 'getMessage',
        params: { chat_id: channel, message_id: first?.message_id },
      }),
    );
    const { document } = (message['content'] as { document: { document: { id: number; size: number } } }).document;
    expect(document.size).toBe(MIB);
    const file = await fetch(`${gateway.url}/v1/bot/${uploader}/files/${document.id}`, { headers: master });
    const seen = await bytesOf(file);
    expect([file.status, seen.length, seen.includes('what nobody is to read')]).toEqual([200, MIB, false]);
    expect((await bytesOf(await get('secret'))).equals(bytes)).toBe(true);
    await api.must(api.post('/v1/pools/store/copies', { from: { key: 'secret' }, to: { key: 'copied' } }));
    const edge = first?.size ?? 0;
    for (const [from, to] of [
      [0, 0],
      [65_535, 65_536],
      [edge - 1, edge],
      [edge - 70_000, edge + 70_000],
      [bytes.length - 1, bytes.length - 1],
    ] as const) {
      const range = await bytesOf(await get('copied', { range: `bytes=${from}-${to}` }));
      expect([from, range.equals(bytes.subarray(from, to + 1))]).toEqual([from, true]);
    }
    expect((await bytesOf(await get('open'))).equals(bytes.subarray(0, 100))).toBe(true);
    for (const key of ['secret', 'copied', 'open']) await api.must(api.delete(`/v1/pools/store/objects/${key}`));
    await cleaned();
  });

  it('lists keys in order, page by page, and what they have in common', async () => {
    expect(await errorOf(await fetch(`${gateway.url}/v1/pools/store/objects?cursor=zz*`, { headers: master }))).toEqual(
      {
        status: 400,
        code: 'validation_failed',
      },
    );
    for (const key of ['list/a', 'list/b/1', 'list/b/2', 'list/b/3', 'list/c', 'list/d/1']) {
      expect((await put(key, '')).status).toBe(200);
    }
    const page = async (query: string): Promise<{ keys: string[]; prefixes: unknown; cursor: string }> => {
      const result = await api.must(api.get(`/v1/pools/store/objects?prefix=list/${query}`));
      const keys = (result['objects'] as { key: string }[]).map(({ key }) => key);
      return { keys, prefixes: result['prefixes'], cursor: String(result['next_cursor']) };
    };
    expect(await page('&delimiter=/')).toMatchObject({
      keys: ['list/a', 'list/c'],
      prefixes: ['list/b/', 'list/d/'],
      cursor: 'undefined',
    });
    const first = await page('&delimiter=/&limit=2');
    expect(first).toMatchObject({ keys: ['list/a'], prefixes: ['list/b/'] });
    expect(await page(`&delimiter=/&limit=2&cursor=${first.cursor}`)).toMatchObject({
      keys: ['list/c'],
      prefixes: ['list/d/'],
      cursor: 'undefined',
    });
    expect((await page('b/')).keys).toEqual(['list/b/1', 'list/b/2', 'list/b/3']);
  });

  it('gives the same objects over S3, made of parts that are stored once', async () => {
    const key = await s3Key();
    const s3 = async (
      method: string,
      target: string,
      body: Uint8Array | string = '',
      headers = {},
    ): Promise<RawS3Answer> => {
      const answer = await sendSigned({ port: s3Port }, key, { method, target, body: Buffer.from(body), headers });
      expect(answer).toMatchObject({ code: undefined });
      return answer;
    };
    const before = await cleaned();
    await s3('PUT', '/store/s3%20one', 'one', {
      'x-amz-meta-a': 'b',
      'cache-control': 'no-store',
      'content-type': 'a/b',
    });
    const one = await get('s3%20one');
    expect(Object.fromEntries(one.headers)).toMatchObject({
      'x-meta-a': 'b',
      'cache-control': 'no-store',
      'content-type': 'a/b',
    });
    expect(await one.text()).toBe('one');

    const [first, last] = [randomBytes(5 * MIB), randomBytes(100)];
    const upload = async (target: string): Promise<string> =>
      `${target}?uploadId=${/<UploadId>(.+)<\/UploadId>/.exec((await s3('POST', `${target}?uploads`)).body.toString())?.[1]}`;
    const parts = await upload('/store/parts');
    await s3('PUT', `${parts}&partNumber=7`, 'replaced');
    await s3('PUT', `${parts}&partNumber=7`, last);
    await s3('PUT', `${parts}&partNumber=1`, first);
    expect((await get('parts')).status).toBe(404);
    const part = (number: number, bytes: Uint8Array): string =>
      `<Part><PartNumber>${number}</PartNumber><ETag>${md5(bytes)}</ETag></Part>`;
    const list = `<CompleteMultipartUpload>${part(1, first)}${part(7, last)}</CompleteMultipartUpload>`;
    await s3('POST', parts, list);
    expect(await cleaned()).toBe(before + 1 + 5 + 1);
    const whole = Buffer.concat([first, last]);
    expect((await bytesOf(await get('parts'))).equals(whole)).toBe(true);

    const composed = await upload('/store/composed');
    const range = { 'x-amz-copy-source': '/store/parts', 'x-amz-copy-source-range': `bytes=${MIB - 5}-${5 * MIB + 9}` };
    const { body } = await s3('PUT', `${composed}&partNumber=1`, '', range);
    const etag = /&quot;(.+)&quot;/.exec(body.toString())?.[1];
    await s3('DELETE', '/store/parts');
    const [named] = [`<Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part>`];
    await s3('POST', composed, `<CompleteMultipartUpload>${named}</CompleteMultipartUpload>`);
    // The first message has gone with the last that referred to it, and one is shared.
    expect(await cleaned()).toBe(before + 1 + 5 + 1);
    const stretch = await s3('GET', '/store/composed', '', { range: `bytes=3-${4 * MIB + 10}` });
    expect(stretch.body.equals(whole.subarray(MIB - 2, 5 * MIB + 6))).toBe(true);

    // Bots that have sent of late rest for longer than a client of S3 waits: it is told before it sends the body.
    await api.must(api.patch('/v1/pools/store', { budget: { max: 1, window_s: 3600, gap_ms: 0 } }));
    const slow = await until('bodies to be refused', async () => {
      const answer = await sendSigned({ port: s3Port }, key, { method: 'PUT', target: '/store/slow', body: 'x' });
      return answer.status === 503 && answer;
    });
    expect([slow.code, Number(slow.headers['retry-after']) > 120]).toEqual(['SlowDown', true]);
    await api.must(api.patch('/v1/pools/store', { budget: { max: 1000, window_s: 60, gap_ms: 0 } }));
    await until('the bots to follow', async () => (await status()).bots.every(({ budget }) => budget.of === 1000));
    await s3('DELETE', '/store/slow');

    const given = await upload('/store/given%20up');
    await s3('PUT', `${given}&partNumber=1`, last);
    await s3('DELETE', given);
    for (const name of ['composed', 's3%20one']) await s3('DELETE', `/store/${name}`);
    expect(await cleaned()).toBe(before);
  });

  it('gives an upload over S3 up only when it has not become an object', async () => {
    const key = await s3Key();
    const s3 = (method: string, target: string, body = ''): Promise<RawS3Answer> =>
      sendSigned({ port: s3Port }, key, { method, target, body: Buffer.from(body) });
    const begun = await s3('POST', '/store/raced?uploads');
    const target = `/store/raced?uploadId=${/<UploadId>(.+)<\/UploadId>/.exec(begun.body.toString())?.[1]}`;
    await s3('PUT', `${target}&partNumber=1`, 'x');
    const { id } = await api.must(api.get('/v1/pools/store'));
    const waiting = (count: number): Promise<unknown> =>
      until('requests to wait for each other', async () => {
        const [row] = await database.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM pg_locks l JOIN pg_database d ON d.oid = l.database
            WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`,
        );
        return row?.count === count;
      });
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 20260729))', [id]);
    const named = `<Part><PartNumber>1</PartNumber><ETag>${md5(Buffer.from('x'))}</ETag></Part>`;
    const completed = s3('POST', target, `<CompleteMultipartUpload>${named}</CompleteMultipartUpload>`);
    await waiting(1);
    const aborted = s3('DELETE', target);
    await waiting(2);
    await holder.end();
    expect(await completed).toMatchObject({ status: 200 });
    expect(await aborted).toMatchObject({ status: 404, code: 'NoSuchUpload' });
    expect(await (await get('raced')).text()).toBe('x');
    expect(await s3('POST', target, `<CompleteMultipartUpload>${named}</CompleteMultipartUpload>`)).toMatchObject({
      status: 200,
    });
    const others = `<CompleteMultipartUpload>${named.replace(/<ETag>./, '<ETag>0')}</CompleteMultipartUpload>`;
    expect(await s3('POST', target, others)).toMatchObject({ status: 400, code: 'InvalidPart' });
    expect(await s3('DELETE', '/store/raced')).toMatchObject({ status: 204 });
    await cleaned();
  });

  it('stores under the limits that bots meet in a chat, with a budget that keeps them', async () => {
    telegram.control.limitBots();
    await api.must(api.patch('/v1/pools/store', { budget: { max: 20, window_s: 60, gap_ms: 1_000 } }));
    await until('the bots to follow', async () => (await status()).bots.every(({ budget }) => budget.of === 20));
    const bytes = randomBytes(8 * MIB);
    expect((await put('paced', bytes)).status).toBe(200);
    const refused = telegram.control.journal({ method: 'send' }).filter(({ error }) => error?.startsWith('420'));
    expect(refused.filter(({ error }) => error === '420 FLOOD_WAIT_1')).toEqual([]);
    expect((await bytesOf(await get('paced'))).equals(bytes)).toBe(true);
  });

  it('56 tells honestly what bots may not delete any more', async () => {
    for (const key of ['old', 'young']) await put(key, randomBytes(1_000));
    await age('old', 49);
    await age('young', 47);
    const before = await held();
    expect(await api.must(api.delete('/v1/pools/store/objects/young'))).toMatchObject({ remote: 'deleted' });
    expect(await api.must(api.delete('/v1/pools/store/objects/old'))).toMatchObject({ remote: 'not_possible' });
    expect(await held()).toBe(before - 1);
  });

  it('56 has a user delete what bots may not any more, also what was left before there was one', async () => {
    // None begins by itself while this looks.
    await ended((await jobOf({ kind: 'gc' })).id);
    const user = await loginUser(api, telegram, appId, '15550900001');
    const refused = await api.patch('/v1/pools/store', { janitor_session_id: user.id });
    expect([refused.status, refused.body.error?.['code']]).toEqual([422, 'janitor_unfit']);
    telegram.control.chats.promote(channel, user.userId);
    const pool = await api.must(api.patch('/v1/pools/store', { janitor_session_id: user.id }));
    expect(pool['janitor_session_id']).toBe(user.id);
    await put('older', randomBytes(1_000));
    await age('older', 49);
    expect(await api.must(api.delete('/v1/pools/store/objects/older'))).toMatchObject({ remote: 'deleted' });
    const by = telegram.control.journal({ method: 'channels.deleteMessages' }).map(({ account }) => account);
    expect(by.at(-1)).toBe(user.userId);
    // That of the test before.
    const { id } = await jobOf({ kind: 'gc' });
    expect(await ended(id)).toMatchObject({ state: 'done', done: 1, counts: { deleted: 1 } });
    await cleaned();
    await api.must(api.patch('/v1/pools/store', { janitor_session_id: null }));
    expect(await api.must(api.get('/v1/pools/store'))).not.toHaveProperty('janitor_session_id');
  });

  describe('has jobs', () => {
    it('one at a time, which can be stopped, and keep what they have done', async () => {
      telegram.control.addFault({ method: 'upload.getFile', delayMs: 2_000 });
      const { id } = await jobOf({ kind: 'scrub' });
      const second = await api.post('/v1/pools/store/jobs', { kind: 'gc' });
      expect([second.status, second.body.error]).toMatchObject([409, { code: 'job_running', details: { id } }]);
      expect(await api.must(api.delete(`/v1/pools/store/jobs/${id}`))).toMatchObject({ state: 'cancelled' });
      telegram.control.removeFault();
      const next = await jobOf({ kind: 'gc' });
      expect(await ended(next.id)).toMatchObject({ state: 'done' });
      const stopped = await ended(id);
      expect(stopped['state']).toBe('cancelled');
      expect(Number(stopped['done'])).toBeLessThan(16);
      const list = (await api.get('/v1/pools/store/jobs')).body.result as unknown as { id: string }[];
      expect(list.slice(0, 2).map((job) => job.id)).toEqual([next.id, id]);
      for (const [order, path] of [
        [{ kind: 'gc', sample: 5 }, 'sample'],
        [{ kind: 'scrub', prefix: 'a' }, 'prefix'],
        [{ kind: 'scrub', sample: 101 }, 'sample'],
        [{ kind: 'purge', prefix: '' }, 'prefix'],
      ] as const) {
        const { status: given, body } = await api.post('/v1/pools/store/jobs', order);
        expect([given, JSON.stringify(body.error)]).toEqual([400, expect.stringContaining(path)]);
      }
    });

    it('that remove all that a pool keeps', async () => {
      const { objects } = await api.must(api.get('/v1/pools/store'));
      const job = await ended((await jobOf({ kind: 'purge' })).id);
      expect(job).toMatchObject({ state: 'done', done: objects, total: objects });
      expect(await cleaned()).toBe(0);
    });

    it('55 that find what is gone or damaged, whose it is, and when it is well again', async () => {
      for (const key of ['scrub/whole', 'scrub/gone', 'scrub/damaged']) await put(key, randomBytes(1_000));
      const { parts } = await api.must(api.get('/v1/pools/store/stat/scrub/gone'));
      const [gone] = parts as { uploader: string; message_id: number }[];
      const params = { chat_id: channel, message_ids: [gone?.message_id], revoke: true };
      await api.must(api.post(`/v1/bot/${gone?.uploader ?? ''}/call`, { method: 'deleteMessages', params }));
      const damaged = `id IN (SELECT blob_id FROM pool_extents e JOIN pool_objects o ON o.id = e.object_id
        WHERE o.key = 'scrub/damaged')`;
      const [before] = await database.query<{ sha256: string }>(`SELECT sha256 FROM pool_blobs WHERE ${damaged}`);
      await database.query(`UPDATE pool_blobs SET sha256 = '${'0'.repeat(64)}' WHERE ${damaged}`);
      const job = await ended((await jobOf({ kind: 'scrub' })).id);
      const all = (await database.query('SELECT 1 FROM pool_blobs WHERE refs > 0')).length;
      expect(job).toMatchObject({ state: 'done', done: all, total: all, counts: { whole: all - 2 } });
      const findings = job['findings'] as { keys: string[]; problem: string }[];
      expect(Object.fromEntries(findings.map(({ keys, problem }) => [keys.join(), problem]))).toEqual({
        'scrub/gone': 'gone',
        'scrub/damaged': 'damaged',
      });
      expect((await get('scrub/whole')).status).toBe(200);
      expect((await get('scrub/gone')).status).toBe(410);
      await database.query(`UPDATE pool_blobs SET sha256 = '${before?.sha256 ?? ''}' WHERE ${damaged}`);
      await ended((await jobOf({ kind: 'scrub' })).id);
      expect(await database.query(`SELECT 1 FROM pool_blobs WHERE state = 'lost'`)).toHaveLength(1);
      const seen = await ended((await jobOf({ kind: 'scrub', sample: 0 })).id);
      expect(seen['counts']).toMatchObject({ bytes: 0, gone: 1, whole: all - 1 });
      const { id } = await jobOf({ kind: 'purge', prefix: 'scrub/' });
      expect(await ended(id)).toMatchObject({ state: 'done', done: 3, total: 3, counts: { deleted: 3 } });
      await cleaned();
    });

    it('that go on behind what was written down when their process has died', async () => {
      for (let n = 0; n < 5; n += 1) await put(`left/${n}`, String(n));
      const blobs = await database.query<{ id: string }>('SELECT id FROM pool_blobs WHERE refs > 0 ORDER BY id');
      const [left] = await database.query<{ id: string }>(
        `INSERT INTO pool_jobs (id, pool_id, kind, params, state, cursor, done, total, counts, runner, lease_until, started_at)
         SELECT gen_random_uuid(), id, 'scrub', '{"sample":0}', 'running', '${blobs[2]?.id ?? ''}', 3, ${blobs.length},
                '{"whole":3}', gen_random_uuid(), now() + interval '1 hour', now()
           FROM pools WHERE name = 'store' RETURNING id`,
      );
      const id = left?.id ?? '';
      const other = await api.post('/v1/pools/store/jobs', { kind: 'gc' });
      expect(other.body.error?.['code']).toBe('job_running');
      await database.query(`UPDATE pool_jobs SET lease_until = now() - interval '1 second' WHERE id = '${id}'`);
      expect(await ended(id)).toMatchObject({
        state: 'done',
        done: blobs.length,
        counts: { whole: blobs.length },
      });
    });

    it('that begin by themselves where a pool wants it, each after so long', async () => {
      const pool = await api.must(api.patch('/v1/pools/store', { scrub: { every_h: 24, sample: 0 } }));
      expect(pool['scrub']).toEqual({ every_h: 24, sample: 0 });
      const jobs = gateway.app.get(JobsRepository);
      const scrubs = async (): Promise<number> =>
        (await database.query(`SELECT 1 FROM pool_jobs WHERE kind = 'scrub' AND params = '{"sample":0}'`)).length;
      const before = await scrubs();
      await jobs.schedule();
      expect(await scrubs()).toBe(before);
      await database.query(`UPDATE pool_jobs SET ended_at = ended_at - interval '25 hours'`);
      await jobs.schedule();
      await jobs.schedule();
      expect(await scrubs()).toBe(before + 1);
      const [newest] = (await api.get('/v1/pools/store/jobs')).body.result as unknown as { id: string }[];
      await ended(newest?.id ?? '');
      await api.must(api.patch('/v1/pools/store', { scrub: null }));
    });
  });

  it('41 is taken over by the other worker when the one that runs it ends', async () => {
    const { worker } = await api.must(api.get('/v1/pools/store'));
    const index = workers.findIndex(({ config }) => config.worker.id === worker);
    const [ended] = workers.splice(index, 1);
    await ended?.stop();
    const bytes = randomBytes(2 * MIB);
    await until('an object to be stored', async () => (await put('after', bytes)).status === 200);
    expect((await bytesOf(await get('after'))).equals(bytes)).toBe(true);
    expect((await api.must(api.get('/v1/pools/store')))['worker']).not.toBe(worker);
  });

  it('is removed once it is empty, or when its objects are to be forgotten', async () => {
    expect((await api.delete('/v1/pools/store')).body.error?.['code']).toBe('pool_not_empty');
    expect((await api.delete('/v1/pools/store?mode=detach')).status).toBe(200);
    expect((await api.get('/v1/pools/store')).status).toBe(404);
  });
});
