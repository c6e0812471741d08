import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from './support/database.js';
import { type ProcessAnswer, ProductProcess } from './support/process.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { onLoadedMachine, until } from './support/until.js';

/** By hand for the long way: SURVIVE_KILLS=20 SURVIVE_ENDS=20. */
const KILLS = Number(process.env['SURVIVE_KILLS'] ?? 1);
const ENDS = Number(process.env['SURVIVE_ENDS'] ?? 1);
const GET_ME = { method: 'getMe' };
const CALLERS = 4;

/** Of times in milliseconds. */
function spreadOf(times: readonly number[]): string {
  const sorted = times.toSorted((x, y) => x - y);
  const at = (share: number): number => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? NaN);
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)} ms of ${times.length}`;
}

/** Some callers that call again as soon as they have their answer. */
class CallLoad {
  private readonly failures: unknown[] = [];
  private answered = 0;
  private longestMs = 0;
  private isOver = false;
  private readonly callers: Promise<unknown>;

  constructor(private readonly call: () => Promise<ProcessAnswer>) {
    this.callers = Promise.all(Array.from({ length: CALLERS }, () => this.run()));
  }

  /** Settles when so many more calls were answered. */
  async goesOn(count: number): Promise<void> {
    const goal = this.answered + count;
    await until('more answers', () => this.answered >= goal);
  }

  async end(): Promise<{ readonly failures: readonly unknown[]; readonly longestMs: number }> {
    this.isOver = true;
    await this.callers;
    return { failures: this.failures, longestMs: this.longestMs };
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const began = performance.now();
      const { status, body } = await this.call();
      this.answered += 1;
      this.longestMs = Math.max(this.longestMs, performance.now() - began);
      if (status !== 200) this.failures.push({ status, error: body.error });
    }
  }
}

describe('sessions and the processes that hold them', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let dataDir: string;
  let running: ProductProcess[];
  let bots = 0;

  const start = async (role: 'all' | 'worker' | 'gateway', env: NodeJS.ProcessEnv = {}): Promise<ProductProcess> => {
    const started = await ProductProcess.start(role, {
      ...(role !== 'gateway' && telegram.env),
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      ...env,
    });
    running.push(started);
    return started;
  };
  const newBot = (): { userId: number; token: string } => {
    bots += 1;
    return telegram.control.createBot({ username: `survivor_${bots}_bot` });
  };
  const createApp = async (api: ProductProcess): Promise<unknown> =>
    (await api.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) }))['app_id'];
  const botLogins = (): number => telegram.control.journal({ method: 'auth.importBotAuthorization' }).length;

  beforeAll(async () => {
    telegram = await startTelegram();
  });

  beforeEach(async () => {
    running = [];
    database = await createDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tgcontrol-data-'));
  });

  afterEach(async () => {
    for (const each of running) await each.end('SIGTERM');
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  afterAll(() => telegram.stop());

  it('are authorized again after SIGKILL and a start, without a new login; what was stopped stays stopped', async () => {
    const first = await start('all', { WORKER_ID: 'same' });
    const app_id = await createApp(first);
    const bot = newBot();
    const { id } = await first.must('POST', '/v1/bot', { token: bot.token, app_id });
    const { id: stopped } = await first.must('POST', '/v1/bot', { token: newBot().token, app_id });
    await first.must('POST', `/v1/bot/${String(stopped)}/stop`);
    const { phone } = telegram.control.createAccount({ phone: '15550188', firstName: 'A' });
    const login = await first.must('POST', '/v1/user', { app_id, phone });
    const logins = botLogins();
    expect(await first.end('SIGKILL')).toBe('SIGKILL');

    const second = await start('all', { WORKER_ID: 'same' });
    const path = `/v1/bot/${String(id)}`;
    const me = await until('the bot to answer', async () => {
      const { status, body } = await second.ask('POST', `${path}/call`, { method: 'getMe' });
      return status === 200 && body.result;
    });
    expect(me).toMatchObject({ id: bot.userId });
    expect(await second.must('GET', path)).toMatchObject({ status: 'authorized' });
    expect(botLogins()).toBe(logins);
    expect(await second.must('GET', `/v1/bot/${String(stopped)}`)).toMatchObject({ status: 'stopped' });
    // The login died with its process; its number is free again.
    expect(await second.must('GET', `/v1/user/${String(login['id'])}`)).toMatchObject({ status: 'expired' });
    expect(await second.must('POST', '/v1/user', { app_id, phone })).toMatchObject({ status: 'awaiting_code' });
    expect(await second.end('SIGTERM')).toBe(0);
  });

  it(
    'are taken over from a worker that was killed, and handed over by one that ends without one failed call',
    async () => {
      const workers = new Map<string, ProductProcess>();
      const join = async (name: string): Promise<void> => {
        workers.set(name, await start('worker', { WORKER_ID: name }));
      };
      const gateway = await start('gateway', { DATA_DIR: `${dataDir}/gateway` });
      for (const name of ['w0', 'w1', 'w2']) await join(name);
      const bot = newBot();
      const { id } = await gateway.must('POST', '/v1/bot', { token: bot.token, app_id: await createApp(gateway) });
      const path = `/v1/bot/${String(id)}`;
      const call = (): Promise<ProcessAnswer> => gateway.ask('POST', `${path}/call`, GET_ME);
      const holder = async (): Promise<string> => String((await gateway.must('GET', path))['worker_id']);
      const logins = botLogins();
      const waits: number[] = [];
      for (let kill = 1; kill <= KILLS; kill += 1) {
        if (kill > 1) await join(`w${kill + 1}`);
        const killed = await holder();
        await workers.get(killed)?.end('SIGKILL');
        const began = performance.now();
        // What was on its way may be lost; whatever comes later waits for the heir.
        await until('a call on the heir', async () => (await call()).status === 200);
        waits.push(performance.now() - began);
        expect(await holder()).not.toBe(killed);
      }
      const longest: number[] = [];
      for (let end = 1; end <= ENDS; end += 1) {
        if (end > 1) await join(`e${end}`);
        const ending = await holder();
        const load = new CallLoad(call);
        expect(await workers.get(ending)?.end('SIGTERM')).toBe(0);
        await until('its session on the other worker', async () => (await holder()) !== ending);
        await load.goesOn(8);
        const { failures, longestMs } = await load.end();
        expect(failures).toEqual([]);
        longest.push(longestMs);
      }
      expect(botLogins()).toBe(logins);
      // Its lease runs 5 s; then the next round of the heir claims.
      expect(Math.max(...waits)).toBeLessThan(onLoadedMachine(6_000));
      process.stdout.write(`SIGKILL: answered after ${spreadOf(waits)}; SIGTERM: within ${spreadOf(longest)}\n`);
    },
    180_000 + (KILLS + ENDS) * 60_000,
  );

  it('run /execute in the gateway itself', async () => {
    const gateway = await start('gateway');
    const found = await gateway.must('POST', '/v1/execute', { method: 'getTextEntities', params: { text: '@probe' } });
    expect(found).toMatchObject({ '@type': 'textEntities' });
  });
});
