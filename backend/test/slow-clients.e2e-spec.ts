import { master, startApp, type TestApp } from './support/app.js';
import { sendRaw } from './support/raw-http.js';

describe('a client that is slow on purpose', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ role: 'gateway' });
  });

  afterAll(() => app.stop());

  it.each([
    ['headers', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ', 25_000],
    // Of somebody who may send one: the others are answered before their body is read.
    [
      'body',
      `POST /v1/apps HTTP/1.1\r\nHost: x\r\nAuthorization: ${master.authorization}\r\nContent-Length: 10\r\n\r\n{`,
      45_000,
    ],
  ])(
    'is not waited for when its %s never end',
    async (_what, text, limitMs) => {
      const started = performance.now();
      const answer = await sendRaw(app.url, text);
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: 'request_timeout' } });
      expect(performance.now() - started).toBeLessThan(limitMs);
    },
    60_000,
  );
});
