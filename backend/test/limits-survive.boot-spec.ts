import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from './support/database.js';
import { ProductProcess } from './support/process.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

/** So large that calls are counted ahead. */
const MAX = 1_000;
const CALLERS = 20;
const GET_OPTION = { method: 'getOption', params: { name: 'version' } };

describe('a quota and the processes that count', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let dataDir: string;
  let worker: ProductProcess;
  const gateways: ProductProcess[] = [];

  const startWorker = (): Promise<ProductProcess> =>
    ProductProcess.start('worker', {
      ...telegram.env,
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      WORKER_ID: 'same',
      PACE_PER_SECOND: '0',
    });

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tgcontrol-quota-'));
    worker = await startWorker();
    for (const name of ['g1', 'g2']) {
      gateways.push(
        await ProductProcess.start('gateway', { DATABASE_URL: database.url, DATA_DIR: `${dataDir}/${name}` }),
      );
    }
  });

  afterAll(async () => {
    await Promise.all([...gateways, worker].map((each) => each.end('SIGTERM')));
    await telegram.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('never let more pass when the worker is killed in the middle, and lose no more than was counted ahead', async () => {
    const [first, second] = gateways;
    if (first === undefined || second === undefined) throw new Error('no gateways');
    const { app_id } = await first.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
    const { token } = telegram.control.createBot({ username: 'quota_survivor_bot' });
    const { id } = await first.must('POST', '/v1/bot', { token, app_id });
    const path = `/v1/bot/${String(id)}`;
    const rule = { level: 'session', session_id: id, methods: ['getOption'], max: MAX, per: 'week' };
    await first.must('POST', '/v1/limits', rule);
    let passed = 0;
    let refused = 0;
    const call = async (gateway: ProductProcess): Promise<void> => {
      const { status } = await gateway.ask('POST', `${path}/call`, GET_OPTION);
      if (status === 200) passed += 1;
      if (status === 429) refused += 1;
    };
    /** Calls that pass before the rule is known are counted by nobody. */
    await until('the rule is known', async () => {
      await call(first);
      const { rules } = await first.must('GET', `${path}/limits`);
      return (rules as { usage: { used: number } }[])[0]?.usage.used;
    });
    passed = 1;
    const callers = Array.from({ length: CALLERS }, async (_, number) => {
      while (refused < CALLERS) await call(number % 2 === 0 ? first : second);
    });
    await until('half of them', () => passed >= MAX / 2);
    expect(await worker.end('SIGKILL')).toBe('SIGKILL');
    worker = await startWorker();
    await Promise.all(callers);
    expect(passed).toBeLessThanOrEqual(MAX);
    // At most a hundredth is counted ahead, and the answers of what was on its way are lost.
    expect(passed).toBeGreaterThanOrEqual(MAX - MAX / 100 - CALLERS);
  }, 180_000);
});
