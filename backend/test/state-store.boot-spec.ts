import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type TestDatabase } from './support/database.js';
import { textContent } from './support/messages.js';
import { startOwnS3 } from './support/own-s3.js';
import { ProductProcess } from './support/process.js';
import { startOtherS3, type StoreS3 } from './support/s3rver.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { TestHost } from './support/test-host.js';
import { until } from './support/until.js';

/** `other` is npm's s3rver, `own` a pool of ours behind our S3 endpoint; by hand: HOSTS_STORES=other,own. */
const STORES = (process.env['HOSTS_STORES'] ?? 'other').split(',');

interface StateRow {
  readonly session_id: string;
  readonly key: string | null;
  readonly is_whole: boolean | null;
}

jest.setTimeout(300_000);

/** A host is a worker with a DATA_DIR of its own: nothing on its disk is seen by another one. */
describe.each(STORES)('sessions of hosts that share no disk (store: %s)', (kind) => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let s3: StoreS3;
  let dir: string;
  let gateway: ProductProcess;
  let appId: unknown;
  let accounts = 0;
  const hosts: ProductProcess[] = [];
  const ending: (() => unknown)[] = [];

  /** @param on the machine that it is on, when that is another one than the test's */
  const host = async (
    name: string,
    { saveEvery = '1h', on }: { readonly saveEvery?: string; readonly on?: TestHost } = {},
  ): Promise<ProductProcess> => {
    const reach = (url: string): Promise<string> => on?.reach(url) ?? Promise.resolve(url);
    const started = await ProductProcess.start(
      'worker',
      {
        ...telegram.env,
        ...s3.credentials('STATE_STORE'),
        DEFAULT_PROXY: await reach(telegram.sandbox.env.DEFAULT_PROXY),
        STATE_STORE: s3.url(await reach(s3.endpoint)),
        STATE_SAVE_EVERY: saveEvery,
        DATABASE_URL: await reach(database.url),
        DATA_DIR: join(dir, name),
        WORKER_ID: name,
      },
      on?.wrapper,
      on?.address,
    );
    hosts.push(started);
    return started;
  };
  const loginBot = async (): Promise<string> => {
    accounts += 1;
    const { token } = telegram.control.createBot({ username: `roaming_${accounts}_bot` });
    const { id } = await gateway.must('POST', '/v1/bot', { token, app_id: appId });
    return `/v1/bot/${String(id)}`;
  };
  const loginUser = async (): Promise<string> => {
    accounts += 1;
    const phone = `1555081${String(accounts).padStart(4, '0')}`;
    telegram.control.createAccount({ phone, firstName: 'A' });
    const { id } = await gateway.must('POST', '/v1/user', { app_id: appId, phone });
    const path = `/v1/user/${String(id)}`;
    await gateway.must('POST', `${path}/login/code`, { code: telegram.control.newestCode(phone) });
    return path;
  };
  const idOf = (path: string): string => path.split('/').at(-1) ?? '';
  const answers = (path: string, worker: string): Promise<unknown> =>
    until(`${path} on ${worker}`, async () => {
      const { status } = await gateway.ask('POST', `${path}/call`, { method: 'getMe' });
      return status === 200 && (await gateway.must('GET', path))['worker_id'] === worker;
    });
  const logins = (): number =>
    ['auth.importBotAuthorization', 'auth.signIn'].reduce(
      (sum, method) => sum + telegram.control.journal({ method }).length,
      0,
    );
  const states = (): Promise<StateRow[]> =>
    database.query<StateRow>('SELECT * FROM session_states ORDER BY session_id');

  beforeAll(async () => {
    telegram = await startTelegram();
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-hosts-'));
    s3 = kind === 'own' ? await startOwnS3(telegram, dir) : await startOtherS3();
    database = await createDatabase();
    gateway = await ProductProcess.start('gateway', { DATABASE_URL: database.url, DATA_DIR: join(dir, 'gateway') });
  });

  afterEach(async () => {
    for (const end of ending.splice(0)) await end();
    for (const each of hosts.splice(0)) await each.end('SIGTERM');
  });

  afterAll(async () => {
    await gateway.end('SIGTERM');
    await database.drop();
    await s3.stop();
    await telegram.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('go on elsewhere when theirs is cut off right after their login, and come back to what they have become', async () => {
    const machine = TestHost.create();
    ending.push(() => machine.remove());
    const a = await host('a', { on: machine });
    const created = await until('the worker', async () => {
      const answer = await gateway.ask('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
      return answer.status === 200 && answer.body.result;
    });
    appId = created['app_id'];
    const paths = [await loginBot(), await loginUser()];
    // Nothing but what the login has waited for: no other save is due for an hour.
    // Cut off from the database, it ends before others may claim what it holds: there is no lock between hosts.
    machine.cut();
    expect(await a.ended()).toBe('SIGKILL');
    const before = logins();
    const b = await host('b');
    for (const path of paths) await answers(path, 'b');
    expect(logins()).toBe(before);

    // Host a comes back with its old disk, and b ends: what a has there is older than what b had.
    const binlog = (path: string): number => statSync(join(dir, 'a', 'sessions', idOf(path), 'db', 'td.binlog')).ino;
    const old = paths.map(binlog);
    await host('a');
    const [moved = ''] = paths;
    await until('the move of one', async () => {
      // It may be given a fair share by itself.
      if ((await gateway.ask('GET', moved)).body.result?.['worker_id'] === 'a') return true;
      return (await gateway.ask('POST', `${moved}/move`, { worker_id: 'a' })).status === 200;
    });
    expect(await b.end('SIGTERM')).toBe(0);
    for (const path of paths) await answers(path, 'a');
    expect(logins()).toBe(before);
    for (const [index, path] of paths.entries()) expect(binlog(path)).not.toBe(old[index]);
    expect(telegram.control.keyConflicts()).toEqual([]);
  });

  it('are saved whole while they work, lose at most what came after that, and leave nothing in the store when they are removed', async () => {
    const c = await host('c', { saveEvery: '300ms' });
    const path = await until('a login on it', () => loginBot());
    const { chatId } = telegram.control.createChat({ type: 'channel', title: 'News', admins: [await accountOf(path)] });
    await gateway.must('POST', `${path}/call`, { method: 'getChat', params: { chat_id: chatId } });
    let sent = 0;
    const loading = new AbortController();
    const load = (async () => {
      while (!loading.signal.aborted) {
        const content = { chat_id: chatId, input_message_content: textContent(`load ${sent}`) };
        const { status } = await gateway.ask('POST', `${path}/call`, { method: 'sendMessage', params: content });
        if (status === 200) sent += 1;
        else await sleep(20);
      }
    })();
    ending.push(() => {
      loading.abort();
      return load;
    });
    const seen = new Set<string>();
    await until('three whole snapshots under load', async () => {
      const row = (await states()).find(({ session_id }) => session_id === idOf(path));
      if (row?.key != null && row.is_whole === true) seen.add(row.key);
      return seen.size >= 3;
    });
    const before = logins();
    await c.end('SIGKILL');
    loading.abort();
    await load;
    rmSync(join(dir, 'c'), { recursive: true });
    await host('d', { saveEvery: '300ms' });
    await answers(path, 'd');
    expect(logins()).toBe(before);
    // What was under way is sent once more with the number it had: Telegram takes it once.
    const call = await gateway.ask('POST', `${path}/call?wait=30`, {
      method: 'sendMessage',
      params: { chat_id: chatId, input_message_content: textContent('after') },
    });
    expect(call.body.sends).toMatchObject([{ status: 'sent' }]);
    const texts = (await telegram.control.messages({ chatId })).map(({ text }) => text);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts).toContain('after');
    expect(telegram.control.keyConflicts()).toEqual([]);
    // Removed, it leaves nothing in the store.
    await gateway.must('DELETE', path);
    expect((await states()).map(({ session_id }) => session_id)).not.toContain(idOf(path));
    expect((await s3.keys()).filter((key) => key.includes('.state') && key.includes(idOf(path)))).toEqual([]);
  });

  async function accountOf(path: string): Promise<number> {
    const me = await gateway.must('POST', `${path}/call`, { method: 'getMe' });
    return Number(me['id']);
  }
});
