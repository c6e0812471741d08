import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { installDebian } from '../launch/lib/debian.mjs';
import { at, BACKEND_MAIN, CONSOLE_OUT } from '../launch/lib/project.mjs';
import { freePort, startProgram, temporaryFolder, until } from './support/servers.mjs';

const PROGRAM = '/usr/bin/caddy';
/** A developer's machine gets nothing installed unasked; CI does. */
const hasCaddy = existsSync(PROGRAM) || (process.env['CI'] === 'true' && (await installDebian('caddy')));
const skip = hasCaddy ? false : `there is no ${PROGRAM} (Debian: apt-get install caddy)`;

const TOKEN = 'a-master-token-of-this-test-only';
const SECURITY_HEADERS = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
];

describe('the Caddyfile, with a real Caddy before the real product', { skip }, () => {
  const { folder, remove } = temporaryFolder();
  let product;
  let caddy;
  let direct;
  let site;

  before(async () => {
    const [gatewayPort, sitePort] = [await freePort(), await freePort()];
    direct = `http://127.0.0.1:${gatewayPort}`;
    site = `http://127.0.0.1:${sitePort}`;
    product = startProgram(process.execPath, [BACKEND_MAIN], {
      ROLE: 'all',
      DATA_DIR: folder,
      LISTEN_ADDR: `127.0.0.1:${gatewayPort}`,
      API_TOKEN: TOKEN,
    });
    caddy = startProgram(PROGRAM, ['run', '--config', at('Caddyfile'), '--adapter', 'caddyfile'], {
      CONSOLE_ADDRESS: `127.0.0.1:${sitePort}`,
      CONSOLE_ROOT: CONSOLE_OUT,
      GATEWAY_UPSTREAM: `127.0.0.1:${gatewayPort}`,
      XDG_CONFIG_HOME: folder,
      XDG_DATA_HOME: folder,
    });
    await until(async () => (await fetch(`${direct}/healthz`)).ok, product);
    await until(async () => (await fetch(`${site}/`)).ok, caddy);
  });

  after(async () => {
    await caddy?.stop();
    await product?.stop();
    remove();
  });

  const get = (path, headers = {}) => fetch(`${site}${path}`, { headers, redirect: 'manual' });
  const authorized = { authorization: `Bearer ${TOKEN}` };

  it('passes the API and its refusals on', async () => {
    const sessions = await get('/v1/sessions', authorized);
    assert.equal(sessions.status, 200);
    assert.deepEqual(await sessions.json(), { ok: true, result: [] });
    const refused = await get('/v1/sessions');
    assert.equal(refused.status, 401);
    assert.equal((await refused.json()).ok, false);
  });

  it('passes health, readiness and the API reference on', async () => {
    for (const path of ['/healthz', '/readyz', '/v1/openapi.json', '/docs'])
      assert.equal((await get(path)).status, 200, path);
  });

  it('keeps what workers say among themselves and the metrics from the outside', async () => {
    for (const path of ['/internal/sessions', '/metrics']) {
      const response = await get(path, authorized);
      assert.equal(response.status, 404, path);
      assert.match(response.headers.get('content-type'), /text\/html/);
    }
  });

  it('serves the console with the security headers that the backend sends', async () => {
    const [behind, straight] = [await get('/'), await fetch(`${direct}/`)];
    assert.equal(behind.status, 200);
    assert.equal(await behind.text(), await straight.text());
    for (const name of SECURITY_HEADERS) {
      assert.ok(behind.headers.get(name), name);
      assert.equal(behind.headers.get(name), straight.headers.get(name), name);
    }
  });

  it('allows no inline script and serves none', async () => {
    const response = await get('/');
    const scripts = /script-src ([^;]*)/.exec(response.headers.get('content-security-policy'))?.[1];
    assert.equal(scripts, "'self'");
    const inline = [...(await response.text()).matchAll(/<script(?![^>]*\bsrc=)[^>]*>/g)].map(([tag]) => tag);
    assert.deepEqual(inline, []);
  });

  it('lets files with a hash in their name be kept, and pages be asked for again', async () => {
    const page = await get('/');
    assert.equal(page.headers.get('cache-control'), 'no-cache');
    const script = /src="(\/_next\/static\/[^"]+)"/.exec(await page.text())?.[1];
    assert.match((await get(script)).headers.get('cache-control'), /immutable/);
  });

  it('answers an unknown page with the console’s own 404', async () => {
    const response = await get('/no-such-page');
    assert.equal(response.status, 404);
    assert.ok(response.headers.get('content-security-policy'));
  });

  it('answers in the envelope when the gateway is away', async () => {
    await product.stop();
    const response = await get('/v1/sessions', authorized);
    assert.equal(response.status, 502);
    assert.ok(response.headers.get('x-request-id'));
    const { ok, error } = await response.json();
    assert.deepEqual([ok, error.source, error.code], [false, 'gateway', 'gateway_unreachable']);
  });
});
