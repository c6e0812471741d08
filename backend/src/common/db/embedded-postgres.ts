import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartupError } from '../errors/errors.js';
import { messageOf } from '../errors/thrown.js';
import { sqlFailure } from './database-failure.js';
import { type PostgresBinaries, locateBinaries } from './postgres-binaries.js';
import { type SystemUser, canReach, unprivilegedUser } from './system-user.js';

/** How to run the embedded server. */
export interface EmbeddedPostgresOptions {
  /** Holds the server's data and log; absolute. */
  readonly dir: string;
  /** Of the only role, `postgres`. Must be the same at each start. */
  readonly password: string;
  /** For tests: nothing reaches the disk for certain, which is several times faster. */
  readonly volatile?: boolean;
  /** For tests: how many connections the server takes. */
  readonly maxConnections?: number;
  /** Gets a sentence about what is out of the ordinary. */
  readonly notice?: (message: string) => void;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 20;
const PORT_ATTEMPTS = 5;
const MAX_LOG_BYTES = 10 * 1024 * 1024;
/** Where root keeps what the postgres user cannot reach in its place. */
const SYSTEM_DIR = '/var/lib/tgcontrol';
const DATABASE = 'tgcontrol';

/**
 * A PostgreSQL of our own for ROLE=all. It runs in a process group of its own, so that a signal to ours does not stop it
 * before the application has closed, and it outlives our being killed: the next start stops the orphan first.
 */
export class EmbeddedPostgres {
  private constructor(
    /** `postgresql://…` of the product's database. */
    readonly url: string,
    private readonly data: string,
    private readonly server: ChildProcess,
  ) {}

  /** @throws StartupError saying what hinders it */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const user = unprivilegedUser();
    const dir = reachableDir(options.dir, user, options.notice);
    const binaries = locateBinaries(user, user ? SYSTEM_DIR : dir);
    const data = join(dir, 'data');
    await stopOrphan(data);
    if (!existsSync(join(data, 'PG_VERSION'))) await initialise(binaries, dir, user, options);
    const log = join(dir, 'server.log');
    if (existsSync(log) && statSync(log).size > MAX_LOG_BYTES) truncateSync(log);

    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const server = launch(binaries.postgres, [...serverArguments(data, port, options)], user, log);
      try {
        const url = await createDatabase(port, options.password, server);
        server.unref();
        return new EmbeddedPostgres(url, data, server);
      } catch (error) {
        await terminate(data, server);
        // The port was free a moment ago: somebody else was quicker.
        const isPortTaken = attempt < PORT_ATTEMPTS && /could not (bind|create any TCP)/.test(endOf(log));
        if (!isPortTaken) throw startupError(error, log);
      }
    }
  }

  /** The URL of the server that another process has started there; undefined when none runs. */
  static runningAt({ dir, password }: Pick<EmbeddedPostgresOptions, 'dir' | 'password'>): string | undefined {
    const data = join(dir, 'data');
    const pid = notedPid(data);
    if (pid === undefined || !isAlive(pid) || !isPostgres(pid)) return undefined;
    // Its fourth line (PostgreSQL's pidfile.h).
    const port = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[3]);
    return urlOf(port, password, DATABASE);
  }

  /** Closes all connections and stops the server; resolves when it is gone. */
  async stop(): Promise<void> {
    await terminate(this.data, this.server);
  }

  /** Resolves when the server has ended, also by itself. */
  async ended(): Promise<void> {
    if (this.server.exitCode !== null || this.server.signalCode !== null) return;
    await new Promise((resolve) => this.server.once('exit', resolve));
  }
}

function* serverArguments(data: string, port: number, options: EmbeddedPostgresOptions): Generator<string> {
  yield* ['-D', data, '-p', String(port)];
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    cluster_name: 'tgcontrol',
    max_connections: options.maxConnections ?? 50,
    // Small: this server has one application and a machine of any size.
    shared_buffers: '32MB',
    max_wal_size: '256MB',
    io_method: 'sync',
    max_parallel_workers: 0,
    max_worker_processes: 2,
    wal_level: 'minimal',
    max_wal_senders: 0,
    jit: 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
    ...(options.volatile && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }),
  };
  for (const [name, value] of Object.entries(settings)) yield* ['-c', `${name}=${value}`];
}

