import { randomUUID } from 'node:crypto';
import { Notifications } from '../src/common/db/notifications.js';
import { LocalProxyVault } from '../src/modules/proxies/index.js';
import { type TestApp, master, startApp } from './support/app.js';
import { until } from './support/until.js';

const SECRET = 'dd00112233445566778899aabbccddeeff';

describe('proxies', () => {
  let app: TestApp;
  const changed: (string | undefined)[] = [];

  beforeAll(async () => {
    app = await startApp();
    app.app.get(Notifications).subscribe('proxy_changed', (id) => changed.push(id));
  });

  afterAll(() => app.stop());

  afterEach(async () => {
    await app.database.query('DELETE FROM sessions');
    await app.database.query('DELETE FROM proxies');
  });

  async function create(body: object): Promise<string> {
    const answer = await app.http().post('/v1/proxies').set(master).send(body).expect(200);
    return (answer.body as { result: { proxy_id: string } }).result.proxy_id;
  }

  async function list(): Promise<Record<string, unknown>[]> {
    const answer = await app.http().get('/v1/proxies').set(master).expect(200);
    return (answer.body as { result: Record<string, unknown>[] }).result;
  }

  const settings = (id: string): Promise<object> => app.app.get(LocalProxyVault).settings(id);
  const socks = { type: 'socks5', host: 'proxy.example', port: 1080, username: 'me', password: 'p4ss' };

  it('are listed without their secrets and stored encrypted', async () => {
    const id = await create({ ...socks, label: 'exit' });
    const { password: _password, ...visible } = socks;
    expect(await list()).toEqual([{ id, ...visible, label: 'exit', created_at: expect.any(String) }]);
    expect(JSON.stringify(await app.database.query('SELECT * FROM proxies'))).not.toContain('p4ss');
    expect(await settings(id)).toEqual(socks);
  });

  it('of type mtproto have a secret and nothing else', async () => {
    const id = await create({ type: 'mtproto', host: '192.0.2.1', port: 443, secret: SECRET });
    expect(await settings(id)).toEqual({ type: 'mtproto', host: '192.0.2.1', port: 443, secret: SECRET });
  });

  it.each([
    [{}, ['type', 'host', 'port']],
    [{ type: 'ftp', host: 'h', port: 1 }, ['type']],
    [{ type: 'http', host: 'http://h', port: 1 }, ['host']],
    [{ type: 'http', host: 'a b', port: 1 }, ['host']],
    [{ type: 'http', host: 'h', port: 0 }, ['port']],
    [{ type: 'http', host: 'h', port: 65_536 }, ['port']],
    [{ type: 'http', host: 'h', port: '80' }, ['port']],
    [{ type: 'mtproto', host: 'h', port: 443 }, ['secret']],
    [{ type: 'mtproto', host: 'h', port: 443, secret: 'short' }, ['secret']],
    [{ type: 'mtproto', host: 'h', port: 443, secret: SECRET, username: 'u', password: 'p' }, ['username', 'password']],
    [{ type: 'socks5', host: 'h', port: 1, secret: SECRET }, ['secret']],
  ])('refuse %j and name the fields', async (body, paths) => {
    const answer = await app.http().post('/v1/proxies').set(master).send(body).expect(400);
    const { error } = answer.body as { error: { code: string; details: { issues: { path: string }[] } } };
    expect(error.code).toBe('validation_failed');
    expect(error.details.issues.map(({ path }) => path)).toEqual(paths);
  });

  it('change one field and keep the others, the password too', async () => {
    const id = await create(socks);
    await app.http().patch(`/v1/proxies/${id}`).set(master).send({ port: 1081 }).expect(200);
    expect(await settings(id)).toEqual({ ...socks, port: 1081 });
    await app.http().patch(`/v1/proxies/${id}`).set(master).send({ password: 'other' }).expect(200);
    expect(await settings(id)).toEqual({ ...socks, port: 1081, password: 'other' });
    await app.http().patch(`/v1/proxies/${id}`).set(master).send({ password: '', username: null }).expect(200);
    expect(await settings(id)).toEqual({ type: 'socks5', host: socks.host, port: 1081 });
  });

  it('never use a password as a secret when the type changes', async () => {
    const id = await create(socks);
    const { body } = await app.http().patch(`/v1/proxies/${id}`).set(master).send({ type: 'mtproto' }).expect(400);
    expect(body).toMatchObject({ error: { details: { issues: [{ path: 'secret' }] } } });
    await app.http().patch(`/v1/proxies/${id}`).set(master).send({ type: 'mtproto', secret: SECRET }).expect(200);
    expect(await settings(id)).toEqual({ type: 'mtproto', host: socks.host, port: 1080, secret: SECRET });
    await app.http().patch(`/v1/proxies/${id}`).set(master).send({ type: 'http', host: 'h2' }).expect(200);
    expect(await settings(id)).toEqual({ type: 'http', host: 'h2', port: 1080 });
  });

  it('are renamed and the label is cleared by an empty one', async () => {
    const id = await create(socks);
    await app.http().patch(`/v1/proxies/${id}`).set(master).send({ label: 'x' }).expect(200);
    expect(await list()).toMatchObject([{ label: 'x' }]);
    await app.http().patch(`/v1/proxies/${id}`).set(master).send({ label: '' }).expect(200);
    expect((await list())[0]).not.toHaveProperty('label');
  });

  it('tell every process when they have changed', async () => {
    const id = await create(socks);
    await app.http().patch(`/v1/proxies/${id}`).set(master).send({ port: 9 }).expect(200);
    await until('the notification', () => changed.includes(id));
  });

  it.each(['nonsense', randomUUID()])('answer 404 for the unknown id %p', async (id) => {
    for (const call of [
      app.http().patch(`/v1/proxies/${id}`).send({ label: 'x' }),
      app.http().patch(`/v1/proxies/${id}`).send({ port: 7 }),
      app.http().delete(`/v1/proxies/${id}`),
    ]) {
      const { body } = await call.set(master).expect(404);
      expect(body).toMatchObject({ error: { code: 'proxy_not_found' } });
    }
  });

  it('are deleted unless sessions use them', async () => {
    const id = await create(socks);
    const [appId, session] = [randomUUID(), randomUUID()];
    await app.database.query(`INSERT INTO apps (id, api_id, api_hash_sealed) VALUES ($1, 1, 'x')`, [appId]);
    await app.database.query(
      `INSERT INTO sessions (id, kind, app_id, proxy_id, db_key_sealed, status) VALUES ($1, 'bot', $2, $3, 'x', 'stopped')`,
      [session, appId, id],
    );
    const { body } = await app.http().delete(`/v1/proxies/${id}`).set(master).expect(409);
    expect(body).toMatchObject({ error: { code: 'in_use', details: { session_ids: [session] } } });
    await app.database.query('DELETE FROM sessions');
    await app.http().delete(`/v1/proxies/${id}`).set(master).expect(200);
    expect(await list()).toEqual([]);
  });
});
