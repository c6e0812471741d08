import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestApp, startApp } from './support/app.js';

describe('the console', () => {
  let app: TestApp;
  const dir = mkdtempSync(join(tmpdir(), 'tgcontrol-console-'));

  beforeAll(async () => {
    mkdirSync(join(dir, 'out/_next/static'), { recursive: true });
    mkdirSync(join(dir, 'out/sessions'), { recursive: true });
    writeFileSync(join(dir, 'secret.txt'), 'outside');
    writeFileSync(join(dir, 'out/index.html'), '<p>home</p>');
    writeFileSync(join(dir, 'out/404.html'), '<p>nothing here</p>');
    writeFileSync(join(dir, 'out/sessions/index.html'), '<p>sessions</p>');
    writeFileSync(join(dir, 'out/_next/static/a.js'), 'void 0;');
    app = await startApp({ role: 'gateway', env: { CONSOLE_DIR: join(dir, 'out') } });
  });

  afterAll(async () => {
    await app.stop();
    rmSync(dir, { recursive: true });
  });

  it('is served at / with a policy that allows only its own files', async () => {
    const answer = await app.http().get('/').expect(200);
    expect(answer.text).toBe('<p>home</p>');
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(answer.headers['content-security-policy']).toMatch(/script-src 'self';.*frame-ancestors 'none'/);
  });

  it('keeps hashed files in the browser’s cache for ever', async () => {
    const answer = await app.http().get('/_next/static/a.js').expect(200);
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('is not sent again when it has not changed', async () => {
    const { headers } = await app.http().get('/sessions/').expect(200);
    await app
      .http()
      .get('/sessions/')
      .set({ 'if-none-match': headers['etag'] ?? '' })
      .expect(304);
  });

  it('has its directories with a slash', async () => {
    const answer = await app.http().get('/sessions?tab=1').expect(308);
    expect(answer.headers['location']).toBe('/sessions/?tab=1');
  });

  it('answers HEAD', async () => {
    const answer = await app.http().head('/').expect(200);
    expect(answer.headers['content-length']).toBe('11');
  });

  it('has a page for what is not there, and programs get the envelope', async () => {
    const page = await app.http().get('/nothing').set({ accept: 'text/html' }).expect(404);
    expect(page.text).toBe('<p>nothing here</p>');
    const { body } = await app.http().get('/nothing').expect(404);
    expect(body).toMatchObject({ ok: false, error: { code: 'route_not_found' } });
  });

  it('never stands in for the API', async () => {
    const { body } = await app.http().get('/v1/nothing').set({ accept: 'text/html' }).expect(404);
    expect(body).toMatchObject({ ok: false, error: { code: 'route_not_found' } });
    await app.http().post('/').expect(404);
  });

  it.each(['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/_next/..%5c..%5csecret.txt', '//secret.txt'])(
    'gives nothing outside its directory for %s',
    async (path) => {
      const answer = await app.http().get(path);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text).not.toContain('outside');
    },
  );
});
