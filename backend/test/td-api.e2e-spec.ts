import { type TestApp, master, startApp } from './support/app.js';

interface Method {
  readonly name: string;
  readonly class: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
}

describe.each(['gateway', 'all'] as const)('the td_api catalogue in the role %s', (role) => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ role });
  });

  afterAll(() => app.stop());

  async function methods(query = ''): Promise<Method[]> {
    const answer = await app.http().get(`/v1/td/methods${query}`).set(master).expect(200);
    return (answer.body as { result: Method[] }).result;
  }

  it('has every method with its class, parameters and description', async () => {
    const all = await methods();
    expect(all.length).toBeGreaterThan(900);
    expect(all.find(({ name }) => name === 'deleteAccount')).toEqual({
      name: 'deleteAccount',
      class: 'account',
      reserved: false,
      description: expect.stringContaining('Deletes the account of the current user'),
      parameters: [
        { name: 'reason', type: 'string', description: expect.any(String) },
        { name: 'password', type: 'string', description: expect.any(String) },
      ],
      returns: 'Ok',
      synchronous: false,
      bots_only: false,
    });
  });

  it('has every type, objects with fields and classes with their objects', async () => {
    const answer = await app.http().get('/v1/td/types').set(master).expect(200);
    const { result } = answer.body as { result: { name: string }[] };
    expect(result.length).toBeGreaterThan(2000);
    expect(result).toContainEqual({
      name: 'MessageSender',
      description: expect.any(String),
      one_of: ['messageSenderUser', 'messageSenderChat'],
    });
    expect(result.find(({ name }) => name === 'messageSenderUser')).toMatchObject({
      fields: [{ name: 'user_id', type: 'number' }],
    });
  });

  it('is found by name and by words', async () => {
    expect((await methods('?name=getMe')).map(({ name }) => name)).toEqual(['getMe']);
    expect(await methods('?name=getme')).toEqual([]);
    const found = await methods('?q=TEXT%20ENTITIES');
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((each) => JSON.stringify(each).toLowerCase().includes('text entities'))).toBe(true);
    expect(await methods('?name=getMe&q=chat')).toEqual([]);
    const types = await app.http().get('/v1/td/types?name=chat').set(master).expect(200);
    expect((types.body as { result: object[] }).result).toHaveLength(1);
    await app
      .http()
      .get(`/v1/td/methods?q=${'x'.repeat(101)}`)
      .set(master)
      .expect(400);
  });

  it('is sent again only when it has changed', async () => {
    const first = await app.http().get('/v1/td/methods').set(master).expect(200);
    const etag = String(first.headers['etag']);
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(first.headers['cache-control']).toBe('private, no-cache');
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await app.http().get('/v1/td/methods').set(master).set('if-none-match', known).expect(304);
      expect(again.text).toBe('');
      expect(again.headers['etag']).toBe(etag);
    }
    await app.http().get('/v1/td/methods').set(master).set('if-none-match', '"other"').expect(200);
    const types = await app.http().get('/v1/td/types').set(master).expect(200);
    expect(types.headers['etag']).not.toBe(etag);
    expect(types.headers['x-request-id']).toEqual(expect.any(String));
  });

  it('is open to every token, and to nobody without one', async () => {
    const made = await app.http().post('/v1/tokens').set(master).send({}).expect(200);
    const { token } = (made.body as { result: { token: string } }).result;
    await app
      .http()
      .get('/v1/td/methods?name=getMe')
      .set({ authorization: `Bearer ${token}` })
      .expect(200);
    await app.http().get('/v1/td/methods').expect(401);
  });
});
