import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { generatedPieces } from '@tgcontrol/sandbox';
import { master } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { ProductProcess } from './support/process.js';
import { ResidentMemory } from './support/resident-memory.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

// POOL_UPLOADS=20 POOL_KILLS=4 and POOL_BYTES=1073741824 show more; the defaults are a look.
const UPLOADS = Number(process.env['POOL_UPLOADS'] ?? 8);
const KILLS = Number(process.env['POOL_KILLS'] ?? 1);
const BYTES = Number(process.env['POOL_BYTES'] ?? 12_000_000);
const MIB = 1024 * 1024;
const BOTS = 3;
const PATIENCE_MS = 240_000 + BYTES / 500;

/** What a client knows of an upload of its own. */
interface Upload {
  readonly key: string;
  readonly bytes: Buffer;
  readonly isAcknowledged: boolean;
}

describe('a pool and the processes that serve it', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let dir: string;
  let gateway: ProductProcess;
  let channel: number;
  const workers = new Map<string, ProductProcess>();

  const startWorker = async (id: string): Promise<void> => {
    const env = { ...telegram.env, DATABASE_URL: database.url, DATA_DIR: join(dir, 'data'), WORKER_ID: id };
    workers.set(id, await ProductProcess.start('worker', { ...env, LOG_LEVEL: 'fatal' }));
  };
  const at = (key: string): string => `${gateway.url}/v1/pools/store/objects/${key}`;
  const held = async (): Promise<number> =>
    (await telegram.control.messages({ chatId: channel })).filter(({ file }) => file !== undefined).length;
  const referenced = async (): Promise<number | undefined> =>
    (await database.query<{ count: number }>('SELECT count(*)::int AS count FROM pool_blobs WHERE refs > 0'))[0]?.count;
  const put = async (key: string): Promise<Upload> => {
    const bytes = randomBytes(2 * MIB + 77);
    const answer = await fetch(at(key), { method: 'PUT', body: bytes, headers: master });
    await answer.arrayBuffer();
    return { key, bytes, isAcknowledged: answer.status === 200 };
  };

  /** After what nothing refers to has been collected. */
  const expectNoOrphan = async (): Promise<void> => {
    await database.query(`UPDATE pool_sends SET started_at = started_at - interval '2 hours'`);
    await database.query(`UPDATE pool_blobs SET stored_at = stored_at - interval '2 hours' WHERE refs = 0`);
    await until('the channel to hold nothing but objects', async () => {
      await gateway.must('POST', '/v1/pools/store/collect');
      return (await held()) === (await referenced());
    });
  };

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-pool-'));
    await Promise.all(['w1', 'w2'].map(startWorker));
    gateway = await ProductProcess.start('gateway', {
      TDLIB_PATH: telegram.env['TDLIB_PATH'],
      TDLIB_PROXY_ONLY: 'true',
      DATABASE_URL: database.url,
      DATA_DIR: join(dir, 'data'),
      LOG_LEVEL: 'fatal',
    });
    const { app_id } = await gateway.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
    const session_ids: unknown[] = [];
    const admins: number[] = [telegram.control.createAccount({ phone: '15550910000' }).userId];
    for (let n = 0; n < BOTS; n += 1) {
      const { token, userId } = telegram.control.createBot({ username: `kept_${n}_bot` });
      admins.push(userId);
      session_ids.push((await gateway.must('POST', '/v1/bot', { token, app_id }))['id']);
    }
    channel = telegram.control.createChat({ type: 'channel', title: 'Store', admins }).chatId;
    const budget = { max: 1_000, window_s: 60, gap_ms: 0 };
    await gateway.must('POST', '/v1/pools', { name: 'store', chat_id: channel, session_ids, chunk_size: MIB, budget });
  }, 300_000);

  afterAll(async () => {
    for (const process of [gateway, ...workers.values()]) await process.end('SIGKILL');
    await database.drop();
    await telegram.stop();
    rmSync(dir, { recursive: true, force: true });
  }, 60_000);

  it(
    '41, 42 has each object whole or not at all after workers were killed in the middle, and no orphan after gc',
    async () => {
      const uploads: Upload[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const before = await held();
        const all = Promise.all(Array.from({ length: UPLOADS }, (_, n) => put(`${kill}/${n}`)));
        await until('some parts to arrive', async () => (await held()) > before + UPLOADS / 2);
        const { worker } = await gateway.must('GET', '/v1/pools/store');
        // By turns the one that runs the pool, and the other, which only has bots of it.
        const victim = kill % 2 === 0 ? String(worker) : worker === 'w1' ? 'w2' : 'w1';
        await workers.get(victim)?.end('SIGKILL');
        uploads.push(...(await all));
        await startWorker(victim);
      }
      const lost: string[] = [];
      for (const { key, bytes, isAcknowledged } of uploads) {
        const back = await until('an answer', async () => {
          const answer = await fetch(at(key), { headers: master });
          const body = Buffer.from(await answer.arrayBuffer());
          return (answer.status === 200 || answer.status === 404) && { status: answer.status, body };
        });
        const isWhole = back.status === 200 && back.body.equals(bytes);
        if (back.status === 200 ? !isWhole : isAcknowledged) lost.push(key);
      }
      expect(lost).toEqual([]);
      // Whoever takes the pool is given the parts that its last owner had.
      expect(uploads.filter(({ isAcknowledged }) => !isAcknowledged).map(({ key }) => key)).toEqual([]);
      await expectNoOrphan();
      await until('the spool to be empty', () => readdirSync(join(dir, 'data', 'uploads', '.pools')).length === 0);
      const told = `${uploads.length} uploads, ${uploads.filter(({ isAcknowledged }) => isAcknowledged).length} stored`;
      process.stdout.write(`${told}, ${KILLS} kills, none half, no orphan\n`);
    },
    PATIENCE_MS,
  );

  it(
    '41 goes on with an upload whose pool loses its owner, and with a plain one, without an orphan',
    async () => {
      const stored = await held();
      const [parts, before] = [10, 7];
      const bytes = randomBytes(parts * MIB);
      const upload = await gateway.must('POST', '/v1/pools/store/uploads?key=resumed');
      const path = `/v1/pools/store/uploads/${String(upload['upload_id'])}`;
      const append = async (from: number, to: number): Promise<void> => {
        const headers = { ...master, 'upload-offset': String(from * MIB) };
        const body = bytes.subarray(from * MIB, to * MIB);
        const answer = await fetch(`${gateway.url}${path}`, { method: 'PATCH', headers, body });
        expect(answer.status).toBe(200);
      };
      await append(0, before);
      await until('seven parts to be stored', async () => (await gateway.must('GET', path))['parts'] === before);
      // What is sent now does not come to an end.
      telegram.control.addFault({ method: 'send', hang: true });
      await append(before, parts);
      const plain = put('plain');
      await until('every bot to send', () => telegram.control.journal({ method: 'send' }).length >= before + BOTS);
      const { worker } = await gateway.must('GET', '/v1/pools/store');
      await workers.get(String(worker))?.end('SIGKILL');
      telegram.control.removeFault();
      const whole = await plain;
      expect(whole.isAcknowledged).toBe(true);
      const done = await gateway.must('POST', `${path}/complete`, {});
      expect(done).toMatchObject({
        state: 'stored',
        object: { sha256: createHash('sha256').update(bytes).digest('hex') },
      });
      const back = await fetch(at('resumed'), { headers: master });
      expect(Buffer.from(await back.arrayBuffer()).equals(bytes)).toBe(true);
      // Each once, and at most what each bot was sending when it happened.
      const plainParts = Math.ceil(whole.bytes.length / MIB);
      expect((await held()) - stored).toBeLessThanOrEqual(parts + plainParts + BOTS);
      await startWorker(String(worker));
      const plainBack = await fetch(at('plain'), { headers: master });
      expect(Buffer.from(await plainBack.arrayBuffer()).equals(whole.bytes)).toBe(true);
      await expectNoOrphan();
      expect((await held()) - stored).toBe(parts + plainParts);
    },
    PATIENCE_MS,
  );

  it(
    '45 holds little of a large object in memory, on its way in and out',
    async () => {
      const hash = createHash('sha256');
      const pieces = function* (): Generator<Buffer> {
        for (const piece of generatedPieces(BYTES)) {
          hash.update(piece);
          yield piece;
        }
      };
      const processes = [gateway, ...workers.values()];
      const memory = new ResidentMemory(processes.map(({ pid }) => pid));
      const body = Readable.toWeb(Readable.from(pieces())) as ReadableStream<Uint8Array>;
      const answer = await until('the pool to store', async () => {
        const given = await fetch(at('large'), { method: 'PUT', body, headers: master, duplex: 'half' });
        return given.status === 200 && given;
      });
      const { result } = (await answer.json()) as { result: { sha256: string; size: number } };
      const sent = hash.digest('hex');
      expect(result).toMatchObject({ size: BYTES, sha256: sent });
      const back = await fetch(at('large'), { headers: master });
      const received = createHash('sha256');
      for await (const piece of back.body ?? []) received.update(piece as Uint8Array);
      expect(received.digest('hex')).toBe(sent);
      const grown = memory.stop().map((bytes) => Math.round(bytes / MIB));
      process.stdout.write(`${Math.round(BYTES / MIB)} MiB in and out, memory grew by ${grown.join(', ')} MiB\n`);
      expect(Math.max(...grown)).toBeLessThan(150);
    },
    PATIENCE_MS,
  );
});
