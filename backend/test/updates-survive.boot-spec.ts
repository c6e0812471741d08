import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../src/common/db/embedded-postgres.js';
import type { StreamEvent } from './support/events.js';
import { ProductProcess } from './support/process.js';
import { type Received, Receiver, textOf } from './support/receiver.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

/** By hand for the long way: UPDATES_SOAK=20000 UPDATES_SOAK_SESSIONS=10. */
const MESSAGES = Number(process.env['UPDATES_SOAK'] ?? 240);
const SESSIONS = Number(process.env['UPDATES_SOAK_SESSIONS'] ?? 4);
const EACH = Math.ceil(MESSAGES / SESSIONS);
/** How long a process lives before it is killed. */
const LIFE_MS = 2_000;
const KILLS = Math.max(2, Math.ceil(MESSAGES / 1_000));
/** Messages go to so many chats in turn. */
const CHATS = 3;
/** In order, the receiver refuses one of each chat at its first attempt, and again after so many. */
const isRefusedOnce = (number: number): boolean => [7, 8, 9].includes(number % 120);

interface Followed {
  readonly path: string;
  readonly account: number;
  readonly webhook: string;
  readonly stream: string;
  /** What was read of the stream. */
  readonly read: { after: string; readonly seen: Map<string, Set<string>> };
}

const lostOf = (seen: ReadonlyMap<string, unknown>): readonly number[] =>
  Array.from({ length: EACH }, (_, number) => number).filter((number) => !seen.has(`soak ${number}`));

/** Numbers that follow each other, also with others between them, as their first and last. */
function rangesOf(numbers: readonly number[]): string {
  const starts = numbers.filter((number, index) => index === 0 || number - (numbers[index - 1] ?? 0) > 3);
  const ends = numbers.filter((number, index) => (numbers[index + 1] ?? Infinity) - number > 3);
  return starts.map((start, index) => `${start}-${ends[index]}`).join();
}

