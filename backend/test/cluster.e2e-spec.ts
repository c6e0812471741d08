import { randomUUID } from 'node:crypto';
import { createServer, request, type RequestListener, type Server } from 'node:http';
import { CALLER_HEADER, WorkerClient } from '../src/common/cluster/index.js';
import { DeadlineError, RemoteError, WorkerUnreachableError } from '../src/common/errors/index.js';
import { RawEnvelope, runInContext } from '../src/common/http/index.js';
import { LocalAppVault } from '../src/modules/apps/index.js';
import { LocalProxyVault } from '../src/modules/proxies/index.js';
import { type TestApp, cluster, freePort, master, startApp } from './support/app.js';
import { type TestDatabase, createDatabase } from './support/database.js';

/** The status with which a server answers a request to go on in another protocol. */
function upgrade(
  url: string,
  { path, protocol }: { path: string; protocol: string },
  headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request(new URL(path, url), { headers: { ...headers, connection: 'Upgrade', upgrade: protocol } });
    asking.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode);
    });
    asking.once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asking.once('error', reject).end();
  });
}

describe('gateway and worker', () => {
  let database: TestDatabase;
  let gateway: TestApp;

  beforeAll(async () => {
    database = await createDatabase();
    gateway = await startApp({ role: 'gateway', database });
  });

  afterAll(async () => {
    await gateway.stop();
    await database.drop();
  });

  describe('together', () => {
    let worker: TestApp;

    beforeAll(async () => {
      worker = await startApp({ role: 'worker', database, env: { WORKER_ID: 'w1' } });
    });

    afterAll(() => worker.stop());

    it('create apps and proxies, whose secrets only the worker can open', async () => {
      const app = await gateway.http().post('/v1/apps').set(master).send({ api_id: 3, api_hash: 'hash' }).expect(200);
      const { app_id } = (app.body as { result: { app_id: string } }).result;
      const body = { type: 'socks5', host: 'h', port: 1, username: 'u', password: 'p' };
      const proxy = await gateway.http().post('/v1/proxies').set(master).send(body).expect(200);
      const { proxy_id } = (proxy.body as { result: { proxy_id: string } }).result;
      expect(await worker.app.get(LocalAppVault).credentials(app_id)).toEqual({ apiId: 3, apiHash: 'hash' });
      expect(await worker.app.get(LocalProxyVault).settings(proxy_id)).toEqual(body);

      await gateway.http().patch(`/v1/apps/${app_id}`).set(master).send({ api_hash: 'new', label: 'l' }).expect(200);
      await gateway.http().patch(`/v1/proxies/${proxy_id}`).set(master).send({ password: 'new' }).expect(200);
      expect(await worker.app.get(LocalAppVault).credentials(app_id)).toEqual({ apiId: 3, apiHash: 'new' });
      expect(await worker.app.get(LocalProxyVault).settings(proxy_id)).toEqual({ ...body, password: 'new' });
    });

    it("pass the worker's own refusals on unchanged", async () => {
      const bad = { type: 'mtproto', host: 'h', port: 1 };
      const { body } = await gateway.http().post('/v1/proxies').set(master).send(bad).expect(400);
      expect(body).toMatchObject({
        ok: false,
        error: { source: 'gateway', code: 'validation_failed', details: { issues: [{ path: 'secret' }] } },
      });
      const unknown = `/v1/apps/${randomUUID()}`;
      await gateway.http().patch(unknown).set(master).send({ api_hash: 'x' }).expect(404);
    });

    it('keep the worker closed to everybody but gateways', async () => {
      for (const headers of [{}, master, { authorization: 'Bearer x' }]) {
        await worker.http().post('/internal/apps').set(headers).send({ api_id: 1, api_hash: 'h' }).expect(401);
      }
      await worker.http().post('/internal/apps').set(cluster).send({ api_id: 1, api_hash: 'h' }).expect(200);
      await worker.http().get('/v1/apps').set(master).expect(404);
      await gateway.http().post('/internal/apps').set(cluster).send({ api_id: 1, api_hash: 'h' }).expect(404);
    });

    it('open the line for calls to gateways only, and no other protocol to anybody', async () => {
      const asked = { protocol: 'tgcontrol-calls', path: '/internal/calls' };
      expect(await upgrade(worker.url, asked, cluster)).toBe(101);
      for (const headers of [{}, master, { authorization: 'Bearer x' }]) {
        expect(await upgrade(worker.url, asked, headers)).toBe(401);
      }
      expect(await upgrade(worker.url, { ...asked, protocol: 'websocket' }, cluster)).toBe(404);
      expect(await upgrade(worker.url, { ...asked, path: '/internal/apps' }, cluster)).toBe(404);
    });
  });

  it('rename without any worker, and say that none lives where one is needed', async () => {
    const id = randomUUID();
    await database.query(`INSERT INTO apps (id, api_id, api_hash_sealed) VALUES ($1, 1, 'x')`, [id]);
    await gateway.http().patch(`/v1/apps/${id}`).set(master).send({ label: 'new' }).expect(200);
    await database.query('DELETE FROM workers');
    const fresh = await startApp({ role: 'gateway', database });
    try {
      const answer = await fresh.http().post('/v1/apps').set(master).send({ api_id: 1, api_hash: 'h' }).expect(503);
      expect(answer.body).toMatchObject({ error: { code: 'no_live_worker' } });
      expect(answer.headers['retry-after']).toBe('1');
    } finally {
      await fresh.stop();
    }
  });

  describe('the client', () => {
    const servers: Server[] = [];
    const client = (): WorkerClient => gateway.app.get(WorkerClient);

    async function worker(listener: RequestListener): Promise<{ id: string; addr: string }> {
      const port = await freePort();
      const server = createServer(listener);
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      return { id: 'w', addr: `http://127.0.0.1:${port}` };
    }

    afterEach(() => {
      for (const server of servers.splice(0)) {
        server.closeAllConnections();
        server.close();
      }
    });

    it('authenticates, tells who asked and hands the request’s id on, without any token of a client', async () => {
      let headers: NodeJS.Dict<string | string[]> = {};
      const target = await worker((request, response) => {
        headers = request.headers;
        response.end('{"ok":true,"result":7}');
      });
      const context = { requestId: 'r-1', remoteAddress: '::1', caller: { kind: 'master', via: 'token' } } as const;
      const result = await runInContext(context, () =>
        client().request(target, { method: 'GET', path: '/internal/x' }),
      );
      expect(result).toBe(7);
      expect(headers).toMatchObject({ ...cluster, 'x-request-id': 'r-1', [CALLER_HEADER]: expect.any(String) });
    });

    it('passes an answer through byte for byte', async () => {
      const text = '{"ok":true,"result":{"@type":"ok",  "id":"9007199254740993"},"sends":[]}';
      const target = await worker((_request, response) => response.end(text));
      const answer = await client().forward(target, { method: 'POST', path: '/internal/x', body: '{}' });
      expect(answer).toEqual(new RawEnvelope(text));
    });

    it('keeps a refusal of TDLib as it was', async () => {
      const error = { source: 'tdlib', code: 429, message: 'Too Many Requests: retry after 7', retry_after: 7 };
      const target = await worker((_request, response) => {
        response.statusCode = 429;
        response.end(JSON.stringify({ ok: false, error }));
      });
      const failure = await client()
        .request(target, { method: 'POST', path: '/internal/x' })
        .catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(RemoteError);
      expect(failure).toMatchObject({ status: 429, source: 'tdlib', code: 429, retryAfterSeconds: 7 });
    });

    it('knows a worker that was never reached from one that broke off', async () => {
      const nobody = { id: 'w', addr: `http://127.0.0.1:${await freePort()}` };
      const refused = await client()
        .request(nobody, { method: 'POST', path: '/internal/x' })
        .catch((thrown: unknown) => thrown);
      expect(refused).toBeInstanceOf(WorkerUnreachableError);
      expect(refused).toMatchObject({ status: 502, code: 'worker_unreachable', neverReached: true });

      const rude = await worker((request) => request.socket.destroy());
      const broken = await client()
        .request(rude, { method: 'POST', path: '/internal/x' })
        .catch((thrown: unknown) => thrown);
      expect(broken).toMatchObject({ code: 'worker_unreachable', neverReached: false });

      const stranger = await worker((_request, response) => response.end('<html>'));
      const strange = await client()
        .request(stranger, { method: 'POST', path: '/internal/x' })
        .catch((thrown: unknown) => thrown);
      expect(strange).toMatchObject({ code: 'worker_unreachable', neverReached: false });
    });

    it('gives up at its deadline, and when its caller leaves', async () => {
      const silent = await worker(() => undefined);
      const late = client().request(silent, { method: 'GET', path: '/internal/x', timeoutMs: 1000 });
      await expect(late).rejects.toBeInstanceOf(DeadlineError);
      let leave = (): void => undefined;
      const left = client().request(silent, {
        method: 'GET',
        path: '/internal/x',
        onAbort: (abort) => (leave = abort),
      });
      leave();
      await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    });
  });
});
