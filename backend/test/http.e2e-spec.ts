import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestApp, master, startApp } from './support/app.js';
import { sendRaw } from './support/raw-http.js';

interface Failure {
  readonly ok: false;
  readonly error: {
    readonly code: string;
    readonly source: string;
    readonly message: string;
    readonly details?: { readonly issues?: readonly { readonly path: string; readonly message: string }[] };
  };
}

describe('every answer', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp();
  });

  afterAll(() => app.stop());

  const raw = (text: string): Promise<string> => sendRaw(app.url, text);

  it('has the envelope and the security headers, also for a path that does not exist', async () => {
    const answer = await app.http().get('/v1/nothing').expect(404);
    expect(answer.body as Failure).toMatchObject({ ok: false, error: { source: 'gateway', code: 'route_not_found' } });
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-error-source': 'gateway',
    });
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('names the allowed methods when only the method is wrong', async () => {
    const answer = await app.http().put('/v1/apps').set(master).send({}).expect(405);
    expect(answer.headers['allow']).toBe('GET, HEAD, POST');
    expect(answer.body as Failure).toMatchObject({ ok: false, error: { code: 'method_not_allowed' } });
    const bot = await app.http().put('/v1/bot/1').set(master).send({}).expect(405);
    expect(bot.headers['allow']).toContain('PATCH');
    await app.http().get('/v1/neither/1').set(master).expect(404);
  });

  it('is 404 for a path with a part that is longer than any id', async () => {
    const id = 'x'.repeat(501);
    for (const path of [`/v1/bot/${id}`, `/v1/nothing/${id}`]) {
      const answer = await app.http().get(path).set(master).expect(404);
      expect(answer.body as Failure).toMatchObject({ ok: false, error: { code: 'route_not_found' } });
    }
  });

  it.each([
    ['content-encoding', 'gzip', 'Content-Encoding "gzip"'],
    ['content-type', 'application/json; charset=utf-16', 'charset "utf-16"'],
    ['content-type', 'application/json;charset="ISO-8859-1"', 'charset "iso-8859-1"'],
  ])('refuses a body whose %s is %s with 415 and says why', async (header, value, words) => {
    const answer = await app.http().post('/v1/apps').set(master).set(header, value).send('{"api_id":1}');
    expect(answer.status).toBe(415);
    const { error } = answer.body as Failure;
    expect(error.code).toBe('unsupported_media_type');
    expect(error.message).toContain(words);
  });

  it.each([
    ['content-encoding', 'identity'],
    ['content-type', 'application/json; charset=UTF-8'],
    ['content-type', 'application/json; charset="utf8"'],
  ])('reads a body whose %s is %s', async (header, value) => {
    const body = '{"api_id":1,"api_hash":"h"}';
    await app.http().post('/v1/apps').set(master).set(header, value).send(body).expect(200);
  });

  it('carries the id of the request when it is a sane token, and a made one otherwise', async () => {
    const sane = await app.http().get('/healthz').set({ 'x-request-id': 'abc-123.X:7' }).expect(200);
    expect(sane.headers['x-request-id']).toBe('abc-123.X:7');
    for (const id of ['two words', 'a'.repeat(129), '"quoted"']) {
      const made = await app.http().get('/v1/nothing').set({ 'x-request-id': id }).expect(404);
      expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('refuses a body of more than 8 MiB with 413', async () => {
    const body = `{"api_hash":"${'x'.repeat(8 * 1024 * 1024)}"}`;
    const answer = await app.http().post('/v1/apps').set(master).set('content-type', 'application/json').send(body);
    expect(answer.status).toBe(413);
    expect(answer.body as Failure).toMatchObject({ ok: false, error: { code: 'payload_too_large' } });
  });

  it.each([
    ['{"api_id":', 'not valid JSON'],
    ['[1]', 'must be a JSON object'],
    ['"text"', 'must be a JSON object'],
    ['7', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
  ])('refuses the body %s with 400', async (body, reason) => {
    const answer = await app.http().post('/v1/apps').set(master).set('content-type', 'application/json').send(body);
    expect(answer.status).toBe(400);
    const { error } = answer.body as Failure;
    expect(error.code).toBe('validation_failed');
    expect(error.message).toContain(reason);
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'application/xml', 'nonsense'])(
    'reads JSON although the Content-Type says %s',
    async (type) => {
      const body = '{"api_id":1,"api_hash":"h"}';
      await app.http().post('/v1/apps').set(master).set('content-type', type).send(body).expect(200);
    },
  );

  it('reads JSON without any Content-Type', async () => {
    const body = '{"api_id":1,"api_hash":"h"}';
    const answer = await raw(
      `POST /v1/apps HTTP/1.1\r\nHost: x\r\nAuthorization: ${master.authorization}\r\nConnection: close\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toContain('HTTP/1.1 200');
  });

  it('names the path of an integer that JSON numbers cannot hold', async () => {
    const body = '{"api_id":9007199254740993,"api_hash":"h"}';
    const answer = await app.http().post('/v1/apps').set(master).set('content-type', 'application/json').send(body);
    expect(answer.status).toBe(400);
    expect((answer.body as Failure).error.details?.issues).toMatchObject([{ path: 'api_id' }]);
  });

  it('is JSON even when the request is no HTTP', async () => {
    const answer = await raw('this is nothing\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/X-Request-Id: /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ ok: false, error: { source: 'gateway' } });
  });

  it('is JSON when the headers are too large', async () => {
    const answer = await raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: 'headers_too_large' } });
  });

  it('is JSON when the URL is malformed', async () => {
    const answer = await raw(`GET /v1/apps/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"ok":false');
    expect(answer.toLowerCase()).toContain('x-request-id: ');
  });

  it.each([
    ['no Host', 'GET /v1/apps HTTP/1.1\r\n\r\n', 400, 'validation_failed'],
    ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n', 405, 'method_not_allowed'],
    [
      'an expectation that nobody knows',
      'GET /v1/nothing HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
      404,
      'route_not_found',
    ],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, 'route_not_found'],
    [
      'two lengths',
      'POST /v1/apps HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
      400,
      'validation_failed',
    ],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'validation_failed'],
  ])('has the envelope for %s', async (_what, text, status, code) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/^x-request-id: \S+\r$/im);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      ok: false,
      error: { source: 'gateway', code },
    });
  });

  it('takes HTTP/1.0, which has no Host', async () => {
    expect(await raw('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('answers HEAD as GET without the body', async () => {
    const answer = await app.http().head('/v1/apps').set(master).expect(200);
    expect(answer.text).toBeFalsy();
  });

  it('hides what a bug says, and logs it', async () => {
    await app.database.query('ALTER TABLE apps RENAME COLUMN label TO hidden');
    try {
      const answer = await app.http().get('/v1/apps').set(master).expect(500);
      expect((answer.body as Failure).error).toEqual({
        source: 'gateway',
        code: 'internal_error',
        message: 'internal error',
      });
    } finally {
      await app.database.query('ALTER TABLE apps RENAME COLUMN hidden TO label');
    }
  });

  it.each([
    ['a malformed URL', 'GET /v1/apps/%zz'],
    ['a method that nothing here knows', 'PROPFIND /v1/apps'],
  ])('is in plain words for %s', async (_what, line) => {
    const answer = await raw(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).toContain('"ok":false');
    expect(answer).not.toMatch(/FST_|Fastify/);
  });

  it('is given to a caller without credentials before the body is read', async () => {
    for (const token of ['', 'Authorization: Bearer wrong\r\n']) {
      // Nothing of the body is ever sent.
      const answer = await raw(
        `POST /v1/apps HTTP/1.1\r\nHost: x\r\n${token}Content-Length: 7000000\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    }
  });

  it('refuses more than 16 KiB where no credentials are needed', async () => {
    const body = JSON.stringify({ token: 'x'.repeat(16 * 1024) });
    const answer = await app.http().post('/v1/console/session').set('content-type', 'application/json').send(body);
    expect(answer.status).toBe(413);
    expect(JSON.stringify(answer.body)).toContain('16384');
  });

  it.each([
    ['post', '/v1/apps', { api_id: 1, api_hash: 'h', label: 'a\0b' }, 'label'],
    ['post', '/v1/proxies', { type: 'socks5', host: 'h', port: 1, username: 'a\0' }, 'username'],
    ['post', '/v1/bot', { token: '1:A', app_id: 'x', label: '\0' }, 'label'],
    ['post', '/v1/bot', { token: '1:A', app_id: 'x', label: null }, 'label'],
    ['get', `/v1/apps?limit=1&cursor=${Buffer.from('1 \0').toString('base64url')}`, undefined, 'cursor'],
    ['get', `/v1/apps?limit=1&cursor=${Buffer.from('1 x').toString('base64url')}`, undefined, 'cursor'],
    ['get', '/v1/apps?cursor=%00', undefined, 'cursor'],
  ] as const)('names the field that PostgreSQL could not take: %s %s %j', async (method, path, body, field) => {
    const answer = await app.http()[method](path).set(master).send(body);
    expect(answer.status).toBe(400);
    expect((answer.body as Failure).error.details?.issues).toMatchObject([{ path: field }]);
  });

  it.each(['/v1/tokens/%00', '/v1/pools/%00/objects/a', '/v1/user/x%00/limits/cooldowns/y'])(
    'knows nothing that has a NUL in its name: %s',
    async (path) => {
      const answer = await app.http().delete(path).set(master);
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ error: { code: 'route_not_found' } });
    },
  );
});

describe('an end', () => {
  const HOUR = 3_600_000;

  it('waits for nobody who has connected and says nothing', async () => {
    // Where somebody has an hour to say something, whoever waits for it waits longer than this test may take.
    const app = await startApp({ role: 'gateway', deadlines: { headersMs: HOUR, requestMs: HOUR, checkMs: 1_000 } });
    const silent = connect(Number(new URL(app.url).port), '127.0.0.1');
    await once(silent, 'connect');
    silent.on('error', () => undefined);
    await app.stop();
  });
});