/** Makes `dir` and finds a way to it for `user`: above it nothing is changed but our own DATA_DIR. */
function reachableDir(
  dir: string,
  user: SystemUser | undefined,
  notice: ((message: string) => void) | undefined,
): string {
  mkdirSync(dir, { recursive: true, mode: user ? 0o711 : 0o700 });
  if (!user) return realpathSync(dir);
  const isLink = lstatSync(dir).isSymbolicLink();
  // DATA_DIR is ours: others may pass through it, and still see nothing but names they know.
  if (!isLink) for (const own of [dirname(dir), dir]) chmodSync(own, statSync(own).mode | 0o011);
  const real = realpathSync(dir);
  if (canReach(user, join(real, 'data'))) {
    chownSync(real, user.uid, user.gid);
    return real;
  }
  if (readdirSync(dir).length > 0) {
    throw new StartupError(
      `the user ${user.name}, as whom PostgreSQL runs, cannot reach ${dir}: choose another DATA_DIR`,
    );
  }
  // A new one each time: who removes a DATA_DIR to begin anew must not find the old data under the same path.
  mkdirSync(SYSTEM_DIR, { recursive: true, mode: 0o711 });
  const substitute = mkdtempSync(join(SYSTEM_DIR, 'data-'));
  chownSync(substitute, user.uid, user.gid);
  rmSync(dir, { recursive: true });
  symlinkSync(substitute, dir);
  notice?.(`the user ${user.name}, as whom PostgreSQL runs, cannot reach ${dir}: its data is in ${substitute}`);
  return substitute;
}

async function initialise(
  { initdb }: PostgresBinaries,
  dir: string,
  user: SystemUser | undefined,
  { password, volatile: isVolatile }: EmbeddedPostgresOptions,
): Promise<void> {
  // Into a directory beside, which gets its name when it is whole: initdb may be interrupted.
  const half = join(dir, 'data.new');
  rmSync(half, { recursive: true, force: true });
  const passwordFile = join(dir, 'password.new');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  const log = join(dir, 'initdb.log');
  try {
    const child = launch(
      initdb,
      [
        '-D',
        half,
        '-U',
        'postgres',
        '-A',
        'scram-sha-256',
        `--pwfile=${passwordFile}`,
        '-E',
        'UTF8',
        '--locale=C',
        ...(isVolatile ? ['--no-sync'] : []),
      ],
      user,
      log,
    );
    const code = await new Promise<number | null>((resolve, reject) =>
      child.once('exit', resolve).once('error', reject),
    );
    if (code !== 0) throw new StartupError(`initdb failed: ${endOf(log)}`);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(half, join(dir, 'data'));
}

function launch(program: string, args: readonly string[], user: SystemUser | undefined, logFile: string): ChildProcess {
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawn(program, args, {
      cwd: '/',
      detached: true,
      env: { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin', TZ: 'UTC' },
      stdio: ['ignore', log, log],
      ...(user && { uid: user.uid, gid: user.gid }),
    });
  } finally {
    closeSync(log);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

function urlOf(port: number, password: string, database: string): string {
  return `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/** Waits until the server answers, and makes the product's database when it is missing; gives its URL. */
async function createDatabase(port: number, password: string, server: ChildProcess): Promise<string> {
  let failure: Error | undefined;
  server.once('error', (error) => (failure = error));
  server.once('exit', (code) => (failure ??= new Error(`PostgreSQL ended with code ${code ?? 'none'}`)));
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    if (failure) throw failure;
    const client = new pg.Client({
      connectionString: urlOf(port, password, 'postgres'),
      connectionTimeoutMillis: 5000,
    });
    // A connection that breaks off later must not end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
      return urlOf(port, password, DATABASE);
    } catch (error) {
      if (sqlFailure(error)?.state === '28P01') {
        throw new StartupError(
          'the embedded PostgreSQL has another password: secrets.json is not the one of this DATA_DIR',
        );
      }
      if (performance.now() > deadline) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
    await sleep(POLL_MS);
  }
}

function startupError(error: unknown, log: string): Error {
  if (error instanceof StartupError) return error;
  return new StartupError(`the embedded PostgreSQL does not start: ${messageOf(error)}; ${endOf(log)} (see ${log})`, {
    cause: error,
  });
}

/** The last line of a log. */
function endOf(log: string): string {
  if (!existsSync(log)) return '';
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-3).join(' ').slice(-500);
}

/** The process that PostgreSQL notes in its data directory while it runs. */
function notedPid(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether the process is a PostgreSQL at all: after a restart of the machine its number may be another program's. */
function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres');
  } catch {
    // No /proc on this system: the file in the data directory is all there is to go by.
    return !existsSync('/proc/self');
  }
}

/** Stops the server that a killed process of ours left behind, if there is one. */
async function stopOrphan(data: string): Promise<void> {
  const pid = notedPid(data);
  if (pid === undefined || !isAlive(pid) || !isPostgres(pid)) return;
  await stopProcess(pid);
}

async function terminate(data: string, server: ChildProcess): Promise<void> {
  const pid = server.pid ?? notedPid(data);
  if (pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  await stopProcess(pid, server);
}

/** SIGINT is PostgreSQL's fast shutdown: connections end, the data is written, no recovery at the next start. */
async function stopProcess(pid: number, child?: ChildProcess): Promise<void> {
  const isGone = (): boolean => (child ? child.exitCode !== null || child.signalCode !== null : !isAlive(pid));
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    const deadline = performance.now() + STOP_TIMEOUT_MS;
    while (performance.now() < deadline) {
      if (isGone()) return;
      await sleep(POLL_MS);
    }
  }
}
