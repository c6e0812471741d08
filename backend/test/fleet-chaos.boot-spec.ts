import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type TestDatabase } from './support/database.js';
import type { StreamEvent } from './support/events.js';
import { textContent } from './support/messages.js';
import { ProductProcess } from './support/process.js';
import { textOf } from './support/receiver.js';
import { seeded } from './support/seeded.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { Wire } from './support/wire.js';

/** By hand: FLEET_CHAOS_SECONDS=30; the long way with 900, FLEET_CHAOS_SESSIONS=60 FLEET_CHAOS_WORKERS=3 FLEET_CHAOS_GATEWAYS=2. */
const SECONDS = Number(process.env['FLEET_CHAOS_SECONDS'] ?? 0);
const SESSIONS = Number(process.env['FLEET_CHAOS_SESSIONS'] ?? 4);
const WORKERS = Number(process.env['FLEET_CHAOS_WORKERS'] ?? 2);
const GATEWAYS = Number(process.env['FLEET_CHAOS_GATEWAYS'] ?? 1);
/** The same one makes the same faults in the same order. */
const SEED = Number(process.env['FLEET_CHAOS_SEED'] ?? 1);

jest.setTimeout(600_000 + SECONDS * 2_000);

const FAULTS = ['kill', 'stop', 'end', 'database', 'join'] as const;
type Fault = (typeof FAULTS)[number];

interface Session {
  readonly path: string;
  readonly account: number;
  readonly chat: number;
  readonly stream: string;
}

/** A message that somebody was told something about. */
interface Told {
  readonly session: Session;
  readonly text: string;
  /** `unknown` when nobody can say. */
  readonly status: 'sent' | 'failed' | 'unknown';
}

