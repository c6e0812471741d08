import { NoLiveWorkerError, StartupError } from '../src/common/errors/index.js';
import { WorkerDirectory, WorkerLease } from '../src/modules/workers/index.js';
import { WorkerPurge } from '../src/modules/workers/worker-purge.js';
import { type TestApp, freePort, master, startApp } from './support/app.js';
import { type TestDatabase, createDatabase } from './support/database.js';
import { onLoadedMachine, until } from './support/until.js';

interface WorkerAnswer {
  readonly id: string;
  readonly addr: string;
  readonly alive: boolean;
  readonly sessions: number;
  readonly last_seen_at: string;
}

describe('workers', () => {
  let database: TestDatabase;
  const apps: TestApp[] = [];

  beforeEach(async () => {
    database = await createDatabase();
  });

  afterEach(async () => {
    for (const app of apps.splice(0).reverse()) await app.stop();
    await database.drop();
  });

  async function start(role: 'gateway' | 'worker' | 'all', env: NodeJS.ProcessEnv = {}): Promise<TestApp> {
    const app = await startApp({ role, env, database });
    apps.push(app);
    return app;
  }

  async function listed(app: TestApp): Promise<WorkerAnswer[]> {
    const answer = await app.http().get('/v1/workers').set(master).expect(200);
    return (answer.body as { result: WorkerAnswer[] }).result;
  }

  it('are listed with where they are and what they hold', async () => {
    const gateway = await start('gateway');
    const worker = await start('worker', { WORKER_ID: 'w1' });
    expect(await listed(gateway)).toEqual([
      expect.objectContaining({ id: 'w1', addr: worker.url, alive: true, sessions: 0, capacity: 200 }),
    ]);
  });

  it('renew their lease every second on the clock of the database', async () => {
    const app = await start('all', { WORKER_ID: 'w1' });
    const [before] = await listed(app);
    await until(
      'a heartbeat',
      async () => (await listed(app))[0]?.last_seen_at !== before?.last_seen_at,
      onLoadedMachine(1_000),
    );
    // Between the statement and the look at it a loaded machine may do something else for a while, but not each time.
    await until('a lease that was just renewed', async () => {
      const [row] = await database.query<{ left: number }>(
        'SELECT extract(epoch FROM expires_at - now())::float AS left FROM workers',
      );
      const left = row?.left ?? 0;
      expect(left).toBeLessThanOrEqual(5);
      return left > 3 && app.app.get(WorkerLease).remainingMs > 3_000;
    });
  });

  it('refuse to start under the id of a living one, and leave that one alone', async () => {
    const first = await start('worker', { WORKER_ID: 'same' });
    await expect(start('worker', { WORKER_ID: 'same' })).rejects.toBeInstanceOf(StartupError);
    await expect(start('worker', { WORKER_ID: 'same' })).rejects.toThrow(/another live process is worker same/);
    expect(first.app.get(WorkerLease).remainingMs).toBeGreaterThan(0);
  });

  it('take over the id of a dead one when its lease has run out', async () => {
    await database.query(
      `INSERT INTO workers VALUES ('w1', gen_random_uuid(), 'http://127.0.0.1:1', 1, 200, now(), now(), now() + interval '1 second')`,
    );
    const app = await start('all', { WORKER_ID: 'w1' });
    expect(await listed(app)).toMatchObject([{ id: 'w1', alive: true, addr: app.url }]);
  });

  it('give their id up at once when they stop in order', async () => {
    const app = await start('worker', { WORKER_ID: 'w1' });
    await app.stop();
    apps.pop();
    expect(await database.query('SELECT 1 FROM workers')).toEqual([]);
  });

  it('that have ended without a word lose their lease as soon as somebody looks, others on their volume do not', async () => {
    const app = await start('worker', { WORKER_ID: 'w1' });
    const nobody = `http://127.0.0.1:${await freePort()}`;
    // Of the process whose number is 0 there is none; with the worker's own the connection is there.
    await database.query(
      `INSERT INTO workers (id, instance, addr, pid, capacity, started_at, last_seen_at, expires_at, volume, backend_pid)
       SELECT v.id, gen_random_uuid(), v.addr, 1, 0, now(), now(), now() + interval '1 hour', coalesce(v.volume, w.volume),
              CASE WHEN v.connected THEN w.backend_pid ELSE 0 END
         FROM workers w, (VALUES ('gone', $1, false, NULL), ('disconnected', $2, false, NULL), ('unreachable', $1, true, NULL),
                                 ('elsewhere', $1, false, 'another')) AS v (id, addr, connected, volume)
        WHERE w.id = 'w1'`,
      [nobody, app.url],
    );
    const alive = async (): Promise<unknown[]> =>
      (await database.query<{ id: string }>('SELECT id FROM workers WHERE expires_at > now() ORDER BY id')).map(
        ({ id }) => id,
      );
    await until('the end of the lease', async () => !(await alive()).includes('gone'));
    expect(await alive()).toEqual(['disconnected', 'elsewhere', 'unreachable', 'w1']);
  });

  it('are told when another process has taken their id', async () => {
    const app = await start('worker', { WORKER_ID: 'w1' });
    let isLost = false;
    app.app.get(WorkerLease).onLost(() => (isLost = true));
    await database.query(`UPDATE workers SET instance = gen_random_uuid(), expires_at = now() + interval '1 hour'`);
    await until('the loss', () => isLost);
    expect(app.app.get(WorkerLease).remainingMs).toBe(0);
    const { body } = await app.http().get('/readyz').expect(503);
    expect(body).toMatchObject({ error: { details: { causes: { lease: 'the lease is not held' } } } });
  });

  it('that are dead stay listed as such and get no work', async () => {
    const gateway = await start('gateway');
    await database.query(
      `INSERT INTO workers VALUES ('dead', gen_random_uuid(), 'http://127.0.0.1:1', 1, 200, now(), now(), now() - interval '1 second')`,
    );
    expect(await listed(gateway)).toMatchObject([{ id: 'dead', alive: false }]);
    await expect(gateway.app.get(WorkerDirectory).candidates()).rejects.toBeInstanceOf(NoLiveWorkerError);
  });

  it('are forgotten an hour after their death, by one process at a time', async () => {
    const app = await start('worker', { WORKER_ID: 'w1' });
    await database.query(
      `INSERT INTO workers SELECT id, gen_random_uuid(), 'http://127.0.0.1:1', 1, 200, now(), now(), now() - age::interval
         FROM (VALUES ('long', '61 minutes'), ('lately', '59 minutes')) AS w (id, age)`,
    );
    const purge = app.app.get(WorkerPurge);
    await Promise.all([purge.purge(), purge.purge(), purge.purge()]);
    expect(await database.query('SELECT id FROM workers ORDER BY id')).toEqual([{ id: 'lately' }, { id: 'w1' }]);
  });

  it('are chosen by room first, then by how little they hold', async () => {
    const gateway = await start('gateway');
    await database.query(
      `INSERT INTO workers SELECT id, gen_random_uuid(), 'http://127.0.0.1:1', 1, capacity, now(), now(), now() + interval '1 hour'
         FROM (VALUES ('busy', 200), ('full', 1), ('idle', 200)) AS w (id, capacity)`,
    );
    await database.query(`INSERT INTO apps (id, api_id, api_hash_sealed) VALUES (gen_random_uuid(), 1, 'x')`);
    await database.query(
      `INSERT INTO sessions (id, kind, app_id, db_key_sealed, status, worker_id)
       SELECT gen_random_uuid(), 'bot', (SELECT id FROM apps), 'x', 'authorized', w
         FROM unnest(ARRAY['busy', 'busy', 'full']) AS w`,
    );
    const order = (await gateway.app.get(WorkerDirectory).candidates()).map(({ id }) => id);
    expect(order).toEqual(['idle', 'busy', 'full']);
  });
});
