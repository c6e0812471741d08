import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { DatabaseClient } from '../src/common/db/database-client.js';
import { Notifications } from '../src/common/db/notifications.js';
import { UnitOfWork } from '../src/common/db/unit-of-work.js';
import { WorkerDirectory, WorkerLease } from '../src/modules/workers/index.js';
import { type TestApp, master, startApp } from './support/app.js';
import { type TestDatabase, createDatabase } from './support/database.js';
import { until } from './support/until.js';
import { Wire } from './support/wire.js';

describe('with the database away', () => {
  let database: TestDatabase;
  let wire: Wire;
  let url: string;
  let app: TestApp;
  const dataDir = mkdtempSync(join(tmpdir(), 'tgcontrol-away-'));

  beforeEach(async () => {
    database = await createDatabase();
    wire = new Wire(new URL(database.url));
    url = await wire.open();
    app = await startApp({ database, env: { DATABASE_URL: url, DATA_DIR: dataDir } });
  });

  afterEach(async () => {
    await app.stop();
    wire.cut();
    await database.drop();
  });

  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('the process lives, answers 503 with Retry-After, names the cause, and recovers by itself', async () => {
    await app.http().get('/v1/apps').set(master).expect(200);
    wire.cut();
    const answer = await app.http().get('/v1/apps').set(master).expect(503);
    expect(answer.headers['retry-after']).toBe('2');
    expect(answer.body).toEqual({
      ok: false,
      error: {
        source: 'gateway',
        code: 'database_unavailable',
        message: 'the database is not available',
        retry_after: 2,
      },
    });
    await app.http().get('/healthz').expect(200);
    const ready = await app.http().get('/readyz').expect(503);
    expect(ready.body).toMatchObject({
      error: { code: 'not_ready', details: { causes: { database: 'the database is not available' } } },
    });

    await wire.open(Number(new URL(url).port));
    await until('recovery', async () => (await app.http().get('/v1/apps').set(master)).status === 200);
    await until('readiness', async () => (await app.http().get('/readyz')).status === 200);
    expect(app.app.get(WorkerLease).remainingMs).toBeGreaterThan(0);
  });

  it('every kind of request is refused alike, changes too', async () => {
    wire.cut();
    for (const call of [
      app.http().post('/v1/apps').send({ api_id: 1, api_hash: 'h' }),
      app.http().get('/v1/proxies'),
      app.http().get('/v1/workers'),
      app.http().delete('/v1/apps/3f0f7f5e-7f5a-4b0a-9c55-0c2a3a6f4b11'),
    ]) {
      const { body } = await call.set(master).expect(503);
      expect(body).toMatchObject({ error: { code: 'database_unavailable' } });
    }
  });

  it('a database that does not answer is away after 15 s, and not before us for ever', async () => {
    wire.freeze(true);
    const { body } = await app.http().get('/v1/apps').set(master).expect(503);
    expect(body).toMatchObject({ error: { code: 'database_unavailable' } });
    const ready = await app.http().get('/readyz').expect(503);
    expect(ready.body).toMatchObject({ error: { code: 'not_ready' } });
    // What was frozen is lost, and nobody says so to either side: only new connections are good.
    wire.abandon();
    wire.freeze(false);
    await until('recovery', async () => (await app.http().get('/v1/apps').set(master)).status === 200, 90_000);
  });

  it('a connection that has left a query without an answer is closed, and not given to the next caller', async () => {
    const pool = new pg.Pool({ connectionString: url, Client: DatabaseClient, max: 1, query_timeout: 2_000 });
    pool.on('error', () => undefined);
    try {
      const client = await pool.connect();
      client.on('error', () => undefined);
      await client.query('SELECT 1');
      wire.abandon();
      await expect(client.query('SELECT 1')).rejects.toThrow('timeout');
      client.release();
      const next = await pool.connect();
      expect((await next.query('SELECT 1')).rowCount).toBe(1);
      next.release();
    } finally {
      // Nobody at the other end of the first one would ever say goodbye.
      wire.cut();
      void pool.end();
    }
  });

  it('a worker gets its lease back from a database that takes longer to connect to than to answer', async () => {
    const lease = app.app.get(WorkerLease);
    wire.delay(200);
    wire.cut();
    await until('the end of the lease', () => lease.remainingMs === 0);
    await wire.open(Number(new URL(url).port));
    await until('the lease', () => lease.remainingMs > 0);
    wire.delay(0);
  });

  it('what a transaction has locked is free 15 s after its process has gone without a word', async () => {
    const [row] = await app.app.get(UnitOfWork).rows('SHOW idle_in_transaction_session_timeout');
    expect(row).toEqual({ idle_in_transaction_session_timeout: '15s' });
  });

  it('what changed meanwhile is looked at again afterwards', async () => {
    const told: (string | undefined)[] = [];
    app.app.get(Notifications).subscribe('proxy_changed', (id) => told.push(id));
    wire.cut();
    await wire.open(Number(new URL(url).port));
    await until('the notice that anything may have changed', () => told.includes(undefined));
  });

  it('the directory of workers goes on with what it knew', async () => {
    const directory = app.app.get(WorkerDirectory);
    const { id } = app.config.worker;
    expect(await directory.find(id)).toMatchObject({ id });
    wire.cut();
    await until('an old answer', async () => {
      await app.http().get('/v1/workers').set(master).expect(503);
      return (await directory.find(id)) !== undefined;
    });
  });
});
