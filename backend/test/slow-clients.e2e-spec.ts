import { HTTP_DEADLINES } from '../src/common/http/http-server.js';
import { master, startApp, type TestApp } from './support/app.js';
import { sendRaw } from './support/raw-http.js';

describe('a client that is slow on purpose', () => {
  // A fifth of the product's, in the same order and proportions.
  const deadlines = { headersMs: 3_000, requestMs: 6_000, checkMs: 400 };
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ role: 'gateway', deadlines });
  });

  afterAll(() => app.stop());

  it.each([
    ['headers', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ', deadlines.headersMs],
    // Of somebody who may send one: the others are answered before their body is read.
    [
      'body',
      `POST /v1/apps HTTP/1.1\r\nHost: x\r\nAuthorization: ${master.authorization}\r\nContent-Length: 10\r\n\r\n{`,
      deadlines.requestMs,
    ],
  ])('is not waited for when its %s never end', async (_what, text, deadlineMs) => {
    const started = performance.now();
    const answer = await sendRaw(app.url, text);
    const tookMs = performance.now() - started;
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: 'request_timeout' } });
    expect(tookMs).toBeGreaterThanOrEqual(deadlineMs - 50);
  });

  it('has 15 s for its headers and 30 s for the whole, unless a test says otherwise', async () => {
    const usual = await startApp({ role: 'gateway', database: app.database });
    try {
      expect(usual.app.getHttpServer().headersTimeout).toBe(15_000);
      expect(HTTP_DEADLINES.requestMs).toBe(30_000);
    } finally {
      await usual.stop();
    }
  });
});
