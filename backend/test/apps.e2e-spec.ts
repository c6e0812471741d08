import { randomUUID } from 'node:crypto';
import { type TestApp, master, startApp } from './support/app.js';

describe('apps', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp();
  });

  afterAll(() => app.stop());

  afterEach(async () => {
    await app.database.query('DELETE FROM sessions');
    await app.database.query('DELETE FROM apps');
  });

  async function create(body: object = { api_id: 17, api_hash: 'hash-of-the-app' }): Promise<string> {
    const answer = await app.http().post('/v1/apps').set(master).send(body).expect(200);
    return (answer.body as { result: { app_id: string } }).result.app_id;
  }

  async function list(query = ''): Promise<{ result: Record<string, unknown>[]; next_cursor?: string }> {
    const answer = await app.http().get(`/v1/apps${query}`).set(master).expect(200);
    return answer.body as { result: Record<string, unknown>[]; next_cursor?: string };
  }

  it('are created with status 200 and listed without their api_hash', async () => {
    const id = await create({ api_id: 17, api_hash: 'hash-of-the-app', label: 'main' });
    const { result, next_cursor } = await list();
    expect(result).toEqual([{ id, api_id: 17, label: 'main', created_at: expect.stringMatching(/^\d{4}-.*Z$/) }]);
    expect(next_cursor).toBeUndefined();
  });

  it('keep their api_hash encrypted', async () => {
    await create();
    const [row] = await app.database.query<{ api_hash_sealed: string }>('SELECT api_hash_sealed FROM apps');
    expect(row?.api_hash_sealed).toMatch(/^v1\./);
    expect(JSON.stringify(row)).not.toContain('hash-of-the-app');
  });

  it('may hold one api_id several times', async () => {
    await create();
    await create();
    expect((await list()).result).toHaveLength(2);
  });

  it('name every field that is wrong', async () => {
    const { body } = await app.http().post('/v1/apps').set(master).send({ api_id: 'x', label: 5 }).expect(400);
    expect(body).toMatchObject({
      ok: false,
      error: {
        source: 'gateway',
        code: 'validation_failed',
        details: { issues: [{ path: 'api_id' }, { path: 'api_hash' }, { path: 'label' }] },
      },
    });
  });

  it.each([0, -1, 1.5, 2_147_483_648, null, '17'])('refuse %p as api_id', async (api_id) => {
    const { body } = await app.http().post('/v1/apps').set(master).send({ api_id, api_hash: 'h' }).expect(400);
    expect(body).toMatchObject({ error: { details: { issues: [{ path: 'api_id' }] } } });
  });

  it('ignore fields they do not know', async () => {
    await create({ api_id: 1, api_hash: 'h', surprise: true, id: randomUUID() });
    expect((await list()).result).toHaveLength(1);
  });

  it('are renamed, and an empty label clears it', async () => {
    const id = await create({ api_id: 1, api_hash: 'h', label: 'old' });
    const { body } = await app.http().patch(`/v1/apps/${id}`).set(master).send({ label: 'new' }).expect(200);
    expect(body).toEqual({ ok: true, result: { status: 'updated' } });
    expect((await list()).result[0]).toMatchObject({ label: 'new' });
    await app.http().patch(`/v1/apps/${id}`).set(master).send({ label: '' }).expect(200);
    expect((await list()).result[0]).not.toHaveProperty('label');
  });

  it('take new credentials and keep the rest', async () => {
    const id = await create({ api_id: 1, api_hash: 'h', label: 'kept' });
    const sealed = async (): Promise<unknown> => (await app.database.query('SELECT api_hash_sealed FROM apps'))[0];
    const before = await sealed();
    await app.http().patch(`/v1/apps/${id}`).set(master).send({ api_id: 2, api_hash: 'other' }).expect(200);
    expect((await list()).result[0]).toMatchObject({ api_id: 2, label: 'kept' });
    expect(await sealed()).not.toEqual(before);
  });

  it('refuse null as credentials', async () => {
    const id = await create();
    const change = { api_id: null, api_hash: null };
    const { body } = await app.http().patch(`/v1/apps/${id}`).set(master).send(change).expect(400);
    expect(body).toMatchObject({ error: { details: { issues: [{ path: 'api_id' }, { path: 'api_hash' }] } } });
  });

  it.each(['not-a-uuid', randomUUID(), "' OR 1=1 --"])('answer 404 for the unknown id %p', async (id) => {
    for (const call of [
      app
        .http()
        .patch(`/v1/apps/${encodeURIComponent(id)}`)
        .send({ label: 'x' }),
      app
        .http()
        .patch(`/v1/apps/${encodeURIComponent(id)}`)
        .send({}),
      app
        .http()
        .patch(`/v1/apps/${encodeURIComponent(id)}`)
        .send({ api_hash: 'x' }),
      app.http().delete(`/v1/apps/${encodeURIComponent(id)}`),
    ]) {
      const { body } = await call.set(master).expect(404);
      expect(body).toMatchObject({ ok: false, error: { source: 'gateway', code: 'app_not_found' } });
    }
  });

  it('are deleted once', async () => {
    const id = await create();
    const { body } = await app.http().delete(`/v1/apps/${id}`).set(master).expect(200);
    expect(body).toEqual({ ok: true, result: { status: 'deleted' } });
    await app.http().delete(`/v1/apps/${id}`).set(master).expect(404);
  });

  it('are not deleted while sessions use them, and the answer names the sessions', async () => {
    const id = await create();
    const session = randomUUID();
    await app.database.query(
      `INSERT INTO sessions (id, kind, app_id, db_key_sealed, status) VALUES ($1, 'bot', $2, 'x', 'stopped')`,
      [session, id],
    );
    const { body } = await app.http().delete(`/v1/apps/${id}`).set(master).expect(409);
    expect(body).toMatchObject({ error: { code: 'in_use', details: { session_ids: [session] } } });
    expect((await list()).result).toHaveLength(1);
  });

  it('come in pages without losing or repeating one', async () => {
    const ids = [];
    for (let api_id = 1; api_id <= 5; api_id++) ids.push(await create({ api_id, api_hash: 'h' }));
    // All in the same millisecond, so that only the id tells them apart.
    await app.database.query('UPDATE apps SET created_at = now()');
    const seen: unknown[] = [];
    let cursor: string | undefined = '';
    do {
      const page = await list(`?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...page.result.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(ids.toSorted());
  });

  it('refuse a page that cannot be', async () => {
    const { body } = await app.http().get('/v1/apps?limit=0&cursor=nonsense').set(master).expect(400);
    expect(body).toMatchObject({ error: { details: { issues: [{ path: 'limit' }] } } });
    await app.http().get('/v1/apps?cursor=nonsense').set(master).expect(400);
    await app.http().get('/v1/apps?limit=many').set(master).expect(400);
  });
});
