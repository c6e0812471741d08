import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { EmbeddedPostgres } from '../src/common/db/embedded-postgres.js';
import { StartupError } from '../src/common/errors/index.js';

const IS_ROOT = process.getuid?.() === 0;
const asRoot = IS_ROOT ? it : it.skip;

describe('the embedded PostgreSQL', () => {
  let dir: string;
  const servers: EmbeddedPostgres[] = [];

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-pg-'));
  });

  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function start(password = 'secret', at = join(dir, 'postgres')): Promise<EmbeddedPostgres> {
    const server = await EmbeddedPostgres.start({ dir: at, password, volatile: true });
    servers.push(server);
    return server;
  }

  async function query(url: string, sql: string): Promise<object[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<pg.QueryResultRow>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  function pidOf(at = join(dir, 'postgres')): number {
    return Number(readFileSync(join(at, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

  it('keeps its data over restarts', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept (id int)');
    await first.stop();
    const second = await start();
    expect(await query(second.url, 'SELECT * FROM kept')).toEqual([]);
  });

  it('is gone when stop() resolves, and may be stopped twice', async () => {
    const server = await start();
    const pid = pidOf();
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    await expect(server.stop()).resolves.toBeUndefined();
  });

  it('lets nobody in without the password', async () => {
    const { url } = await start();
    const wrong = new URL(url);
    wrong.password = 'guess';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    wrong.password = '';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow();
  });

  it('listens on loopback only', async () => {
    const { url } = await start();
    const [row] = await query(url, 'SHOW listen_addresses');
    expect(row).toEqual({ listen_addresses: '127.0.0.1' });
    expect(new URL(url).hostname).toBe('127.0.0.1');
  });

  it('does not start with another password, says why and leaves nothing running', async () => {
    await (await start('one')).stop();
    await expect(start('two')).rejects.toBeInstanceOf(StartupError);
    await expect(start('two')).rejects.toThrow(/secrets\.json is not the one of this DATA_DIR/);
    expect(existsSync(join(dir, 'postgres/data/postmaster.pid'))).toBe(false);
  });

  it('that outlived its owner is stopped by the next start', async () => {
    // The owner forgets it, as a killed one does.
    const orphan = await EmbeddedPostgres.start({ dir: join(dir, 'postgres'), password: 'secret', volatile: true });
    await query(orphan.url, 'CREATE TABLE kept (id int)');
    const pid = pidOf();
    const next = await start();
    expect(isAlive(pid)).toBe(false);
    expect(await query(next.url, 'SELECT * FROM kept')).toEqual([]);
    await orphan.ended();
  });

  it('takes a postmaster.pid of another program for what it is', async () => {
    await (await start()).stop();
    const pidFile = join(dir, 'postgres/data/postmaster.pid');
    writeFileSync(pidFile, `${process.pid}\n${join(dir, 'postgres/data')}\n1\n1\n\n127.0.0.1\n\n`);
    rmSync(pidFile, { force: true });
    writeFileSync(pidFile, `999999\n${join(dir, 'postgres/data')}\n1\n1\n\n127.0.0.1\n\n`);
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts again after a first start that was interrupted', async () => {
    mkdirSync(join(dir, 'postgres/data.new'), { recursive: true });
    writeFileSync(join(dir, 'postgres/data.new/PG_VERSION'), '18');
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(readdirSync(join(dir, 'postgres'))).not.toContain('data.new');
    expect(readdirSync(join(dir, 'postgres'))).not.toContain('password.new');
  });

  it('says that a machine without its programs needs DATABASE_URL', async () => {
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'plan9' });
    try {
      await expect(start()).rejects.toThrow(/set DATABASE_URL/);
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
    }
  });

  it('runs in a process group of its own, which a signal to ours does not reach', async () => {
    await start();
    const pid = pidOf();
    const group = (of: number): string =>
      execFileSync('ps', ['-o', 'pgid=', '-p', String(of)], { encoding: 'utf8' }).trim();
    expect(group(pid)).toBe(String(pid));
    expect(group(pid)).not.toBe(group(process.pid));
  });

  asRoot('does not run as root', async () => {
    await start();
    const user = execFileSync('ps', ['-o', 'user=', '-p', String(pidOf())], { encoding: 'utf8' }).trim();
    expect(user).not.toBe('root');
  });

  asRoot('works in a DATA_DIR that only root may enter', async () => {
    const closed = join(dir, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const { url } = await start('secret', join(closed, 'data', 'postgres'));
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(lstatSync(join(closed, 'data', 'postgres')).isSymbolicLink()).toBe(true);
    // What is above DATA_DIR is none of ours.
    expect(lstatSync(closed).mode & 0o777).toBe(0o700);
    await servers.pop()?.stop();
    const again = await start('secret', join(closed, 'data', 'postgres'));
    expect(await query(again.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await servers.pop()?.stop();

    // Who removes DATA_DIR begins anew, with a new password.
    const substitutes = [readlinkSync(join(closed, 'data', 'postgres'))];
    rmSync(join(closed, 'data'), { recursive: true });
    await start('another', join(closed, 'data', 'postgres'));
    substitutes.push(readlinkSync(join(closed, 'data', 'postgres')));
    await servers.pop()?.stop();
    for (const substitute of substitutes) rmSync(substitute, { recursive: true });
  });

  asRoot('opens its own DATA_DIR to PostgreSQL and no further', async () => {
    const own = join(dir, 'own');
    mkdirSync(own, { mode: 0o700 });
    chmodSync(dir, 0o755);
    await start('secret', join(own, 'postgres'));
    expect(lstatSync(own).mode & 0o777).toBe(0o711);
    expect(lstatSync(join(own, 'postgres', 'data')).mode & 0o777).toBe(0o700);
  });
});
