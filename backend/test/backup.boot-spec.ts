import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testEnv } from './support/app.js';
import { command, type Said } from './support/command.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { textContent } from './support/messages.js';
import { ProductProcess } from './support/process.js';
import { ServerProcess } from './support/server-process.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

/** One installation through its life, its copies beside it: each test goes on from the one before. */
describe('a backup and the copies that are made of it', () => {
  let telegram: TestTelegram;
  let dir: string;
  let originalDatabase: TestDatabase;
  let otherDatabase: TestDatabase;
  let original: ProductProcess;
  let copy: ProductProcess | undefined;
  let bot: string;
  let user: string;
  let stopped: string;
  let loginsBefore: number;

  const backups = (): NodeJS.ProcessEnv => ({
    BACKUP_STORE: `file://${join(dir, 'backups')}`,
    BACKUP_KEY: Buffer.alloc(32, 5).toString('base64'),
    BACKUP_FENCE_EVERY: '500ms',
  });
  const ofOriginal = (): NodeJS.ProcessEnv => ({
    ...telegram.env,
    ...backups(),
    DATABASE_URL: originalDatabase.url,
    DATA_DIR: join(dir, 'original'),
    WORKER_ID: 'original',
  });
  /** An empty machine: a PostgreSQL of its own, and no secret but the key of the backup. */
  const ofCopy = (): NodeJS.ProcessEnv => ({
    ...telegram.env,
    ...backups(),
    MASTER_KEY: '',
    DATA_DIR: join(dir, 'copy'),
    WORKER_ID: 'copy',
  });
  const ofOther = (): NodeJS.ProcessEnv => ({
    ...telegram.env,
    ...backups(),
    DATABASE_URL: otherDatabase.url,
    DATA_DIR: join(dir, 'other'),
  });
  const done = async (said: Promise<Said>): Promise<string> => {
    const { code, stdout, stderr } = await said;
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return stdout;
  };
  const refused = async (said: Promise<Said>): Promise<string> => {
    const { code, stderr } = await said;
    expect(code).toBe(1);
    return stderr;
  };
  const logins = (): number =>
    ['auth.importBotAuthorization', 'auth.signIn'].reduce(
      (sum, method) => sum + telegram.control.journal({ method }).length,
      0,
    );

  beforeAll(async () => {
    telegram = await startTelegram();
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-backup-'));
    [originalDatabase, otherDatabase] = await Promise.all([createDatabase(), createDatabase({ empty: true })]);
    original = await ProductProcess.start('all', ofOriginal());
    const { app_id } = await original.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
    const login = async (username: string): Promise<string> => {
      const { token } = telegram.control.createBot({ username });
      const { id } = await original.must('POST', '/v1/bot', { token, app_id });
      return `/v1/bot/${String(id)}`;
    };
    bot = await login('kept_bot');
    stopped = await login('stopped_bot');
    await original.must('POST', `${stopped}/stop`);
    const phone = '15550821001';
    telegram.control.createAccount({ phone, firstName: 'A' });
    const { id } = await original.must('POST', '/v1/user', { app_id, phone });
    user = `/v1/user/${String(id)}`;
    await original.must('POST', `${user}/login/code`, { code: telegram.control.newestCode(phone) });
    loginsBefore = logins();
  });

  afterAll(async () => {
    await copy?.end('SIGTERM');
    await original.end('SIGTERM');
    await originalDatabase.drop();
    await otherDatabase.drop();
    await telegram.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('is made whole while sessions work, and found damaged when one byte of it has changed', async () => {
    const { id: botId } = await original.must('POST', `${bot}/call`, { method: 'getMe' });
    const { chatId } = telegram.control.createChat({ type: 'channel', title: 'News', admins: [Number(botId)] });
    await original.must('POST', `${bot}/call`, { method: 'getChat', params: { chat_id: chatId } });
    const loading = new AbortController();
    const load = (async () => {
      for (let count = 0; !loading.signal.aborted; count++) {
        const params = { chat_id: chatId, input_message_content: textContent(`load ${count}`) };
        const { status } = await original.ask('POST', `${bot}/call`, { method: 'sendMessage', params });
        if (status !== 200) await sleep(20);
      }
    })();
    try {
      const making = ServerProcess.start(testEnv('all', ofOriginal()), ['backup']);
      expect(await making.end(120_000)).toBe(0);
      expect(making.stdout).toMatch(/^Backup \S+ of \S+ is whole: \d+ tables, 3 sessions\.\n$/);
    } finally {
      loading.abort();
      await load;
    }
    const [id = ''] = readdirSync(join(dir, 'backups/backups'));
    expect(await done(command(['backup', '--list'], ofOriginal()))).toBe(`${id}\n`);
    const sessions = join(dir, 'backups/backups', id, 'sessions');
    const [part = ''] = readdirSync(sessions);
    const bytes = readFileSync(join(sessions, part));
    const changed = Buffer.from(bytes);
    changed.writeUInt8((bytes.at(-30) ?? 0) ^ 1, bytes.length - 30);
    writeFileSync(join(sessions, part), changed);
    expect(await refused(command(['backup', '--verify'], ofOriginal()))).toContain(part);
    writeFileSync(join(sessions, part), bytes);
    expect(await done(command(['backup', '--verify', id], ofOriginal()))).toContain('is whole');
    const wrongKey = { ...ofOriginal(), BACKUP_KEY: Buffer.alloc(32, 6).toString('base64') };
    expect(await refused(command(['backup', '--verify'], wrongKey))).toContain('another key');
  });

  it('is restored on an empty machine with nothing but its key, and nowhere else', async () => {
    expect(await done(command(['restore'], ofCopy()))).toMatch(
      /^Restored backup \S+ .*: 3 sessions\.\nNone of them opens/,
    );
    expect(await refused(command(['restore'], ofCopy()))).toContain('the registry is not empty');
    const otherKey = { ...ofOther(), MASTER_KEY: Buffer.alloc(32, 9).toString('base64') };
    expect(await refused(command(['restore'], otherKey))).toContain('MASTER_KEY is not the one of the backup');
    await done(command(['restore'], ofOther()));
  });

  it('opens no session as a copy beside its original, however it is asked', async () => {
    copy = await ProductProcess.start('all', ofCopy());
    for (const path of [bot, user, stopped]) {
      expect(await copy.must('GET', path)).toMatchObject({ status: 'stopped' });
      const { status, body } = await copy.ask('POST', `${path}/start`);
      expect([status, body.error?.['code']]).toEqual([409, 'not_activated']);
    }
    expect(await refused(command(['restore'], ofCopy()))).toContain('is used by the running process');
    const away = { ...ofCopy(), BACKUP_STORE: 'file:///dev/null/away' };
    expect(await refused(command(['restore', '--activate'], away))).toContain('--i-know');
    expect(await refused(command(['restore', '--activate'], { ...ofCopy(), BACKUP_STORE: '' }))).toContain('--i-know');
    expect((await copy.ask('POST', `${bot}/start`)).status).toBe(409);
    for (const path of [bot, user]) {
      expect((await original.ask('POST', `${path}/call`, { method: 'getMe' })).status).toBe(200);
    }
    expect(telegram.control.keyConflicts()).toEqual([]);
    await copy.end('SIGTERM');
  });

  it('takes the place of its original, which ends and does not start again, and of which there is no second copy', async () => {
    const ending = original.ended();
    expect(await done(command(['restore', '--activate'], ofCopy()))).toBe(
      'Activated: 2 sessions are opened by the next worker.\n',
    );
    expect(await ending).toBe(1);
    const again = ServerProcess.start(testEnv('all', { ...ofOriginal(), LISTEN_ADDR: '127.0.0.1:0' }));
    expect(await again.end(120_000)).toBe(1);
    expect(again.stderr).toContain('a copy of this installation was activated');
    expect(await refused(command(['restore', '--activate'], ofOther()))).toContain('another copy');
    expect(await done(command(['restore', '--activate'], ofCopy()))).toContain('nothing to activate');

    const activated = (copy = await ProductProcess.start('all', ofCopy()));
    for (const path of [bot, user]) {
      await until(path, async () => (await activated.ask('POST', `${path}/call`, { method: 'getMe' })).status === 200);
    }
    expect(await activated.must('GET', stopped)).toMatchObject({ status: 'stopped' });
    await activated.must('POST', `${stopped}/start`);
    expect(logins()).toBe(loginsBefore);
    expect(telegram.control.keyConflicts()).toEqual([]);
  });
});