describe('updates and the processes that take them', () => {
  let telegram: TestTelegram;
  let dir: string;
  let postgres: EmbeddedPostgres;
  let databaseUrl: string;
  let receiver: Receiver;
  let product: ProductProcess;
  let friends: readonly number[];
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

  const login = async (number: number, appId: unknown): Promise<Omit<Followed, 'webhook' | 'stream' | 'read'>> => {
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
    const isOrdered = number % 4 < 2;
    const order = isOrdered ? 'chat' : 'none';
    const webhook = await product.must('POST', at, { url: receiver.url, filters, order });
    if (isOrdered) taken.set(webhook['id'], new Set());
    const stream = await product.must('POST', at, { kind: 'stream', filters });
    return {
      ...session,
      webhook: String(webhook['id']),
      stream: String(stream['id']),
      read: { after: '0', seen: new Map() },
    };
  };

  /** The ids under which each text was seen; goes on where it was before. */
  const streamed = async ({ path, stream, read }: Followed): Promise<Map<string, Set<string>>> => {
    for (;;) {
      const at = `${path}/updates/subscriptions/${stream}/events?limit=1000&after=${read.after}`;
      const { body } = await product.ask('GET', at);
      const events = body.result as unknown as readonly StreamEvent[];
      for (const { id, update } of events) note(read.seen, textOf(update), id);
      if (events.length === 0) return read.seen;
      read.after = events.at(-1)?.cursor ?? read.after;
    }
  };
  const note = (seen: Map<string, Set<string>>, text: string | undefined, id: unknown): void => {
    if (text?.startsWith('soak ') !== true) return;
    seen.set(text, (seen.get(text) ?? new Set()).add(String(id)));
  };
  /** What a webhook has got; each request is looked at once: whoever looks is also the Telegram that has to answer. */
  const posted = new Map<unknown, Map<string, Set<string>>>();
  let looked = 0;
  const received = ({ webhook }: Followed): Map<string, Set<string>> => {
    for (; looked < receiver.received.length; looked += 1) {
      const { headers = {}, update = {} } = receiver.received[looked] ?? {};
      const id = headers['x-tgcontrol-subscription'];
      const seen = posted.get(id) ?? new Map<string, Set<string>>();
      posted.set(id, seen);
      note(seen, textOf(update), headers['x-tgcontrol-delivery']);
    }
    return posted.get(webhook) ?? new Map<string, Set<string>>();
  };

  /** By subscription in order: the numbers that were taken. */
  const taken = new Map<unknown, Set<number>>();
  const refused = new Set<string>();
  /** What came while the one before it in its chat was not taken. */
  const overtaking: string[] = [];
  const answer = (response: ServerResponse, { headers, update }: Received): void => {
    const id = headers['x-tgcontrol-subscription'];
    const ofThis = taken.get(id);
    const number = Number(/^soak (\d+)$/.exec(textOf(update) ?? '')?.[1]);
    if (ofThis === undefined || Number.isNaN(number)) {
      response.end();
      return;
    }
    const name = `${String(id)} ${number}`;
    if (number >= CHATS && !ofThis.has(number - CHATS)) overtaking.push(name);
    if (isRefusedOnce(number) && !refused.has(name)) {
      refused.add(name);
      response.statusCode = 500;
    } else {
      ofThis.add(number);
    }
    response.end();
  };

  /** How far one came, for whoever looks into a failure. */
  const progressOf = async (each: Followed): Promise<object> => ({
    ...{
      path: each.path,
      notPosted: rangesOf(lostOf(received(each))),
      notStreamed: rangesOf(lostOf(await streamed(each))),
    },
    session: await product.must('GET', each.path),
    conflicts: telegram.control.keyConflicts().length,
    webhook: await product.must('GET', `${each.path}/updates/subscriptions/${each.webhook}`),
  });

  beforeAll(async () => {
    telegram = await startTelegram();
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-soak-'));
    await startPostgres();
    receiver = await Receiver.start();
    receiver.answer = answer;
    friends = ['1555069998', '1555069999'].map(
      (phone) => telegram.control.createAccount({ phone, firstName: 'F' }).userId,
    );
    product = await start();
  }, 180_000);

  afterAll(async () => {
    await product.end('SIGTERM');
    await receiver.stop();
    await postgres.stop();
    await telegram.stop();
    rmSync(dir, { recursive: true, force: true });
  }, 180_000);

  it(
    'all reach webhook and stream over SIGKILLs, refusals and a restart of PostgreSQL, what comes twice under one id, and none overtaking where that is asked',
    async () => {
      const { app_id: appId } = await product.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
      const followed: Followed[] = [];
      for (let number = 0; number < SESSIONS; number += 1) followed.push(await follow(number, appId));
      const admins = [...friends, ...followed.map(({ account }) => account)];
      const { chatId: group } = telegram.control.createChat({ type: 'supergroup', title: 'S', admins });
      let pushed = 0;
      const push = async (upTo: number): Promise<void> => {
        for (; pushed < upTo; pushed += 1) {
          // The sandbox lives in this process: let it send.
          await new Promise((resolve) => setImmediate(resolve));
          const text = `soak ${pushed}`;
          const [from] = friends.slice(pushed % CHATS);
          // Private chats share one sequence of numbers, a supergroup has its own.
          if (from === undefined) await telegram.control.sendMessage({ chatId: group, from: friends[0], text });
          else for (const { account } of followed) await telegram.control.sendMessage({ chatId: account, from, text });
        }
      };
      const missing = async (): Promise<number> => {
        const counts = await Promise.all(
          followed.map(async (each) => lostOf(received(each)).length + lostOf(await streamed(each)).length),
        );
        return counts.reduce((sum, count) => sum + count, 0);
      };
      const killAndStart = async (kill: number): Promise<void> => {
        await product.end('SIGKILL');
        if (kill === Math.floor(KILLS / 2)) {
          await postgres.stop();
          await startPostgres();
        }
        product = await start();
        await new Promise((resolve) => setTimeout(resolve, LIFE_MS));
      };
      const share = EACH / (KILLS + 1);
      for (let kill = 0; kill < KILLS; kill += 1) {
        await push(Math.ceil((kill + 0.5) * share));
        await until('a refusal, whose repeat waits then', () => refused.size > 0);
        // Right in the flood; what follows comes while nobody is there.
        await Promise.all([killAndStart(kill), push(Math.ceil((kill + 1) * share))]);
      }
      await push(EACH);
      // What follows says what is missing.
      const patience = performance.now() + 60_000 + MESSAGES * 20;
      while ((await missing()) > 0 && performance.now() < patience) await new Promise((go) => setTimeout(go, 500));
      if ((await missing()) > 0)
        process.stdout.write(`${JSON.stringify(await Promise.all(followed.map(progressOf)))}\n`);
      for (const each of followed) {
        for (const seen of [received(each), await streamed(each)]) {
          expect(lostOf(seen)).toEqual([]);
          expect([...seen.values()].filter(({ size }) => size > 1)).toEqual([]);
        }
      }
      expect(overtaking).toEqual([]);
      expect(refused.size).toBeGreaterThanOrEqual(CHATS * taken.size);
      const requests = receiver.received.filter(({ update }) => textOf(update)?.startsWith('soak ')).length;
      process.stdout.write(
        `${EACH * SESSIONS} in, each out, ${KILLS} kills, ${refused.size} refused, ${requests - EACH * SESSIONS} posted again\n`,
      );
    },
    180_000 + MESSAGES * 60,
  );
});
