import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLUSTER_TOKEN, MASTER_KEY } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { ProductProcess } from './support/process.js';
import { ServerProcess } from './support/server-process.js';
import { type TestTelegram, startTelegram } from './support/telegram.js';
import { until } from './support/until.js';

const MIB = 1024 * 1024;

jest.setTimeout(300_000);

/** A disk of its own, in memory. @returns undefined where nothing may be mounted */
function mountDisk(): string | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'tgcontrol-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', dir], { stdio: 'ignore' });
    return dir;
  } catch {
    rmSync(dir, { recursive: true });
    return undefined;
  }
}

const disk = mountDisk();
const remount = (how: 'ro' | 'rw'): unknown =>
  execFileSync('mount', ['-o', `remount,${how}`, disk ?? ''], { stdio: 'ignore' });

/** Linux, and root: elsewhere these are skipped. */
(disk === undefined ? describe.skip : describe)('a worker whose disk (a tmpfs, which only root may mount)', () => {
  const dataDir = join(disk ?? '', 'data');
  const ballast = join(disk ?? '', 'ballast');
  let telegram: TestTelegram;
  let database: TestDatabase;
  let server: ProductProcess;
  let bot: string;

  const call = async (method: string, params: object = {}): Promise<number> =>
    (await server.ask('POST', `${bot}/call`, { method, params })).status;
  /** What keeps it from being ready. */
  const causes = async (): Promise<Record<string, string>> => {
    const { body } = await server.ask('GET', '/readyz');
    return (body.error?.['details'] as { causes?: Record<string, string> } | undefined)?.causes ?? {};
  };
  const isReady = async (): Promise<boolean> => (await server.ask('GET', '/readyz')).status === 200;
  /** Takes all of it but so many bytes. */
  const fill = (leave: number): void => {
    const { bavail, bsize } = statfsSync(disk ?? '');
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - leave));
  };
  const refusal = async (): Promise<string> => {
    const other = ServerProcess.start({
      ROLE: 'worker',
      LISTEN_ADDR: '127.0.0.1:0',
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      WORKER_ID: 'other',
      CLUSTER_TOKEN,
      MASTER_KEY,
    });
    expect(await other.end()).toBe(1);
    return other.stderr;
  };

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    mkdirSync(dataDir);
    server = await ProductProcess.start('all', { ...telegram.env, DATABASE_URL: database.url, DATA_DIR: dataDir });
    const { app_id: appId } = await server.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
    const { token } = telegram.control.createBot({ username: 'disk_bot' });
    bot = `/v1/bot/${String((await server.must('POST', '/v1/bot', { token, app_id: appId }))['id'])}`;
  });

  afterAll(async () => {
    await server.end('SIGTERM');
    await telegram.stop();
    await database.drop();
    execFileSync('umount', [disk ?? '']);
    rmSync(disk ?? '', { recursive: true });
  });

  it('is full says so, answers calls and refuses uploads all the same, and recovers by itself', async () => {
    expect(await isReady()).toBe(true);
    fill(0);
    expect(await causes()).toEqual({ disk: expect.stringMatching(/^less than 64 MiB free in DATA_DIR: du -sh /) });
    expect(await call('getMe')).toBe(200);
    const upload = await server.ask('POST', '/v1/files?name=a.bin', undefined, { 'upload-length': String(MIB) });
    expect([upload.status, upload.body.error?.['code']]).toEqual([507, 'disk_full']);
    expect(await refusal()).toMatch(/tgcontrol: DATA_DIR \S+ is not writable: .*ENOSPC.*Its disk is full: df -h /);
    expect(server.hasEnded).toBe(false);
    rmSync(ballast);
    await until('readiness', isReady);
    expect(await call('getMe')).toBe(200);
  });

  it('can only be read says so and is not started on, and answers when it can be written again', async () => {
    // What has a file open for writing keeps a disk from becoming read-only.
    await server.must('POST', `${bot}/stop`);
    await server.end('SIGTERM');
    remount('ro');
    expect(await refusal()).toMatch(
      /tgcontrol: DATA_DIR \S+ is not writable: .*EROFS.*It is mounted read-only: mount /,
    );
    remount('rw');
    server = await ProductProcess.start('all', { ...telegram.env, DATABASE_URL: database.url, DATA_DIR: dataDir });
    await server.must('POST', `${bot}/start`);
    await until('an answer', async () => (await call('getMe')) === 200);
    expect(telegram.control.keyConflicts()).toEqual([]);
  });
});
