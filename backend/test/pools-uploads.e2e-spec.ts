import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChunkSender } from '../src/modules/bot-pool/chunk-sender.js';
import { master, startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { EventStream, type NamedEvent } from './support/events.js';
import { ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

const MIB = 1024 * 1024;
const BOTS = 3;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What the API says of an upload, and how. */
interface Told {
  readonly status: number;
  readonly offset: string | null;
  readonly code: unknown;
  readonly result: Record<string, unknown>;
}

describe('a pool behind two gateways', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let worker: TestApp;
  let gateways: readonly [TestApp, TestApp];
  let api: ApiClient;
  let channel: number;
  let dataDir: string;

  const ask = async (
    method: string,
    path: string,
    { at = 0, body, headers = {} }: { at?: 0 | 1; body?: Uint8Array<ArrayBuffer> | string; headers?: object } = {},
  ): Promise<Told> => {
    const init = { method, headers: { ...master, ...headers }, ...(body !== undefined && { body }) };
    const answer = await fetch(`${gateways[at].url}/v1/pools/store${path}`, init);
    const { result = {}, error } = (await answer.json()) as {
      result?: Record<string, unknown>;
      error?: { code: unknown };
    };
    return { status: answer.status, offset: answer.headers.get('upload-offset'), code: error?.code, result };
  };
  const begin = async (key: string, length?: number): Promise<string> => {
    const headers = { 'content-type': 'a/b', 'x-meta-colour': 'green' };
    const { status, result } = await ask('POST', `/uploads?key=${encodeURIComponent(key)}`, {
      headers: { ...headers, ...(length !== undefined && { 'upload-length': String(length) }) },
    });
    expect([status, result['chunk_size']]).toEqual([200, MIB]);
    return String(result['upload_id']);
  };
  const append = (id: string, offset: number, body: Uint8Array<ArrayBuffer>, at: 0 | 1 = 0): Promise<Told> =>
    ask('PATCH', `/uploads/${id}`, { at, body, headers: { 'upload-offset': String(offset) } });
  const complete = (id: string, body: object = {}, headers: object = {}): Promise<Told> =>
    ask('POST', `/uploads/${id}/complete`, { body: JSON.stringify(body), headers });
  const bytesOf = async (key: string): Promise<Buffer> => {
    const answer = await fetch(`${gateways[0].url}/v1/pools/store/objects/${key}`, { headers: master });
    expect(answer.status).toBe(200);
    return Buffer.from(await answer.arrayBuffer());
  };
  const bodyOf = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(size));
  const onDisk = (): string[] => readdirSync(join(gateways[0].config.uploads.dir, '.pool-uploads'));
  const held = async (): Promise<number> =>
    (await telegram.control.messages({ chatId: channel })).filter(({ file }) => file !== undefined).length;
  /** Every message belongs to an object, and nothing is left on the disk. @returns how many there are */
  const cleaned = (): Promise<number> =>
    until('the channel to hold nothing but objects', async () => {
      const [row] = await database.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM pool_blobs b WHERE EXISTS (SELECT 1 FROM pool_extents WHERE blob_id = b.id)',
      );
      return (await held()) === row?.count && onDisk().length === 0 && { count: row.count };
    }).then(({ count }) => count);

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tgcontrol-pool-uploads-'));
    worker = await startApp({ role: 'worker', env: { ...telegram.env, DATA_DIR: dataDir, WORKER_ID: 'w1' }, database });
    const { TDLIB_PATH } = telegram.env;
    const env = { DATA_DIR: dataDir, TDLIB_PATH, TDLIB_PROXY_ONLY: 'true' };
    const start = (): Promise<TestApp> => startApp({ role: 'gateway', env, database });
    gateways = [await start(), await start()];
    api = new ApiClient(gateways[0]);
    const app_id = await api.createApp();
    const session_ids: string[] = [];
    const admins = [telegram.control.createAccount({ phone: '15550920000' }).userId];
    for (let n = 0; n < BOTS; n += 1) {
      const { token, userId } = telegram.control.createBot({ username: `uploads_${n}_bot` });
      admins.push(userId);
      session_ids.push((await api.must(api.post('/v1/bot', { token, app_id }))).id);
    }
    channel = telegram.control.createChat({ type: 'channel', title: 'Store', admins }).chatId;
    const budget = { max: 1000, window_s: 60, gap_ms: 0 };
    await api.must(api.post('/v1/pools', { name: 'store', chat_id: channel, session_ids, chunk_size: MIB, budget }));
    await until('the pool to be run', async () => (await api.get('/v1/pools/store/status')).status === 200);
  }, 300_000);

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    for (const gateway of gateways) await gateway.stop();
    await worker.stop();
    await database.drop();
    await telegram.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  describe('has uploads that go on after a cut, which', () => {
    it('keep what has arrived of a body that breaks off, and go on at another gateway', async () => {
      const bytes = bodyOf(3 * MIB + 77);
      const id = await begin('a/resumed file', bytes.length);
      const cut = httpRequest(`${gateways[0].url}/v1/pools/store/uploads/${id}`, {
        method: 'PATCH',
        headers: { ...master, 'upload-offset': 0, 'content-length': bytes.length },
      });
      cut.on('error', () => undefined);
      cut.write(bytes.subarray(0, MIB + 300_000));
      // The first chunk leaves while the rest comes.
      await until('a chunk to be stored', async () => (await ask('GET', `/uploads/${id}`)).result['stored'] === MIB);
      cut.destroy();
      const { result, offset } = await until('the cut to be seen', async () => {
        const told = await ask('GET', `/uploads/${id}`, { at: 1 });
        return Number(told.result['offset']) > MIB && told;
      });
      expect(result).toMatchObject({ state: 'open', key: 'a/resumed file', length: bytes.length });
      const rest = await append(id, Number(offset), bytes.subarray(Number(offset)), 1);
      expect([rest.status, rest.offset]).toEqual([200, String(bytes.length)]);
      const { status, result: whole } = await complete(id, { sha256: sha256(bytes).toUpperCase() });
      expect(status).toBe(200);
      expect(whole).toMatchObject({
        state: 'stored',
        object: { size: bytes.length, sha256: sha256(bytes), content_type: 'a/b', metadata: { colour: 'green' } },
      });
      expect((await bytesOf('a/resumed%20file')).equals(bytes)).toBe(true);
      const { parts } = await api.must(api.get('/v1/pools/store/stat/a/resumed%20file'));
      expect(parts).toHaveLength(4);
      // Asked again, as by a client that has not heard the answer.
      expect((await complete(id)).result).toEqual(whole);
      expect((await ask('GET', `/uploads/${id}`)).result).toMatchObject({ state: 'stored', object: whole['object'] });
      await cleaned();
    });

    it('are encrypted where the pool wants that, in messages that are no larger for it', async () => {
      await api.must(api.patch('/v1/pools/store', { encryption: true }));
      const bytes = bodyOf(MIB + 77);
      const { result } = await ask('POST', '/uploads?key=sealed');
      const id = String(result['upload_id']);
      await append(id, 0, bytes);
      expect((await complete(id, { sha256: sha256(bytes) })).status).toBe(200);
      await api.must(api.patch('/v1/pools/store', { encryption: false }));
      expect((await bytesOf('sealed')).equals(bytes)).toBe(true);
      const messages = await database.query<{ size: number; is_sealed: boolean }>(
        `SELECT b.size_bytes::int AS size, b.seal_head IS NOT NULL AS is_sealed
           FROM pool_blobs b JOIN pool_extents e ON e.blob_id = b.id JOIN pool_objects o ON o.id = e.object_id
          WHERE o.key = 'sealed' ORDER BY e.seq`,
      );
      expect(messages).toMatchObject([{ size: MIB, is_sealed: true }, { is_sealed: true }]);
      await cleaned();
    });

    it('are put together of any pieces, of which nobody has said how many will come', async () => {
      const bytes = bodyOf(MIB + MIB / 2);
      const id = await begin('pieces');
      for (let at = 0; at < bytes.length; at += 300_001) {
        const { result } = await append(id, at, bytes.subarray(at, at + 300_001), at % 2 === 0 ? 0 : 1);
        expect(result['offset']).toBe(Math.min(bytes.length, at + 300_001));
      }
      expect((await complete(id)).result).toMatchObject({ object: { sha256: sha256(bytes) } });
      expect((await bytesOf('pieces')).equals(bytes)).toBe(true);
      const small = await begin('small');
      await append(small, 0, bodyOf(10));
      const { object } = (await complete(small)).result as { object: { etag: string } };
      expect(object.etag).toMatch(/^[0-9a-f]{32}$/);
      const none = await begin('nothing', 0);
      expect((await complete(none)).result).toMatchObject({ object: { size: 0, sha256: sha256(Buffer.alloc(0)) } });
      await cleaned();
    });

    it('say where they end, and take no more and no other bytes than were announced', async () => {
      const id = await begin('strict', 100);
      expect(await append(id, 5, bodyOf(10))).toMatchObject({
        status: 409,
        code: 'upload_offset_mismatch',
        offset: '0',
      });
      expect(await append(id, 0, bodyOf(101))).toMatchObject({ status: 413, code: 'upload_too_large' });
      const first = bodyOf(60);
      expect(await append(id, 0, first)).toMatchObject({ status: 200, offset: '60' });
      expect(await append(id, 0, first)).toMatchObject({ status: 409, code: 'upload_offset_mismatch', offset: '60' });
      expect(await complete(id)).toMatchObject({ status: 409, code: 'upload_incomplete' });
      expect(await append(id, 60, bodyOf(40))).toMatchObject({ status: 200, offset: '100' });
      expect(await append(id, 100, bodyOf(1))).toMatchObject({ status: 409, code: 'upload_complete' });
      const wrong = await complete(id, { sha256: sha256(Buffer.from('other')) });
      expect(wrong).toMatchObject({ status: 422, code: 'checksum_mismatch' });
      expect((await ask('GET', '/objects/strict')).code).toBe('object_not_found');
      expect(await complete(id, { sha256: 'x' })).toMatchObject({ status: 400, code: 'validation_failed' });
      expect(await complete(id, {}, { 'if-match': '"no"' })).toMatchObject({
        status: 412,
        code: 'precondition_failed',
      });
      expect((await ask('GET', `/uploads/${id}`)).result).toMatchObject({
        state: 'open',
        error: { code: 'precondition_failed' },
      });
      expect((await complete(id, {}, { 'if-none-match': '*' })).status).toBe(200);
      expect(await ask('POST', '/uploads?key=')).toMatchObject({ status: 400 });
      const length = { 'upload-length': 'many' };
      expect(await ask('POST', '/uploads?key=a', { headers: length })).toMatchObject({ code: 'validation_failed' });
      expect((await ask('GET', '/uploads/nothing')).code).toBe('upload_not_found');
      await cleaned();
    });

    it('are written by one request at a time, and by the next when the process of the former has died', async () => {
      const bytes = bodyOf(10);
      const id = await begin('taken over', 20);
      const writing = httpRequest(`${gateways[0].url}/v1/pools/store/uploads/${id}`, {
        method: 'PATCH',
        headers: { ...master, 'upload-offset': 0, 'content-length': 10 },
      });
      const answer = new Promise((resolve) => {
        writing.on('response', (given) => resolve(given.resume().statusCode));
      });
      writing.write(bytes.subarray(0, 5));
      await until('it to be written', async () => {
        const rows = await database.query(
          `SELECT 1 FROM pool_resumables WHERE upload_id = '${id}' AND writer IS NOT NULL`,
        );
        return rows.length === 1;
      });
      expect(await append(id, 0, bytes, 1)).toMatchObject({ status: 409, code: 'upload_busy' });
      writing.end(bytes.subarray(5));
      expect(await answer).toBe(200);
      // As a process leaves it that is killed.
      await database.query(
        `UPDATE pool_resumables SET writer = gen_random_uuid(), writer_until = now() + interval '20 s' WHERE upload_id = '${id}'`,
      );
      expect(await append(id, 10, bytes, 1)).toMatchObject({ status: 200, offset: '20' });
      await ask('DELETE', `/uploads/${id}`);
      await cleaned();
    });

    it('become objects by themselves when nobody waits, and are listed meanwhile', async () => {
      telegram.control.addFault({ method: 'send', hang: true });
      const bytes = bodyOf(2 * MIB);
      const id = await begin('later', bytes.length);
      expect((await append(id, 0, bytes)).status).toBe(200);
      const asked = await complete(id, {}, { prefer: 'respond-async' });
      expect([asked.status, asked.result['state'], asked.result['stored']]).toEqual([202, 'completing', 0]);
      const { result } = await ask('GET', '/uploads');
      expect(result).toEqual([expect.objectContaining({ upload_id: id, state: 'completing', waiting: 2 })]);
      telegram.control.removeFault();
      // Sends that hang are given up after a minute; a bot that leaves gives back what it sends at once.
      const { bots } = (await api.must(api.get('/v1/pools/store'))) as unknown as { bots: { session_id: string }[] };
      for (const { session_id } of bots) {
        expect((await api.delete(`/v1/pools/store/bots/${session_id}?drain=false`)).status).toBe(200);
        await api.must(api.post('/v1/pools/store/bots', { session_id }));
      }
      await until('the object', async () => (await ask('GET', `/uploads/${id}`)).result['state'] === 'stored');
      expect((await bytesOf('later')).equals(bytes)).toBe(true);
      await cleaned();
    });

    it('leave nothing behind when they are given up, or when nobody touches them', async () => {
      const before = await cleaned();
      const bytes = bodyOf(2 * MIB + 5);
      const id = await begin('given up');
      await append(id, 0, bytes);
      await until('a chunk to be stored', async () => (await ask('GET', `/uploads/${id}`)).result['stored'] !== 0);
      expect((await ask('DELETE', `/uploads/${id}`, { at: 1 })).status).toBe(200);
      expect((await ask('GET', `/uploads/${id}`)).code).toBe('upload_not_found');
      expect(await append(id, bytes.length, bytes)).toMatchObject({ status: 404, code: 'upload_not_found' });
      expect(await cleaned()).toBe(before);
      const left = await begin('left');
      await append(left, 0, bytes);
      await until('chunks to be stored', async () => (await ask('GET', `/uploads/${left}`)).result['waiting'] === 0);
      await database.query(`UPDATE pool_resumables SET touched_at = now() - interval '25 hours'`);
      await gateways[0].app.get(ChunkSender).sweep();
      expect((await ask('GET', `/uploads/${left}`)).code).toBe('upload_not_found');
      expect(await cleaned()).toBe(before);
    });

    it('tell of bytes that are not on the disk any more', async () => {
      const directory = join(gateways[0].config.uploads.dir, '.pool-uploads');
      const removeAll = (): void => onDisk().forEach((name) => rmSync(join(directory, name)));
      const bytes = bodyOf(MIB + 100);
      const id = await begin('lost', bytes.length + 1);
      await append(id, 0, bytes);
      await until('a chunk to be stored', async () => (await ask('GET', `/uploads/${id}`)).result['stored'] === MIB);
      await until('its file to go', () => onDisk().length === 1);
      removeAll();
      // What is stored is not lost.
      expect(await ask('GET', `/uploads/${id}`)).toMatchObject({ offset: String(MIB) });
      expect(await append(id, MIB, bytes.subarray(MIB))).toMatchObject({ status: 200 });
      await ask('DELETE', `/uploads/${id}`);
      const gone = await begin('gone');
      await append(gone, 0, bodyOf(5));
      await database.query(`UPDATE pool_resumables SET tail_name = 'gone' WHERE upload_id = '${gone}'`);
      await database.query(
        `INSERT INTO pool_chunks (upload_id, number, file_name, size_bytes, sha256, md5)
         VALUES ('${gone}', 1, 'none', 5, '', '')`,
      );
      await until('it to fail', async () => (await ask('GET', `/uploads/${gone}`)).result['state'] === 'failed');
      expect(await complete(gone)).toMatchObject({ status: 409, code: 'upload_failed' });
      await ask('DELETE', `/uploads/${gone}`);
      await gateways[0].app.get(ChunkSender).sweep();
      removeAll();
      await cleaned();
    });
  });

  describe('has links, which', () => {
    let token: { id: string; headers: { authorization: string } };
    let other: { id: string; headers: { authorization: string } };
    const bytes = bodyOf(MIB + 10);

    const makeToken = async (): Promise<typeof token> => {
      const { id } = await api.must(api.get('/v1/pools/store'));
      const made = await api.must(api.post('/v1/tokens', { pool_ids: [id], pool_access: 'read' }));
      return { id: made.id, headers: { authorization: `Bearer ${String(made['token'])}` } };
    };
    const put = async (key: string, body: Uint8Array<ArrayBuffer>): Promise<void> => {
      const headers = { 'content-type': 'text/html', 'x-meta-private': 'yes' };
      expect((await ask('PUT', `/objects/${key}`, { body, headers })).status).toBe(200);
    };
    const link = async (body: object, headers: object = token.headers): Promise<Told> =>
      ask('POST', '/links', { body: JSON.stringify({ key: 'shared/page.html', expires_in: 60, ...body }), headers });
    const urlOf = async (body: object = {}): Promise<string> => String((await link(body)).result['url']);
    const open = (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
      fetch(`${gateways[1].url}${url}`, { method, headers });
    const codeOf = async (answer: Response): Promise<unknown> =>
      ((await answer.json()) as { error?: { code: unknown } }).error?.code;

    beforeAll(async () => {
      token = await makeToken();
      other = await makeToken();
      await put('shared/page.html', bytes);
    });

    it('give an object, and ranges of it, to whoever has them, and as nothing that a browser would run', async () => {
      const url = await urlOf();
      const answer = await open(url);
      expect(answer.status).toBe(200);
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-disposition': `attachment; filename="page.html"; filename*=UTF-8''page.html`,
        'content-security-policy': expect.stringContaining('sandbox') as string,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'private, no-store',
      });
      expect(answer.headers.has('x-meta-private')).toBe(false);
      const range = await open(url, { range: `bytes=${MIB - 2}-${MIB + 1}` });
      expect([range.status, range.headers.get('content-range')]).toEqual([
        206,
        `bytes ${MIB - 2}-${MIB + 1}/${bytes.length}`,
      ]);
      expect(Buffer.from(await range.arrayBuffer()).equals(bytes.subarray(MIB - 2, MIB + 2))).toBe(true);
      const head = await open(url, {}, 'HEAD');
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
      expect((await open(url, { 'if-none-match': String(answer.headers.get('etag')) })).status).toBe(304);
      const named = await open(await urlOf({ filename: 'Отчёт "1".html' }), {}, 'HEAD');
      expect(named.headers.get('content-disposition')).toBe(
        `attachment; filename="_____ _1_.html"; filename*=UTF-8''${encodeURIComponent('Отчёт "1".html')}`,
      );
      expect((await open(url, {}, 'DELETE')).status).toBe(405);
    });

    it('lead to what the key has, and nowhere when it has nothing', async () => {
      await put('shared/other', bodyOf(5));
      const url = await urlOf({ key: 'shared/other' });
      await put('shared/other', bodyOf(7));
      expect((await (await open(url)).arrayBuffer()).byteLength).toBe(7);
      await ask('DELETE', '/objects/shared/other');
      expect(await codeOf(await open(url))).toBe('object_not_found');
      expect(await link({ key: 'shared/other' })).toMatchObject({ status: 404, code: 'object_not_found' });
    });

    it('end by their time, by whoever revokes them, and with the rights of their token', async () => {
      const expect404 = async (url: string): Promise<void> =>
        expect([await codeOf(await open(url)), (await open(url)).status]).toEqual(['link_not_found', 404]);
      const [expired, revoked, left, disabled] = [await urlOf(), await link({}), await urlOf(), await urlOf()];
      await database.query(
        `UPDATE pool_links SET expires_at = now() - interval '1 s'
          WHERE hash = sha256('${expired.slice('/d/'.length)}')`,
      );
      await expect404(expired);
      const path = `/links/${String(revoked.result['id'])}`;
      expect(await ask('DELETE', path, { headers: other.headers })).toMatchObject({ code: 'link_not_found' });
      expect((await ask('GET', '/links', { headers: other.headers })).result).toEqual([]);
      expect((await ask('DELETE', path, { headers: token.headers })).status).toBe(200);
      await expect404(String(revoked.result['url']));
      expect((await open(left, {}, 'HEAD')).status).toBe(200);
      const listed = (await ask('GET', '/links')).result as unknown as { token_id: string; url?: string }[];
      expect(listed.length).toBeGreaterThan(1);
      expect(listed.every(({ token_id, url }) => token_id === token.id && url === undefined)).toBe(true);
      await api.must(api.patch(`/v1/tokens/${token.id}`, { pool_ids: [] }));
      await expect404(left);
      await api.must(api.patch(`/v1/tokens/${token.id}`, { enabled: false }));
      await expect404(disabled);
      await api.must(api.delete(`/v1/tokens/${token.id}`));
      expect((await ask('GET', '/links')).result).toEqual([]);
      await expect404('/d/nothing');
      expect((await open('/d/')).status).toBe(404);
    });

    it('are made for a time only, and for a key', async () => {
      for (const body of [{ expires_in: 0 }, { expires_in: 604_801 }, { key: '' }]) {
        expect(await link(body, master)).toMatchObject({ status: 400, code: 'validation_failed' });
      }
    });

    it('give what they open a plain name, whatever is asked for', async () => {
      for (const filename of ['', '..', 'a/b', 'a\\b', 'a\r\nb', 'gpj.\u202Eexe', 'é'.repeat(128)]) {
        const body = JSON.stringify({ key: 'shared/page.html', expires_in: 60, filename });
        const answer = await fetch(`${gateways[0].url}/v1/pools/store/links`, {
          method: 'POST',
          headers: master,
          body,
        });
        expect(answer.status).toBe(400);
        expect(await answer.text()).toMatch(/"path":"filename"/);
      }
      const key = 'shared/a\r\n\u202Eb';
      await put(encodeURIComponent(key), bodyOf(1));
      const { result } = await link({ key }, master);
      const head = await open(String(result['url']), {}, 'HEAD');
      expect(head.headers.get('content-disposition')).toBe(`attachment; filename="a___b"; filename*=UTF-8''a___b`);
      await ask('DELETE', `/objects/${encodeURIComponent(key)}`);
    });
  });

  describe('tells what happens in it, which', () => {
    /** Events that have an id, in the order in which they came. */
    const numbered = (stream: EventStream): readonly NamedEvent[] => stream.named.filter(({ id }) => id !== undefined);
    const placeOf = (stream: EventStream): number => Number(numbered(stream).at(-1)?.id ?? stream.ids[0]);
    const follow = (headers: Record<string, string> = {}, at: 0 | 1 = 0): EventStream =>
      EventStream.open(`${gateways[at].url}/v1/pools/store/events`, headers);
    const knows = (stream: EventStream, type: string, key: string): Promise<true> =>
      until(`${type} of ${key}`, () =>
        stream.named.some(({ name, data }) => name === type && data['key'] === key) ? true : undefined,
      );
    const put = async (key: string, size: number): Promise<void> => {
      expect((await ask('PUT', `/objects/${key}`, { body: bodyOf(size) })).status).toBe(200);
    };

    it('59 loses nothing and tells nothing twice when one connects again, at any gateway', async () => {
      const stream = follow();
      await until('a snapshot', () => stream.named.some(({ name }) => name === 'snapshot'));
      const from = placeOf(stream);
      await put('told/1', 3 * MIB);
      await knows(stream, 'object.stored', 'told/1');
      stream.close();
      await until('the end', () => stream.isOver);
      await put('told/2', MIB);
      await ask('DELETE', '/objects/told/1');
      const id = await begin('told/3');
      await ask('DELETE', `/uploads/${id}`);
      const again = follow({ 'last-event-id': String(placeOf(stream)) }, 1);
      await put('told/4', MIB);
      await knows(again, 'object.stored', 'told/4');
      const chunks = (): number =>
        [...numbered(stream), ...numbered(again)].reduce((sum, { data }) => sum + Number(data['stored'] ?? 0), 0);
      // There may be some of before as well, told of late.
      await until('all five chunks to be told of', () => chunks() >= 5);
      again.close();
      const all = [...numbered(stream), ...numbered(again)];
      expect(all.map((event) => Number(event.id))).toEqual(all.map((_, n) => from + 1 + n));
      const others = all
        .filter(({ name }) => /^(object|upload)\./.test(name))
        .map(({ name, data }) => `${name} ${String(data['key'])}`);
      expect(others).toEqual([
        'object.stored told/1',
        'object.stored told/2',
        'object.deleted told/1',
        'upload.begun told/3',
        'upload.aborted told/3',
        'object.stored told/4',
      ]);
    });

    it('tells of what it does not keep any more', async () => {
      await database.query('DELETE FROM pool_events');
      const stream = follow({ 'last-event-id': '0' });
      await until('a snapshot', () => stream.named.some(({ name }) => name === 'snapshot'));
      await put('told/5', 1);
      await knows(stream, 'object.stored', 'told/5');
      stream.close();
      const gap = stream.named.find(({ name }) => name === 'gap');
      expect(gap?.data).toEqual({ from: 1, to: Number(numbered(stream)[0]?.id) - 1 });
      expect(await ask('GET', '/events', { headers: { 'last-event-id': 'x' } })).toMatchObject({ status: 400 });
    });

    it('59 is for tokens of the pool alone, and for as long as they are', async () => {
      const { id } = await api.must(api.get('/v1/pools/store'));
      const stranger = await api.must(api.post('/v1/tokens', { all_sessions: true }));
      const none = follow({ authorization: `Bearer ${String(stranger['token'])}` });
      await until('a refusal', () => none.status === 403 && none.isOver);
      expect([none.named, none.ids]).toEqual([[], []]);
      const reader = await api.must(api.post('/v1/tokens', { pool_ids: [id], pool_access: 'read' }));
      const stream = follow({ authorization: `Bearer ${String(reader['token'])}` }, 1);
      await until('a snapshot', () => stream.named.some(({ name }) => name === 'snapshot'));
      await api.must(api.patch(`/v1/tokens/${reader.id}`, { pool_ids: [] }));
      await until('the end', () => stream.isOver);
      expect(stream.named.at(-1)?.name).toBe('end');
      const { ticket } = await api.must(api.post('/v1/events/ticket', {}));
      const headers = { authorization: '' };
      const url = `${gateways[1].url}/v1/pools/store/events?ticket=${String(ticket)}`;
      const ticketed = EventStream.open(url, headers);
      await until('a snapshot', () => ticketed.named.some(({ name }) => name === 'snapshot'));
      ticketed.close();
    });
  });
});
