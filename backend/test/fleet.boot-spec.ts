import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CALLER_HEADER, CallerSignature } from '../src/common/cluster/caller-signature.js';
import { CLUSTER_TOKEN, cluster } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { ProductProcess } from './support/process.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

/** How long a worker is stopped in the middle, in milliseconds; the lease lasts 5 s. */
const STOPPED_MS = Number(process.env['FLEET_STOPPED_MS'] ?? 7_000);

const FREEZES = `--import=${join(__dirname, 'support', 'freeze-on-signal.mjs')}`;

describe('a fleet on one volume', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let dataDir: string;
  let gateway: ProductProcess;
  let appId: unknown;
  const made = (path: string, body: object): Promise<Record<string, unknown>> =>
    until(path, async () => (await gateway.ask('POST', path, body)).body.result);
  const running: ProductProcess[] = [];
  let bots = 0;

  const startWorker = async (id: string, env: NodeJS.ProcessEnv = {}): Promise<ProductProcess> => {
    const worker = await ProductProcess.start('worker', {
      ...telegram.env,
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      WORKER_ID: id,
      ...env,
    });
    running.push(worker);
    return worker;
  };
  const newBot = async (): Promise<{ id: string; path: string; userId: number }> => {
    bots += 1;
    const { token, userId } = telegram.control.createBot({ username: `fleet_${bots}_bot` });
    appId ??= (await made('/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) }))['app_id'];
    const { id } = await made('/v1/bot', { token, app_id: appId });
    return { id: String(id), path: `/v1/bot/${String(id)}`, userId };
  };
  const getMe = (path: string): Promise<unknown> =>
    until('an answer', async () => {
      const { status, body } = await gateway.ask('POST', `${path}/call`, { method: 'getMe' });
      return status === 200 && body.result;
    });
  /** Asks a worker as a gateway would that does not know better. */
  const askDirectly = (worker: ProductProcess, id: string): Promise<Response> =>
    fetch(`${worker.url}/internal/sessions/bot/${id}/call`, {
      method: 'POST',
      headers: {
        ...cluster,
        [CALLER_HEADER]: new CallerSignature(CLUSTER_TOKEN).sign({ kind: 'master', via: 'token' }),
      },
      body: JSON.stringify({ method: 'getMe' }),
    });
  const secondsToLease = async (id: string): Promise<number> => {
    const [row] = await database.query<{ left: number }>(
      `SELECT extract(epoch FROM expires_at - clock_timestamp())::float AS left FROM workers WHERE id = '${id}'`,
    );
    return row?.left ?? NaN;
  };

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tgcontrol-fleet-'));
    gateway = await ProductProcess.start('gateway', { DATABASE_URL: database.url, DATA_DIR: `${dataDir}/gateway` });
  });

  afterEach(async () => {
    for (const each of running.splice(0)) {
      await each.end('SIGTERM');
    }
  });

  afterAll(async () => {
    await gateway.end('SIGTERM');
    await telegram.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('a worker whose event loop is frozen is ended before its lease ends, and its sessions answer elsewhere', async () => {
    const frozen = await startWorker('frozen', { NODE_OPTIONS: FREEZES });
    const bot = await newBot();
    await startWorker('heir');
    process.kill(frozen.pid, 'SIGUSR2');
    expect(await frozen.ended()).toBe('SIGKILL');
    expect(await secondsToLease('frozen')).toBeGreaterThan(0);
    expect(frozen.output).toContain('the lease of worker frozen was not renewed in time');
    expect(await getMe(bot.path)).toMatchObject({ id: bot.userId });
    expect(await gateway.must('GET', bot.path)).toMatchObject({ worker_id: 'heir' });
  });

  it('a worker that was stopped answers nothing when it goes on, and no key is used twice', async () => {
    const zombie = await startWorker('zombie');
    const bot = await newBot();
    await startWorker('heir');
    await getMe(bot.path);
    process.kill(zombie.pid, 'SIGSTOP');
    // One that has waited in its socket all the while.
    const asked = askDirectly(zombie, bot.id).then(
      ({ status }) => status,
      () => 'broken off',
    );
    const waiting = await until('the heir to say what it waits for', async () => {
      const { body } = await gateway.ask('GET', '/v1/sessions');
      const rows = (body.result ?? []) as unknown as readonly Record<string, unknown>[];
      const row = rows.find(({ id }) => id === bot.id);
      return row?.['worker_id'] === 'heir' && row['health'] === 'down' && String(row['health_cause']);
    });
    expect(waiting).toMatch(/^waiting for zombie, /);
    await sleep(Math.max(0, STOPPED_MS - 5_000));
    process.kill(zombie.pid, 'SIGCONT');
    expect(await asked).not.toBe(200);
    expect(await getMe(bot.path)).toMatchObject({ id: bot.userId });
    expect(await gateway.must('GET', bot.path)).toMatchObject({ worker_id: 'heir', health: 'ok' });
    expect(telegram.control.keyConflicts()).toEqual([]);
  });
});
