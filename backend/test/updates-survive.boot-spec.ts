import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../src/common/db/embedded-postgres.js';
import type { StreamEvent } from './support/events.js';
import { ProductProcess } from './support/process.js';
import { Receiver, textOf } from './support/receiver.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

/** By hand for the long way: UPDATES_SOAK=20000 UPDATES_SOAK_SESSIONS=10. */
const MESSAGES = Number(process.env['UPDATES_SOAK'] ?? 240);
const SESSIONS = Number(process.env['UPDATES_SOAK_SESSIONS'] ?? 4);
const EACH = Math.ceil(MESSAGES / SESSIONS);
/** How long a process lives before it is killed. */
const LIFE_MS = 3_000;
const KILLS = Math.max(2, Math.ceil(MESSAGES / 1_000));
/**
 * How long TDLib may keep an update before it hands it over, in a flood on a busy machine. It may have noted before that that it has
 * the update, and does not ask for it again after a kill.
 */
const HANDED_OVER_MS = 2_000;

interface Followed {
  readonly path: string;
  readonly account: number;
  readonly webhook: string;
  readonly stream: string;
}

describe('updates and the processes that take them', () => {
  let telegram: TestTelegram;
  let dir: string;
  let postgres: EmbeddedPostgres;
  let databaseUrl: string;
  let receiver: Receiver;
  let product: ProductProcess;
  let friend: number;
  const password = 'of-the-soak';

  const startPostgres = async (): Promise<void> => {
    postgres = await EmbeddedPostgres.start({ dir: join(dir, 'postgres'), password });
    databaseUrl = postgres.url;
  };
  const start = (): Promise<ProductProcess> =>
    ProductProcess.start('all', {
      ...telegram.env,
      DATABASE_URL: databaseUrl,
      DATA_DIR: join(dir, 'data'),
      WORKER_ID: 'w',
      WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
      LOG_LEVEL: 'fatal',
    });

  const login = async (number: number, appId: unknown): Promise<Omit<Followed, 'webhook' | 'stream'>> => {
    if (number % 2 === 0) {
      const { userId, token } = telegram.control.createBot({ username: `survivor_${number}_bot` });
      const { id } = await product.must('POST', '/v1/bot', { token, app_id: appId });
      return { path: `/v1/bot/${String(id)}`, account: userId };
    }
    const phone = `15550700${String(number).padStart(2, '0')}`;
    const { userId } = telegram.control.createAccount({ phone, firstName: 'S' });
    const { id } = await product.must('POST', '/v1/user', { app_id: appId, phone });
    const path = `/v1/user/${String(id)}`;
    await product.must('POST', `${path}/login/code`, { code: telegram.control.newestCode(phone) });
    return { path, account: userId };
  };

  const follow = async (number: number, appId: unknown): Promise<Followed> => {
    const session = await login(number, appId);
    const filters = { types: ['updateNewMessage'] };
    const at = `${session.path}/updates/subscriptions`;
    const webhook = await product.must('POST', at, { url: receiver.url, filters });
    const stream = await product.must('POST', at, { kind: 'stream', filters });
    return { ...session, webhook: String(webhook['id']), stream: String(stream['id']) };
  };

  /** The ids under which each text was seen. */
  const streamed = async ({ path, stream }: Followed): Promise<Map<string, Set<string>>> => {
    const seen = new Map<string, Set<string>>();
    let after = '0';
    for (;;) {
      const at = `${path}/updates/subscriptions/${stream}/events?limit=1000&after=${after}`;
      const { body } = await product.ask('GET', at);
      const events = body.result as unknown as readonly StreamEvent[];
      for (const { id, update } of events) note(seen, textOf(update), id);
      if (events.length === 0) return seen;
      after = events.at(-1)?.cursor ?? after;
    }
  };
  const note = (seen: Map<string, Set<string>>, text: string | undefined, id: unknown): void => {
    if (text?.startsWith('soak ') !== true) return;
    seen.set(text, (seen.get(text) ?? new Set()).add(String(id)));
  };
  const received = (followed: Followed): Map<string, Set<string>> => {
    const seen = new Map<string, Set<string>>();
    for (const { headers, update } of receiver.received) {
      if (headers['x-tgcontrol-subscription'] !== followed.webhook) continue;
      note(seen, textOf(update), headers['x-tgcontrol-delivery']);
    }
    return seen;
  };

  /** How far one came, for whoever looks into a failure. */
  const progressOf = async (each: Followed): Promise<object> => ({
    ...{ path: each.path, posted: received(each).size, streamed: (await streamed(each)).size },
    session: await product.must('GET', each.path),
    conflicts: telegram.control.keyConflicts().length,
    webhook: await product.must('GET', `${each.path}/updates/subscriptions/${each.webhook}`),
  });

  beforeAll(async () => {
    telegram = await startTelegram();
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-soak-'));
    await startPostgres();
    receiver = await Receiver.start();
    friend = telegram.control.createAccount({ phone: '1555069999', firstName: 'F' }).userId;
    product = await start();
  });

  afterAll(async () => {
    await product.end('SIGTERM');
    await receiver.stop();
    await postgres.stop();
    await telegram.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it(
    'reach webhook and stream over SIGKILLs and a restart of PostgreSQL, but for what a killed TDLib had not handed over; what comes twice has one id',
    async () => {
      const { app_id: appId } = await product.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
      const followed: Followed[] = [];
      for (let number = 0; number < SESSIONS; number += 1) followed.push(await follow(number, appId));
      let pushed = 0;
      const pushedAt: number[] = [];
      const killedAt: number[] = [];
      const push = async (): Promise<void> => {
        for (let number = 0; number < EACH; number += 1) {
          pushedAt.push(performance.now());
          // The sandbox lives in this process: let it send.
          await new Promise((resolve) => setImmediate(resolve));
          for (const { account } of followed) {
            await telegram.control.sendMessage({ chatId: account, from: friend, text: `soak ${number}` });
            pushed += 1;
          }
          // As fast as the kills go: the last messages come after the last of them.
          const share = (number + 1) / EACH;
          await until('the kills', () => kills >= Math.floor(share * KILLS), 300_000);
        }
      };
      /** A message that TDLib may have had with it when it was killed. */
      const isExcused = (number: number): boolean => {
        const at = pushedAt[number] ?? 0;
        return killedAt.some((kill) => at < kill && at >= kill - HANDED_OVER_MS);
      };
      const lostOf = (seen: ReadonlyMap<string, unknown>): readonly number[] =>
        pushedAt.flatMap((_at, number) => (seen.has(`soak ${number}`) || isExcused(number) ? [] : [number]));
      const missing = async (): Promise<number> => {
        const counts = await Promise.all(
          followed.map(async (each) => lostOf(received(each)).length + lostOf(await streamed(each)).length),
        );
        return counts.reduce((sum, count) => sum + count, 0);
      };
      let kills = 0;
      const kill = async (): Promise<void> => {
        for (let number = 0; number < KILLS; number += 1) {
          await new Promise((resolve) => setTimeout(resolve, number === 0 ? 500 : LIFE_MS));
          // A TDLib that is killed while it catches up loses what it has fetched and not handed over.
          if (number > 0) await until('what came meanwhile', async () => (await missing()) === 0);
          if (number === Math.floor(KILLS / 2)) {
            await postgres.stop();
            await startPostgres();
          }
          killedAt.push(performance.now());
          await product.end('SIGKILL');
          kills += 1;
          product = await start();
        }
      };
      await Promise.all([push(), kill()]);
      // What follows says what is missing.
      await until('all updates', async () => (await missing()) === 0, 20_000 + MESSAGES * 10).catch(() => undefined);
      if ((await missing()) > 0)
        process.stdout.write(`${JSON.stringify(await Promise.all(followed.map(progressOf)))}\n`);
      let unseen = 0;
      for (const each of followed) {
        const [posted, kept] = [received(each), await streamed(each)];
        for (const seen of [posted, kept]) {
          expect(lostOf(seen)).toEqual([]);
          expect([...seen.values()].filter(({ size }) => size > 1)).toEqual([]);
        }
        unseen += EACH - kept.size;
      }
      const posted = receiver.received.filter(({ update }) => textOf(update)?.startsWith('soak ')).length;
      process.stdout.write(
        `${pushed} in, ${unseen} not handed over, ${kills} kills, ${posted - (pushed - unseen)} posted again\n`,
      );
    },
    180_000 + MESSAGES * 30,
  );
});
