import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { generatedPieces } from '@tgcontrol/sandbox';
import { CALLER_HEADER, CallerSignature } from '../src/common/cluster/caller-signature.js';
import { requireUnlocked } from '../src/telegram/index.js';
import { CLUSTER_TOKEN, cluster, master } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { EventStream } from './support/events.js';
import { ProductProcess } from './support/process.js';
import { textOf } from './support/receiver.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { onLoadedMachine, until } from './support/until.js';

/** How long a worker is stopped after its sessions were claimed, in milliseconds. */
const STOPPED_MS = Number(process.env['FLEET_STOPPED_MS'] ?? 1_000);

const MIB = 1024 * 1024;

jest.setTimeout(300_000);

const FREEZES = `--import=${join(__dirname, 'support', 'freeze-on-signal.mjs')}`;

/** What of td_api's `file` names it in any session of its account. */
interface TdFileOfEvent {
  readonly remote: { readonly id: string };
}

interface Bot {
  readonly id: string;
  readonly path: string;
  readonly userId: number;
}

describe('a fleet on one volume', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let dataDir: string;
  let gateway: ProductProcess;
  let appId: unknown;
  /** Gateways look for workers once a second. */
  const made = (path: string, body: object): Promise<Record<string, unknown>> =>
    until(path, async () => {
      const { body: answer } = await gateway.ask('POST', path, body);
      if (answer.error?.['code'] === 'no_live_worker') return undefined;
      expect(answer).toMatchObject({ ok: true });
      return answer.result;
    });
  const running: ProductProcess[] = [];
  let first: ProductProcess;
  let second: ProductProcess;
  let moved: Bot;
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
  const newBot = async (): Promise<Bot> => {
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
  const refused = async (method: string, path: string, body: object): Promise<unknown> =>
    (await gateway.ask(method, path, body)).body.error;
  const listed = async (id: string): Promise<Record<string, unknown>> => {
    const { body } = await gateway.ask('GET', '/v1/sessions');
    const rows = (body.result ?? []) as unknown as readonly Record<string, unknown>[];
    return rows.find((row) => row['id'] === id) ?? {};
  };
  const owners = (sessions: readonly { readonly id: string }[], expected: readonly string[]): Promise<unknown> =>
    until(`owners ${expected.join(', ')}`, async () => {
      const found = await Promise.all(sessions.map(async ({ id }) => (await listed(id))['worker_id']));
      return JSON.stringify(found) === JSON.stringify(expected);
    });
  const sessionCounts = async (): Promise<ReadonlyMap<unknown, unknown>> => {
    const workers = (await gateway.must('GET', '/v1/workers')) as unknown as readonly Record<string, unknown>[];
    return new Map(workers.map(({ id, sessions }) => [id, sessions]));
  };

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tgcontrol-fleet-'));
    gateway = await ProductProcess.start('gateway', { DATABASE_URL: database.url, DATA_DIR: `${dataDir}/gateway` });
  });

  afterAll(async () => {
    await Promise.all([gateway, ...running].map((each) => each.end('SIGTERM')));
    await telegram.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('sessions move where they are told to, leave a drained worker, and are shared out again', async () => {
    first = await startWorker('first');
    moved = await newBot();
    const others = [await newBot(), await newBot(), await newBot()];
    const all = [moved, ...others];
    expect(await refused('POST', `${moved.path}/move`, {})).toMatchObject({ code: 'no_live_worker' });
    expect(await refused('POST', `${moved.path}/move`, { worker_id: 'nobody' })).toMatchObject({
      code: 'worker_not_found',
    });
    second = await startWorker('second', { NODE_OPTIONS: FREEZES });
    // A call at a time to each, all the while: what it is refused with is that the session moves.
    let isOver = false;
    const refusals = new Set<unknown>();
    const load = all.map(async ({ path }) => {
      while (!isOver) {
        const { status, body } = await gateway.ask('POST', `${path}/call`, { method: 'getMe' });
        if (status !== 200) refusals.add(body.error?.['code']);
        await sleep(50);
      }
    });
    try {
      expect(await gateway.must('POST', `${moved.path}/move`, { worker_id: 'second' })).toEqual({
        worker_id: 'second',
      });
      await owners(all, ['second', 'first', 'first', 'first']);

      expect(await gateway.must('POST', '/v1/workers/first/drain')).toMatchObject({ id: 'first', draining: true });
      await owners(all, ['second', 'second', 'second', 'second']);
      const workers = (await gateway.must('GET', '/v1/workers')) as unknown as Record<string, unknown>[];
      expect(workers.find(({ id }) => id === 'first')).toMatchObject({ draining: true, sessions: 0, alive: true });
      await getMe(moved.path);
      expect(await refused('POST', `${moved.path}/move`, { worker_id: 'first' })).toMatchObject({
        details: { reason: 'it is being drained' },
      });

      await gateway.must('POST', '/v1/workers/first/undrain');
      // It counts as one that has only just come until it is some seconds old.
      await until('shares', async () => {
        const counts = await sessionCounts();
        return counts.get('first') === 2 && counts.get('second') === 2;
      });
    } finally {
      isOver = true;
      await Promise.all(load);
    }
    for (const bot of all) expect(await getMe(bot.path)).toMatchObject({ id: bot.userId });
    // What is between two workers has none for a moment.
    for (const code of refusals) expect(['session_moving', 'no_live_worker', 'session_not_ready']).toContain(code);
    expect(telegram.control.keyConflicts()).toEqual([]);
  });

  it('a worker that was stopped answers nothing when it goes on, and no key is used twice', async () => {
    // Its lease has long run out when it goes on.
    await getMe(moved.path);
    await gateway.must('POST', `${moved.path}/move`, { worker_id: 'first' });
    expect(await getMe(moved.path)).toMatchObject({ id: moved.userId });
    process.kill(first.pid, 'SIGSTOP');
    // One that has waited in its socket all the while.
    const asked = askDirectly(first, moved.id).then(
      ({ status }) => status,
      () => 'broken off',
    );
    const waiting = await until('the heir to say what it waits for', async () => {
      const row = await listed(moved.id);
      return row['worker_id'] === 'second' && row['health'] === 'down' && String(row['health_cause']);
    });
    expect(waiting).toMatch(/^waiting for first, /);
    // TDLib itself would wait with the file open, and get the lock of a file that has been replaced meanwhile.
    const directory = join(dataDir, 'sessions', moved.id, 'db');
    await expect(requireUnlocked(directory)).rejects.toThrow(/^Can't lock file/);
    await sleep(STOPPED_MS);
    process.kill(first.pid, 'SIGCONT');
    expect(await asked).not.toBe(200);
    expect(await getMe(moved.path)).toMatchObject({ id: moved.userId });
    expect(await listed(moved.id)).toMatchObject({ worker_id: 'second' });
    expect(telegram.control.keyConflicts()).toEqual([]);
  });

  it('a worker whose event loop is frozen is ended before its lease ends, and its sessions answer elsewhere', async () => {
    await startWorker('third');
    // The first may have lived on: what it holds stays with it.
    await first.end('SIGTERM');
    expect(second.output).not.toContain('was not renewed');
    process.kill(second.pid, 'SIGUSR2');
    expect(await second.ended()).toBe('SIGKILL');
    const [, left] = /the lease of worker second was not renewed and ends in (-?\d+) ms/.exec(second.output) ?? [];
    // Half a second by itself; a machine that gives the thread no time takes some of it.
    expect(Number(left)).toBeGreaterThan(500 - onLoadedMachine(500));
    expect(Number(left)).toBeLessThanOrEqual(500);
    expect(await getMe(moved.path)).toMatchObject({ id: moved.userId });
    expect(await listed(moved.id)).toMatchObject({ worker_id: 'third' });
    expect(telegram.control.keyConflicts()).toEqual([]);
  });

  it('a worker whose clock is five minutes off says so, keeps its sessions all the same and takes none from others', async () => {
    const shift = pathToFileURL(join(__dirname, 'support', 'shift-clock.mjs')).href;
    const right = await startWorker('right');
    const skewed = await startWorker('skewed', { NODE_OPTIONS: `--import=${shift}?ms=300000` });
    const bots = [await newBot(), await newBot()];
    const ids = ['right', 'skewed'];
    for (const [at, { id, path }] of bots.entries()) {
      await getMe(path);
      if ((await listed(id))['worker_id'] !== ids[at]) {
        await gateway.must('POST', `${path}/move`, { worker_id: ids[at] });
      }
      await getMe(path);
    }
    const logins = (): number => telegram.control.journal({ method: 'auth.importBotAuthorization' }).length;
    const before = logins();
    const ready = await skewed.ask('GET', '/readyz');
    expect([ready.status, ready.body.error?.['details']]).toEqual([
      503,
      {
        causes: {
          clock: expect.stringMatching(/^the clock of this machine is (299|300|301) s ahead of .*timedatectl/),
        },
      },
    ]);
    // Longer than a lease: whoever took it for ended would have claimed the other's.
    const began = performance.now();
    await until('more than a lease', async () => {
      const workers = (await gateway.must('GET', '/v1/workers')) as unknown as readonly Record<string, unknown>[];
      for (const id of ids) expect(workers.find((worker) => worker['id'] === id)).toMatchObject({ alive: true });
      return performance.now() - began > 7_000;
    });
    for (const { path, userId } of bots) expect(await getMe(path)).toMatchObject({ id: userId });
    // What is shared out anew is handed over, and not taken.
    for (const { output } of [right, skewed]) expect(output).not.toContain('no longer ours');
    expect(logins()).toBe(before);
    expect(telegram.control.keyConflicts()).toEqual([]);
  });

  it('a stream goes on, and a download ends cut and resumes, when the worker that has their session ends', async () => {
    const { control } = telegram;
    const ending = await startWorker('ending');
    await startWorker('heir');
    const bot = await newBot();
    await getMe(bot.path);
    if ((await listed(bot.id))['worker_id'] !== 'ending') {
      await gateway.must('POST', `${bot.path}/move`, { worker_id: 'ending' });
      await getMe(bot.path);
    }
    const friend = control.createAccount({ phone: '15550810000', firstName: 'F' }).userId;
    const said: string[] = [];
    const say = async (text: string): Promise<void> => {
      said.push(text);
      await control.sendMessage({ chatId: bot.userId, from: friend, text });
    };
    const subscription = await gateway.must('POST', `${bot.path}/updates/subscriptions`, {
      kind: 'stream',
      filters: { types: ['updateNewMessage'] },
    });
    const stream = EventStream.open(
      `${gateway.url}${bot.path}/updates/subscriptions/${String(subscription['id'])}/events`,
    );
    const heard = (): unknown[] => stream.events.flatMap(({ update }) => textOf(update) ?? []);
    await say('before');
    await until('the first event', () => heard().length === 1);

    const size = 30 * MIB;
    await control.sendMessage({ chatId: bot.userId, from: friend, document: { size, name: 'moved.bin' } });
    const file = await until('the file', () =>
      stream.events
        .map(
          ({ update }) => update as unknown as { message?: { content?: { document?: { document: TdFileOfEvent } } } },
        )
        .map(({ message }) => message?.content?.document?.document)
        .find((document) => document !== undefined),
    );
    const url = `${gateway.url}${bot.path}/files/any?remote_id=${encodeURIComponent(file.remote.id)}`;
    const get = (headers: Record<string, string>): Promise<Response> =>
      fetch(url, { headers: { ...master, ...headers } });
    const hash = createHash('sha256');
    let taken = 0;
    const read = async ({ body }: Response): Promise<void> => {
      for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
        hash.update(piece);
        taken += piece.length;
      }
    };
    control.addFault({ method: 'upload.getFile', delayMs: 200 });
    const begun = await get({});
    expect(begun.status).toBe(200);
    const etag = begun.headers.get('etag') ?? '';
    const reading = read(begun);
    reading.catch(() => undefined);
    await until('some bytes', () => taken > 0);
    const end = ending.end('SIGTERM');
    await say('while its worker ends');
    expect(await end).toBe(0);
    control.removeFault();
    await expect(reading).rejects.toThrow();
    expect(taken).toBeLessThan(size);
    const rest = await until('the rest', async () => {
      const answer = await get({ range: `bytes=${taken}-`, 'if-range': etag });
      if (answer.status !== 206) await answer.body?.cancel();
      return answer.status === 206 && answer;
    });
    await read(rest);
    const whole = createHash('sha256');
    for (const piece of generatedPieces(size)) whole.update(piece);
    expect([taken, hash.digest('hex')]).toEqual([size, whole.digest('hex')]);

    await say('after');
    // Its gateway lives: to who listens nothing has happened.
    await until('every event', () => heard().length >= said.length);
    expect(heard()).toEqual(said);
    expect(stream.isOver).toBe(false);
    stream.close();
    expect(control.keyConflicts()).toEqual([]);
  });
});
