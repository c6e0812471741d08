import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_TOKEN, CLUSTER_TOKEN, MASTER_KEY, freePort, master } from './support/app.js';
import { type TestDatabase, createDatabase } from './support/database.js';
import { ServerProcess } from './support/server-process.js';
import { until } from './support/until.js';
import { Wire } from './support/wire.js';

// Each process is a whole product, and the machine may be busy.
jest.setTimeout(120_000);

describe('node dist/main.js', () => {
  let dir: string;
  let dataDir: string;
  let database: TestDatabase | undefined;
  const processes: ServerProcess[] = [];

  const makeDirectory = (): void => {
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-boot-'));
    chmodSync(dir, 0o755);
    dataDir = join(dir, 'data');
  };
  const endAll = async (): Promise<void> => {
    for (const server of processes.splice(0)) {
      server.signal('SIGTERM');
      await server.end().catch(() => server.kill());
    }
    await database?.drop();
    database = undefined;
    rmSync(dir, { recursive: true, force: true });
  };

  function start(env: NodeJS.ProcessEnv, openFiles?: number): ServerProcess {
    const server = ServerProcess.start({ LISTEN_ADDR: '127.0.0.1:0', DATA_DIR: dataDir, ...env }, [], openFiles);
    processes.push(server);
    return server;
  }

  const postgresPid = (): number =>
    Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
  const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);
  const status = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(url, { headers })).status;

  // One DATA_DIR through all of its life: a new PostgreSQL for each test would be most of the time.
  describe('with ROLE=all and nothing else', () => {
    let server: ServerProcess;
    let url: string;
    const secrets = (): Record<string, string> =>
      JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
    const authorization = (): Record<string, string> => ({ authorization: `Bearer ${secrets()['api_token'] ?? ''}` });

    beforeAll(makeDirectory);
    afterAll(endAll);

    describe('at its first start', () => {
      it('runs on a database of its own with secrets of its own', async () => {
        server = start({});
        url = await server.answering();
        expect(await status(`${url}/healthz`)).toBe(200);
        expect(await status(`${url}/readyz`)).toBe(200);
        // Files that it has beside itself, and in a package.
        expect(await status(`${url}/v1/openapi.json`)).toBe(200);
        expect(await status(`${url}/docs/swagger-ui.css`)).toBe(200);
        const token = /API token: (\S+) \(kept in (\S+)\)/.exec(server.stdout);
        expect(token?.[2]).toBe(join(dataDir, 'secrets.json'));
        expect(await status(`${url}/v1/apps`, { authorization: `Bearer ${token?.[1] ?? ''}` })).toBe(200);
        expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
        const { api_token: _shown, ...others } = secrets();
        for (const secret of Object.values(others)) expect(server.stdout + server.stderr).not.toContain(secret);
      });

      it('ends on SIGTERM with PostgreSQL last', async () => {
        const pid = postgresPid();
        server.signal('SIGTERM');
        expect(await server.end()).toBe(0);
        expect(isAlive(pid)).toBe(false);
        expect(existsSync(join(dataDir, 'tgcontrol.pid'))).toBe(false);
        // Fast shutdown, not recovery at the next start: everything had left before.
        expect(readFileSync(join(dataDir, 'postgres/server.log'), 'utf8')).toContain('database system is shut down');
      });
    });

    describe('at its second start', () => {
      it('keeps its secrets and prints none of them again', async () => {
        const before = secrets();
        server = start({});
        url = await server.answering();
        expect(server.stdout).toContain(`API token: see ${join(dataDir, 'secrets.json')}`);
        expect(secrets()).toEqual(before);
        expect(await status(`${url}/v1/apps`, authorization())).toBe(200);
        for (const secret of Object.values(before)) expect(server.stdout + server.stderr).not.toContain(secret);
      });

      it('refuses a second process on its DATA_DIR', async () => {
        const second = start({});
        expect(await second.end()).toBe(1);
        expect(second.stderr).toBe(`tgcontrol: DATA_DIR ${dataDir} is used by the running process ${server.pid}\n`);
      });

      it('ends in order when its terminal is closed, which it may be told twice', async () => {
        const pid = postgresPid();
        server.signal('SIGHUP');
        server.signal('SIGHUP');
        expect(await server.end()).toBe(0);
        expect(isAlive(pid)).toBe(false);
      });
    });

    it('starts again after SIGKILL, on the same data and without a second PostgreSQL', async () => {
      const first = start({ WORKER_ID: 'w' });
      const before = await first.answering();
      const headers = authorization();
      await fetch(`${before}/v1/apps`, { method: 'POST', headers, body: '{"api_id":1,"api_hash":"h"}' });
      const orphan = postgresPid();
      await first.kill();
      expect(isAlive(orphan)).toBe(true);

      server = start({ WORKER_ID: 'w' });
      url = await server.answering();
      expect(isAlive(orphan)).toBe(false);
      const apps = (await (await fetch(`${url}/v1/apps`, { headers })).json()) as { result: unknown[] };
      expect(apps.result).toHaveLength(1);
    });

    it('ends with code 1 when its PostgreSQL ends', async () => {
      process.kill(postgresPid(), 'SIGQUIT');
      expect(await server.end()).toBe(1);
      expect(server.stderr).toContain('tgcontrol: the embedded PostgreSQL has ended');
    });

    it('ends in order when it is stopped while it starts', async () => {
      const pidFile = join(dataDir, 'postgres/data/postmaster.pid');
      rmSync(pidFile, { force: true });
      server = start({});
      const pid = await until('PostgreSQL', () => existsSync(pidFile) && postgresPid());
      server.signal('SIGTERM');
      expect(await server.end()).toBe(0);
      expect(isAlive(pid)).toBe(false);
    });

    it('ends at once on a second signal', async () => {
      server = start({});
      await server.answering();
      server.signal('SIGINT');
      server.signal('SIGINT');
      await server.end();
    });
  });

  describe('in one role', () => {
    beforeEach(makeDirectory);
    afterEach(endAll);

    it('serves as gateway and worker in two processes, each with its own secrets only', async () => {
      database = await createDatabase({ empty: true });
      const port = await freePort();
      const shared = { DATABASE_URL: database.url, CLUSTER_TOKEN };
      const gateway = start({ ...shared, ROLE: 'gateway', API_TOKEN });
      const worker = start({ ...shared, ROLE: 'worker', MASTER_KEY, LISTEN_ADDR: `127.0.0.1:${port}` });
      const url = await gateway.answering();
      await worker.answering();
      const created = await until('the worker', async () => {
        const answer = await fetch(`${url}/v1/apps`, {
          method: 'POST',
          headers: master,
          body: '{"api_id":1,"api_hash":"h"}',
        });
        return answer.status === 200 && answer.json();
      });
      expect(created).toMatchObject({ ok: true, result: { app_id: expect.any(String) } });
      for (const server of [gateway, worker]) {
        server.signal('SIGTERM');
        expect(await server.end()).toBe(0);
      }
      expect(await database.query('SELECT * FROM workers')).toEqual([]);
    });

    describe('while its database is away', () => {
      const waits = 'the database of DATABASE_URL does not answer; waiting up to 60 s for it';
      const roles = { gateway: { API_TOKEN }, worker: { MASTER_KEY, WORKER_ID: 'early' } };

      it('waits for it and says so, and answers when it comes, as a gateway and as a worker', async () => {
        database = await createDatabase({ empty: true });
        const wire = new Wire(new URL(database.url));
        const url = await wire.open();
        wire.cut();
        const servers = Object.entries(roles).map(([ROLE, secrets]) =>
          start({ ROLE, CLUSTER_TOKEN, DATABASE_URL: url, ...secrets }),
        );
        for (const server of servers) await until('that it waits', () => server.stderr.includes(waits));
        await wire.open(Number(new URL(url).port));
        try {
          for (const server of servers) {
            const base = await server.answering();
            await until('readiness', async () => (await status(`${base}/readyz`)) === 200);
            server.signal('SIGTERM');
            expect(await server.end()).toBe(0);
          }
        } finally {
          wire.cut();
        }
      });

      it('ends at once when it is asked to', async () => {
        const url = `postgresql://127.0.0.1:${await freePort()}/none`;
        const server = start({
          ROLE: 'worker',
          CLUSTER_TOKEN,
          DATABASE_URL: url,
          DATABASE_WAIT: '1h',
          ...roles.worker,
        });
        await until('that it waits', () => server.stderr.includes('does not answer; waiting up to 3600 s'));
        server.signal('SIGTERM');
        expect(await server.end()).toBe(1);
        expect(server.stderr).toContain('tgcontrol: ended while it waited for the database');
      });
    });

    describe('does not start, says why in one line and changes nothing', () => {
      async function failure(env: NodeJS.ProcessEnv, openFiles?: number): Promise<string> {
        const server = start(env, openFiles);
        expect(await server.end()).toBe(1);
        expect(server.stdout).not.toContain('answers at');
        return server.stderr
          .split('\n')
          .filter((line) => line.startsWith('tgcontrol: '))
          .join('\n');
      }

      it('with another MASTER_KEY, or under the id of a worker that lives', async () => {
        database = await createDatabase({ empty: true });
        const env = { ROLE: 'worker', DATABASE_URL: database.url, CLUSTER_TOKEN, MASTER_KEY, WORKER_ID: 'same' };
        await start(env).answering();
        const before = await database.query('SELECT id FROM workers');
        const more = { ...env, DATA_DIR: join(dir, 'other') };
        const key = Buffer.alloc(32, 9).toString('base64');
        expect(await failure({ ...more, MASTER_KEY: key, WORKER_ID: 'b' })).toBe(
          'tgcontrol: MASTER_KEY is not the key that the database was encrypted with',
        );
        expect(await failure(more)).toBe(
          'tgcontrol: another live process is worker same: give this one a WORKER_ID of its own',
        );
        expect(await database.query('SELECT id FROM workers')).toEqual(before);
      });

      it('on a port that is taken', async () => {
        const blocker = createServer();
        const port = await freePort();
        await new Promise<void>((resolve) => blocker.listen(port, '127.0.0.1', resolve));
        try {
          expect(await failure({ LISTEN_ADDR: `127.0.0.1:${port}` })).toMatch(
            /^tgcontrol: LISTEN_ADDR is taken: .*EADDRINUSE/,
          );
          expect(existsSync(join(dataDir, 'postgres/data/postmaster.pid'))).toBe(false);
        } finally {
          blocker.close();
        }
      });

      it('in a DATA_DIR that cannot be written', async () => {
        writeFileSync(join(dir, 'file'), '');
        const env = { DATABASE_URL: 'postgresql://127.0.0.1:1/none', CLUSTER_TOKEN, MASTER_KEY };
        for (const more of [{}, { ROLE: 'worker', ...env }]) {
          const message = await failure({ DATA_DIR: join(dir, 'file', 'data'), ...more });
          expect(message).toMatch(/^tgcontrol: DATA_DIR \S+ is not writable: /);
          expect(message.split('\n')).toHaveLength(1);
        }
        expect(readdirSync(dir)).toEqual(['file']);
      });

      it('where it may not open as many files as its sessions need', async () => {
        expect(await failure({}, 1_024)).toMatch(
          /^tgcontrol: this process may have 1024 files open, and WORKER_CAPACITY=200 sessions .*: ulimit -n 2256, /,
        );
        expect(readdirSync(dataDir)).toEqual([]);
      });

      it('with mistakes in the environment, all of them at once', async () => {
        const message = await failure({ ROLE: 'worker', MASTER_KEY: 'short', LISTEN_ADDR: 'here', UPLOAD_TTL: 'soon' });
        for (const name of ['MASTER_KEY', 'CLUSTER_TOKEN', 'DATABASE_URL', 'LISTEN_ADDR', 'UPLOAD_TTL']) {
          expect(message).toContain(name);
        }
        expect(message.split('\n')).toHaveLength(5);
      });

      it('without a database that answers', async () => {
        const url = `postgresql://someone:s3cr3t@127.0.0.1:${await freePort()}/none`;
        const message = await failure({
          ROLE: 'gateway',
          API_TOKEN,
          CLUSTER_TOKEN,
          DATABASE_URL: url,
          DATABASE_WAIT: '1s',
        });
        expect(message).toMatch(/^tgcontrol: the database of DATABASE_URL is not available: .*ECONNREFUSED/);
        expect(message).not.toContain('s3cr3t');
      });

      it('with a password that the database refuses', async () => {
        database = await createDatabase({ empty: true });
        const url = new URL(database.url);
        url.password = 'wrong';
        const message = await failure({ ROLE: 'gateway', API_TOKEN, CLUSTER_TOKEN, DATABASE_URL: url.href });
        expect(message).toMatch(/^tgcontrol: DATABASE_URL is refused: /);
      });
    });
  });
});
