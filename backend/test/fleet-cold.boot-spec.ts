import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { createDatabase, type TestDatabase } from './support/database.js';
import { ProductProcess } from './support/process.js';
import { memoryOf } from './support/resident-memory.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

/** By hand as it is promised: FLEET_COLD_BOTS=150 FLEET_COLD_USERS=50 FLEET_COLD_SECONDS=30 FLEET_COLD_MIB=600. */
const BOTS = Number(process.env['FLEET_COLD_BOTS'] ?? 5);
const USERS = Number(process.env['FLEET_COLD_USERS'] ?? 2);
/** What a start may take; not asked of a machine that does something else meanwhile. */
const SECONDS = Number(process.env['FLEET_COLD_SECONDS'] ?? Infinity);
const MIB = Number(process.env['FLEET_COLD_MIB'] ?? 600);

const SESSIONS = BOTS + USERS;
const LOGINS_AT_ONCE = 8;

jest.setTimeout(300_000 + SESSIONS * 3_000);

describe('a worker that starts with all its sessions', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let dir: string;
  let gateway: ProductProcess;
  let worker: ProductProcess | undefined;
  const paths: string[] = [];

  const startWorker = async (env: NodeJS.ProcessEnv = {}): Promise<ProductProcess> =>
    (worker = await ProductProcess.start('worker', {
      ...telegram.env,
      DATABASE_URL: database.url,
      DATA_DIR: join(dir, 'data'),
      WORKER_ID: 'cold',
      ...env,
    }));
  const made = (path: string, body: object): Promise<Record<string, unknown>> =>
    until(path, async () => (await gateway.ask('POST', path, body)).body.result);
  const answers = async (path: string): Promise<boolean> =>
    (await gateway.ask('POST', `${path}/call`, { method: 'getMe' })).status === 200;

  beforeAll(
    async () => {
      telegram = await startTelegram();
      database = await createDatabase();
      dir = mkdtempSync(join(tmpdir(), 'tgcontrol-cold-'));
      gateway = await ProductProcess.start('gateway', { DATABASE_URL: database.url, DATA_DIR: join(dir, 'gateway') });
      await startWorker();
      const { app_id } = await made('/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
      const atOnce = pLimit(LOGINS_AT_ONCE);
      const bots = Array.from({ length: BOTS }, (_, n) => async () => {
        const { token } = telegram.control.createBot({ username: `cold_${n}_bot` });
        paths.push(`/v1/bot/${String((await made('/v1/bot', { token, app_id }))['id'])}`);
      });
      const users = Array.from({ length: USERS }, (_, n) => async () => {
        const phone = `1555082${String(n).padStart(4, '0')}`;
        telegram.control.createAccount({ phone, firstName: 'A' });
        const { id } = await made('/v1/user', { app_id, phone });
        await made(`/v1/user/${String(id)}/login/code`, { code: telegram.control.newestCode(phone) });
        paths.push(`/v1/user/${String(id)}`);
      });
      await Promise.all([...bots, ...users].map((login) => atOnce(login)));
    },
    300_000 + SESSIONS * 3_000,
  );

  afterAll(async () => {
    await worker?.end('SIGTERM');
    await gateway.end('SIGTERM');
    await telegram.stop();
    await database.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('opens them in stages, within its memory, and the gateway answers all the while', async () => {
    await worker?.end('SIGTERM');
    const over = new AbortController();
    const slowest = { ms: 0 };
    let refused = 0;
    const asking = (async () => {
      while (!over.signal.aborted) {
        const began = performance.now();
        const { status } = await gateway.ask('GET', '/v1/sessions?limit=100');
        slowest.ms = Math.max(slowest.ms, performance.now() - began);
        if (status !== 200) refused += 1;
        await sleep(50);
      }
    })();
    const began = performance.now();
    const { pid } = await startWorker();
    const left = new Set(paths);
    while (left.size > 0) {
      const asked = [...left].slice(0, 20);
      const open = await Promise.all(asked.map(answers));
      // The others have their turn.
      for (const [n, path] of asked.entries()) {
        left.delete(path);
        if (open[n] !== true) left.add(path);
      }
      if (performance.now() - began > 240_000) throw new Error(`${left.size} sessions do not answer`);
    }
    const seconds = (performance.now() - began) / 1_000;
    over.abort();
    await asking;
    const files = readdirSync(`/proc/${pid}/fd`).length;
    const { peakMiB, pssMiB } = memoryOf(pid);
    process.stdout.write(
      `${SESSIONS} sessions answered ${seconds.toFixed(1)} s after the start of their worker; it took ${peakMiB.toFixed(0)} MiB ` +
        `(PSS ${pssMiB.toFixed(0)} MiB), ${files} files; the slowest answer of the gateway took ${slowest.ms.toFixed(0)} ms\n`,
    );
    expect(refused).toBe(0);
    expect(seconds).toBeLessThan(SECONDS);
    expect(peakMiB).toBeLessThan(MIB);
    expect(telegram.control.keyConflicts()).toEqual([]);
  });

  it('opens no session for which it has no memory, and says what they wait for', async () => {
    await worker?.end('SIGTERM');
    await startWorker({ WORKER_MEMORY: '1MiB' });
    await until('the reason', async () => {
      const rows = (await gateway.must('GET', '/v1/sessions')) as unknown as readonly Record<string, unknown>[];
      const cause = /waiting for memory: worker cold has \d+ MiB in use, and WORKER_MEMORY is 1 MiB$/;
      return rows.every(({ health, health_cause }) => health === 'down' && cause.test(String(health_cause)));
    });
    const [listed] = (await gateway.must('GET', '/v1/workers')) as unknown as readonly Record<string, unknown>[];
    expect(listed).toMatchObject({ id: 'cold', memory_limit: 1024 * 1024, sessions: 0 });
    // The next one has as much as it needs.
    await worker?.end('SIGTERM');
    await startWorker();
    for (const path of paths) await until(path, () => answers(path));
  });

  it('has bots whose databases are lost log in again at a rate that Telegram bears', async () => {
    await worker?.end('SIGTERM');
    rmSync(join(dir, 'data', 'sessions'), { recursive: true });
    await database.query(`UPDATE sessions SET status = 'expired', login_again_at = now() WHERE kind = 'bot'`);
    const logins = (): readonly { readonly time: number }[] =>
      telegram.control.journal({ method: 'auth.importBotAuthorization' });
    const before = logins().length;
    await startWorker({ LOGINS_PER_SECOND: '2' });
    for (const path of paths.filter((each) => each.startsWith('/v1/bot'))) await until(path, () => answers(path));
    const times = logins()
      .slice(before)
      .map(({ time }) => time);
    expect(times).toHaveLength(BOTS);
    // Two at once, and then two a second; the last of a few are claimed together.
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(((BOTS - 4) / 2) * 1_000 - 250);
  });
});
