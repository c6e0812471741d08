import { API_TOKEN, type TestApp, cluster, master, startApp } from './support/app.js';

describe('access', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await startApp({ role: 'gateway', env: { AUTH_FAILURES_PER_MINUTE: '5' } });
  });

  afterEach(() => app.stop());

  interface Failure {
    readonly error: { readonly code: string; readonly source: string; readonly message: string };
  }

  it.each([
    ['nothing', {}],
    ['another token', { authorization: 'Bearer wrong' }],
    ['the token with a tail', { authorization: `Bearer ${API_TOKEN}x` }],
    ['another scheme', { authorization: `Basic ${API_TOKEN}` }],
    ['the token alone', { authorization: API_TOKEN }],
    ["the cluster's token", cluster],
    ['a cookie that is none of ours', { cookie: 'tgcontrol_console=v1.9999999999999.abc.def' }],
  ])('is refused with 401 and WWW-Authenticate for %s', async (_what, headers) => {
    const answer = await app.http().get('/v1/apps').set(headers).expect(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
    expect(answer.headers['x-error-source']).toBe('gateway');
    expect(answer.body as Failure).toMatchObject({ ok: false, error: { source: 'gateway', code: 'unauthenticated' } });
  });

  it('is given to the API token, whatever the case of the scheme', async () => {
    await app.http().get('/v1/apps').set(master).expect(200);
    await app
      .http()
      .get('/v1/apps')
      .set({ authorization: `bearer ${API_TOKEN}` })
      .expect(200);
  });

  it('is asked for before the body is looked at', async () => {
    await app.http().post('/v1/apps').send({ api_id: 'x' }).expect(401);
  });

  it('is throttled by address after too many failures, and a valid token still passes', async () => {
    for (let failures = 0; failures < 5; failures++) await app.http().get('/v1/apps').expect(401);
    const answer = await app.http().get('/v1/apps').expect(429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.body as Failure).toMatchObject({ error: { code: 'authentication_throttled' } });
    await app.http().get('/v1/apps').set(master).expect(200);
    await app.http().post('/v1/console/session').send({ token: 'guess' }).expect(429);
  });

  describe('of the console', () => {
    interface Session {
      readonly cookie: string;
      readonly attributes: string;
      readonly csrf: string;
    }

    async function signIn(): Promise<Session> {
      const answer = await app.http().post('/v1/console/session').send({ token: API_TOKEN }).expect(200);
      const { result } = answer.body as { result: { csrf_token: string; expires_at: string } };
      expect(Date.parse(result.expires_at)).toBeGreaterThan(Date.now());
      const [cookie = '', ...attributes] = (answer.headers['set-cookie']?.[0] ?? '').split('; ');
      return { cookie, attributes: attributes.join('; '), csrf: result.csrf_token };
    }

    it('is a cookie that scripts and other sites cannot use', async () => {
      const { cookie, attributes } = await signIn();
      expect(cookie).toMatch(/^tgcontrol_console=/);
      expect(cookie).not.toContain(API_TOKEN);
      expect(attributes).toMatch(/^Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    });

    it('is not opened with a wrong token', async () => {
      await app.http().post('/v1/console/session').send({ token: 'wrong' }).expect(401);
      await app.http().post('/v1/console/session').send({}).expect(400);
    });

    it('reads with the cookie alone', async () => {
      const { cookie } = await signIn();
      await app
        .http()
        .get('/v1/apps')
        .set({ cookie: `other=1; ${cookie}` })
        .expect(200);
    });

    it('changes only with its CSRF token', async () => {
      const { cookie, csrf } = await signIn();
      const other = await signIn();
      for (const token of [undefined, '', 'wrong', other.csrf]) {
        const headers = { cookie, ...(token !== undefined && { 'x-csrf-token': token }) };
        const { body } = await app.http().patch('/v1/apps/x').set(headers).send({}).expect(403);
        expect(body as Failure).toMatchObject({ error: { code: 'csrf_failed' } });
      }
      await app.http().patch('/v1/apps/x').set({ cookie, 'x-csrf-token': csrf }).send({}).expect(404);
    });

    it('gives its CSRF token again after a reload', async () => {
      const { cookie, csrf } = await signIn();
      const { body } = await app.http().get('/v1/console/session').set({ cookie }).expect(200);
      expect(body).toMatchObject({ ok: true, result: { csrf_token: csrf } });
      await app.http().get('/v1/console/session').expect(401);
    });

    it('ends when the console signs out, which needs the CSRF token too', async () => {
      const { cookie, csrf } = await signIn();
      await app.http().delete('/v1/console/session').set({ cookie }).expect(403);
      const answer = await app.http().delete('/v1/console/session').set({ cookie, 'x-csrf-token': csrf }).expect(200);
      expect(answer.headers['set-cookie']?.[0]).toMatch(/^tgcontrol_console=; .*Max-Age=0/);
      await app.http().get('/v1/apps').set({ cookie }).expect(401);
    });

    it('is nobody’s once the cookie was changed', async () => {
      const { cookie } = await signIn();
      const [name, value = ''] = cookie.split('=');
      const parts = value.split('.');
      parts[1] = String(Number(parts[1]) + 1000);
      await app
        .http()
        .get('/v1/apps')
        .set({ cookie: `${name ?? ''}=${parts.join('.')}` })
        .expect(401);
    });
  });
});
