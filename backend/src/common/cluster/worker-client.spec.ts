import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../config/index.js';
import { DatabaseClock } from '../db/database-clock.js';
import { UnitOfWork } from '../db/unit-of-work.js';
import { LiveWorkers, type WorkerAddress, WorkerClient } from './worker-client.js';

const config = AppConfig.fromEnv({
  ROLE: 'gateway',
  CLUSTER_TOKEN: 'a-cluster-token-for-these-tests-only',
  API_TOKEN: 'an-api-token-for-these-tests-only',
  DATABASE_URL: 'postgresql://127.0.0.1/none',
});
const REQUEST = { method: 'POST', path: '/internal/anything', body: {} } as const;

/** Tells what it knew at first until it is told to look again. */
class Directory extends LiveWorkers {
  looks = 1;

  constructor(private readonly known: readonly (readonly WorkerAddress[])[]) {
    super();
  }

  override candidates(): Promise<readonly WorkerAddress[]> {
    return Promise.resolve(this.known[this.looks - 1] ?? []);
  }

  override expire(): void {
    this.looks += 1;
  }
}

describe('what any worker can do', () => {
  const servers: Server[] = [];
  const clients: WorkerClient[] = [];

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.onApplicationShutdown()));
    for (const server of servers.splice(0)) server.close();
  });

  /** A worker that answers so, or one that has gone. */
  async function worker(
    id: string,
    answer?: { status: number; body: object },
  ): Promise<WorkerAddress & { asked: number }> {
    const address = { id, addr: '', asked: 0 };
    const server = createServer((request, response) => {
      address.asked += 1;
      request.resume().once('end', () => {
        response.writeHead(answer?.status ?? 500).end(JSON.stringify(answer?.body));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    address.addr = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (answer === undefined) {
      server.close();
      await once(server, 'close');
    } else {
      servers.push(server);
    }
    return address;
  }

  function clientOf(directory: LiveWorkers): WorkerClient {
    const client = new WorkerClient(
      config,
      directory,
      new DatabaseClock(new UnitOfWork(new DataSource({ type: 'postgres' }))),
    );
    clients.push(client);
    return client;
  }

  const done = (by: string): { status: number; body: object } => ({ status: 200, body: { ok: true, result: { by } } });
  const refusal = (code: string): { status: number; body: object } => ({
    status: 503,
    body: { ok: false, error: { source: 'gateway', code, message: 'no' } },
  });

  it('goes to one that came a moment ago when the one that was known has gone', async () => {
    const gone = await worker('gone');
    const directory = new Directory([[gone], [gone, await worker('new', done('new'))]]);
    expect(await clientOf(directory).requestAny(REQUEST)).toEqual({ by: 'new' });
    expect(directory.looks).toBe(2);
  });

  it('asks none twice, looks twice at most, and tells the last refusal', async () => {
    const full = await worker('full', refusal('worker_full'));
    const directory = new Directory([[full], [full], [full]]);
    await expect(clientOf(directory).requestAny(REQUEST)).rejects.toMatchObject({ code: 'worker_full' });
    expect([full.asked, directory.looks]).toEqual([1, 2]);
  });

  it('goes nowhere else with what was refused for itself', async () => {
    const first = await worker('first', refusal('invalid_request'));
    const second = await worker('second', done('second'));
    await expect(clientOf(new Directory([[first, second]])).requestAny(REQUEST)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(second.asked).toBe(0);
  });
});