(SECONDS > 0 ? describe : describe.skip)('a fleet in chaos', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let dataDir: string;
  let wire: Wire;
  let wired: string;
  const workers = new Map<string, ProductProcess>();
  const gateways: ProductProcess[] = [];
  const record: string[] = [];
  const random = seeded(SEED);
  let began = 0;
  let turn = 0;

  const note = (text: string): void => void record.push(`${((Date.now() - began) / 1_000).toFixed(1)} s ${text}`);
  const pick = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(random() * values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  };
  const startWorker = async (id: string): Promise<void> => {
    workers.set(
      id,
      await ProductProcess.start('worker', {
        ...telegram.env,
        DATABASE_URL: wired,
        DATA_DIR: dataDir,
        WORKER_ID: id,
        LOG_LEVEL: 'fatal',
      }),
    );
  };
  const gateway = (): ProductProcess => {
    const next = gateways[(turn += 1) % gateways.length];
    if (next === undefined) throw new Error('no gateway');
    return next;
  };
  /** Asks until there is an answer that is not about the fleet. */
  const settled = (what: string, method: string, path: string, body: object): Promise<Record<string, unknown>> =>
    until(what, async () => (await gateway().ask(method, path, body)).body.result, 120_000);

  const login = async (number: number, app_id: unknown): Promise<Session> => {
    const { userId, token } = telegram.control.createBot({ username: `chaos_${number}_bot` });
    // A login whose answer did not come in time has been made nevertheless.
    const id = await until(
      'the login',
      async () => {
        const { body } = await gateway().ask('POST', '/v1/bot', { token, app_id });
        return body.result?.['id'] ?? body.error?.['session_id'];
      },
      120_000,
    );
    const path = `/v1/bot/${String(id)}`;
    const { chatId } = telegram.control.createChat({ type: 'channel', title: 'News', admins: [userId] });
    await settled('the chat', 'POST', `${path}/call`, { method: 'getChat', params: { chat_id: chatId } });
    const filters = { types: ['updateNewMessage'] };
    const stream = await settled('the stream', 'POST', `${path}/updates/subscriptions`, { kind: 'stream', filters });
    return { path, account: userId, chat: chatId, stream: String(stream['id']) };
  };

  const commit: Readonly<Record<Fault, () => Promise<void>>> = {
    kill: async () => {
      const id = pick([...workers.keys()]);
      note(`SIGKILL to ${id}`);
      await workers.get(id)?.end('SIGKILL');
      await startWorker(id);
    },
    stop: async () => {
      const id = pick([...workers.keys()]);
      const seconds = 1 + random() * 7;
      note(`SIGSTOP to ${id} for ${seconds.toFixed(1)} s`);
      const worker = workers.get(id);
      if (worker === undefined) return;
      process.kill(worker.pid, 'SIGSTOP');
      await sleep(seconds * 1_000);
      process.kill(worker.pid, 'SIGCONT');
      // Whether its watchdog ends it shows within a moment; a supervisor would start it again.
      await sleep(1_000);
      if (worker.hasEnded) {
        note(`${id} was ended by its watchdog`);
        await startWorker(id);
      }
    },
    end: async () => {
      const id = pick([...workers.keys()]);
      note(`SIGTERM to ${id}`);
      const worker = workers.get(id);
      const code = await worker?.end('SIGTERM');
      // Its watchdog may have been first, after what was done to it before.
      if (code !== 0) expect(worker?.output).toContain('was not renewed');
      await startWorker(id);
    },
    database: async () => {
      const seconds = 1 + random() * 4;
      note(`the database is away for ${seconds.toFixed(1)} s`);
      wire.cut();
      await sleep(seconds * 1_000);
      await wire.open(Number(new URL(wired).port));
    },
    join: async () => {
      note('a worker joins, and leaves after 3 s');
      await startWorker('guest');
      await sleep(3_000);
      await workers.get('guest')?.end('SIGTERM');
      workers.delete('guest');
    },
  };

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tgcontrol-chaos-'));
    wire = new Wire(new URL(database.url));
    wired = await wire.open();
    for (let number = 1; number <= WORKERS; number += 1) await startWorker(`w${number}`);
    for (let number = 1; number <= GATEWAYS; number += 1) {
      gateways.push(await ProductProcess.start('gateway', { DATABASE_URL: wired, DATA_DIR: `${dataDir}/gateway` }));
    }
  });

  afterAll(async () => {
    await Promise.all([...gateways, ...workers.values()].map((each) => each.end('SIGTERM')));
    wire.cut();
    await telegram.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('uses no key twice, doubles and loses no send, stores every update, and has every session back', async () => {
    const { app_id } = await settled('the app', 'POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
    const friend = telegram.control.createAccount({ phone: '1555080000', firstName: 'F' }).userId;
    const sessions: Session[] = [];
    for (let number = 0; number < SESSIONS; number += 1) sessions.push(await login(number, app_id));

    began = Date.now();
    const over = new AbortController();
    let calls = 0;
    let refusals = 0;
    const told: Told[] = [];
    let sent = 0;
    /** Sends with a key, again and again with the same one, until it is told what became of it. */
    const sendOne = async (session: Session): Promise<void> => {
      const text = `chaos ${(sent += 1)}`;
      const body = {
        method: 'sendMessage',
        params: { chat_id: session.chat, input_message_content: textContent(text) },
      };
      const status = await until(
        `what became of ${text}`,
        async () => {
          const answer = await gateway().ask('POST', `${session.path}/call?wait=20`, body, { 'idempotency-key': text });
          const { body: told } = answer;
          if (answer.status === 409 && told.error?.['code'] === 'idempotency_outcome_unknown')
            return 'unknown' as const;
          const [send] = told.sends ?? [];
          if (answer.status !== 200) refusals += 1;
          const seen = send?.['status'];
          return seen === 'sent' || seen === 'failed' || seen === 'unknown' ? seen : undefined;
        },
        120_000,
      );
      told.push({ session, text, status });
    };
    const lanes = sessions.map(async (session) => {
      while (!over.signal.aborted) {
        await sendOne(session);
        const { status } = await gateway().ask('POST', `${session.path}/call`, { method: 'getMe' });
        if (status === 200) calls += 1;
        else refusals += 1;
        await sleep(100);
      }
    });
    let received = 0;
    const incoming = (async () => {
      while (!over.signal.aborted) {
        received += 1;
        for (const { account } of sessions) {
          await telegram.control.sendMessage({ chatId: account, from: friend, text: `in ${received}` });
        }
        await sleep(200);
      }
    })();

    let faults = 0;
    while (Date.now() - began < SECONDS * 1_000) {
      // Each kind once, in an order that the seed makes, before any comes again.
      const kinds = FAULTS.map((kind) => ({ kind, at: random() })).toSorted((a, b) => a.at - b.at);
      for (const { kind } of kinds) {
        if (Date.now() - began >= SECONDS * 1_000) break;
        await commit[kind]();
        faults += 1;
        await sleep(500);
      }
    }
    note('over');
    over.abort();
    await Promise.all([...lanes, incoming]);

    const count = (status: Told['status']): number => told.filter((each) => each.status === status).length;
    process.stdout.write(
      `${[
        `seed ${SEED}: ${faults} faults, ${SESSIONS} sessions, ${WORKERS} workers, ${GATEWAYS} gateways`,
        ...record,
        `${calls} calls answered, ${refusals} answers asked for again, ${received * SESSIONS} updates came`,
        `sends: ${count('sent')} sent, ${count('failed')} failed, ${count('unknown')} unknown`,
      ].join('\n')}\n`,
    );

    for (const { path, account } of sessions) {
      const me = await settled('every session back', 'POST', `${path}/call`, { method: 'getMe' });
      expect(me).toMatchObject({ id: account });
    }
    expect(telegram.control.keyConflicts()).toEqual([]);
    const wrong: object[] = [];
    for (const session of sessions) {
      const texts = (await telegram.control.messages({ chatId: session.chat, account: session.account })).map(
        ({ text }) => text,
      );
      for (const { text, status } of told.filter((each) => each.session === session)) {
        const count = texts.filter((each) => each === text).length;
        const isRight = status === 'sent' ? count === 1 : status === 'failed' ? count === 0 : count <= 1;
        if (!isRight) wrong.push({ text, status, count });
      }
    }
    expect(wrong).toEqual([]);
    for (const { path, stream } of sessions) {
      const seen = new Set<string | undefined>();
      let after = '0';
      await until(`every update of ${path}`, async () => {
        const at = `${path}/updates/subscriptions/${stream}/events?limit=1000&after=${after}`;
        const events = (await gateway().ask('GET', at)).body.result as unknown as readonly StreamEvent[] | undefined;
        for (const { update, cursor } of events ?? []) {
          seen.add(textOf(update));
          after = cursor;
        }
        const missing = Array.from({ length: received }, (_, n) => `in ${n + 1}`).filter((text) => !seen.has(text));
        if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`);
        return true;
      });
    }
  });
});
