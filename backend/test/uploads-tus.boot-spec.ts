import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_TOKEN } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { ProductProcess } from './support/process.js';

const MIB = 1024 * 1024;
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

describe('uploads by tus', () => {
  let database: TestDatabase;
  let dataDir: string;
  let product: ProductProcess;

  const ask = (
    method: string,
    path: string,
    { headers = {}, body, token = API_TOKEN }: { headers?: Record<string, string>; body?: Buffer; token?: string } = {},
  ): Promise<Response> =>
    fetch(`${product.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0', ...headers },
      ...(body && { body: new Uint8Array(body) }),
    });
  const metadata = (name: string): Record<string, string> => ({
    'upload-metadata': `filename ${Buffer.from(name).toString('base64')}`,
  });
  const begin = async (name: string, length: number, more = {}): Promise<string> => {
    const answer = await ask('POST', '/v1/uploads', {
      headers: { 'upload-length': String(length), ...metadata(name) },
      ...more,
    });
    expect(answer.status).toBe(201);
    return answer.headers.get('location') ?? '';
  };
  const patch = (
    path: string,
    offset: number,
    body: Buffer,
    headers: Record<string, string> = {},
    more = {},
  ): Promise<Response> =>
    ask('PATCH', path, {
      headers: { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream', ...headers },
      body,
      ...more,
    });

  beforeAll(async () => {
    database = await createDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tgcontrol-tus-'));
    product = await ProductProcess.start('all', {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      TDLIB_PROXY_ONLY: 'false',
      MAX_UPLOAD_BYTES: '64MiB',
    });
  });

  afterAll(async () => {
    await product.end('SIGTERM');
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('tell what they can', async () => {
    const { status, headers } = await ask('OPTIONS', '/v1/uploads');
    expect([
      status,
      headers.get('tus-extension'),
      headers.get('tus-checksum-algorithm'),
      headers.get('tus-max-size'),
    ]).toEqual([204, 'creation,creation-with-upload,expiration,termination,checksum', 'sha256', String(64 * MIB)]);
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('access-control-allow-headers')).toContain('Upload-Checksum');
    for (const name of ['Upload-Expires', 'X-Tgcontrol-Path']) {
      expect(headers.get('access-control-expose-headers')).toContain(name);
    }
  });

  it('may bring their first bytes along, and tell how far they are and when they expire', async () => {
    const path = await begin('first.bin', 10, {
      body: Buffer.from('01234'),
      headers: { 'upload-length': '10', 'content-type': 'application/offset+octet-stream', ...metadata('first.bin') },
    });
    const head = await ask('HEAD', path);
    expect([head.headers.get('upload-offset'), head.headers.get('upload-length')]).toEqual(['5', '10']);
    const next = await patch(path, 5, Buffer.from('5'));
    expect([next.status, next.headers.get('upload-offset')]).toEqual([204, '6']);
    expect(Date.parse(next.headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now());
    expect((await patch(path, 5, Buffer.from('5'))).status).toBe(409);
  });

  it.each(['https,http', 'HTTPS', 'nonsense'])('do not mind X-Forwarded-Proto %j of a proxy', async (proto) => {
    const forwarded = { 'x-forwarded-proto': proto, 'x-forwarded-host': 'a, b' };
    const answer = await ask('POST', '/v1/uploads', {
      headers: { 'upload-length': '3', ...metadata('proxied.bin'), ...forwarded },
    });
    const path = answer.headers.get('location') ?? '';
    expect([answer.status, path]).toEqual([201, expect.stringMatching(/^\/v1\/uploads\/[0-9a-f]{32}$/) as string]);
    expect((await patch(path, 0, Buffer.from('abc'), forwarded)).status).toBe(204);
  });

  it('are the same uploads as those of /v1/files', async () => {
    const path = await begin('both.txt', 3);
    await patch(path, 0, Buffer.from('abc'));
    const id = path.split('/').at(-1) ?? '';
    const { status, body } = await product.ask('POST', `/v1/files/${id}/complete`);
    expect([status, body.result?.['size']]).toEqual([200, 3]);
  });

  it('check what they are told to', async () => {
    const path = await begin('sum.bin', 6);
    const sum = (bytes: string): Record<string, string> => ({
      'upload-checksum': `sha256 ${sha256(Buffer.from(bytes)).toString('base64')}`,
    });
    expect((await patch(path, 0, Buffer.from('abc'), sum('abd'))).status).toBe(460);
    expect((await ask('HEAD', path)).headers.get('upload-offset')).toBe('0');
    expect((await patch(path, 0, Buffer.from('abc'), { 'upload-checksum': 'md5 abc' })).status).toBe(400);
    expect((await patch(path, 0, Buffer.from('abc'), sum('abc'))).status).toBe(204);
    expect((await patch(path, 3, Buffer.from('def'), sum('def'))).status).toBe(204);
  });

  it('are refused in the form of the protocol, unless it is for the credentials', async () => {
    const path = await begin('refused.bin', 6);
    for (const [headers, status, words] of [
      [{ 'upload-checksum': 'md5 abc' }, 400, /^validation_failed: .*Upload-Checksum/],
      [{ 'content-encoding': 'gzip' }, 415, /^unsupported_media_type: /],
      [{ 'content-type': 'text/plain' }, 400, /^Invalid content-type\n$/],
      [{ 'upload-offset': '3' }, 409, /^[^{}]+\n$/],
    ] as const) {
      const refused = await patch(path, 0, Buffer.from('abc'), headers);
      expect([refused.status, refused.headers.get('tus-resumable')]).toEqual([status, '1.0.0']);
      expect(await refused.text()).toMatch(words);
    }
    const unknown = await patch(`/v1/uploads/${'0'.repeat(32)}`, 0, Buffer.from('abc'));
    expect([unknown.status, (await unknown.text()).startsWith('{')]).toEqual([404, false]);
    const stranger = await patch(path, 0, Buffer.from('abc'), { authorization: 'Bearer nobody' });
    expect([stranger.status, ((await stranger.json()) as { error: { code: string } }).error.code]).toEqual([
      401,
      'unauthenticated',
    ]);
  });

  it('belong to their token', async () => {
    const create = async (): Promise<string> =>
      String((await product.must('POST', '/v1/tokens', { name: 't', all_sessions: true }))['token']);
    const [one, two] = [await create(), await create()];
    const path = await begin('mine.bin', 3, { token: one });
    expect((await ask('HEAD', path, { token: two })).status).toBe(404);
    expect((await patch(path, 0, Buffer.from('abc'), {}, { token: two })).status).toBe(404);
    expect((await ask('DELETE', path, { token: two })).status).toBe(404);
    expect((await patch(path, 0, Buffer.from('abc'), {}, { token: one })).status).toBe(204);
    expect((await ask('DELETE', path, { token: one })).status).toBe(204);
    expect((await ask('HEAD', path, { token: one })).status).toBe(404);
    expect((await ask('HEAD', path, { token: 'nobody' })).status).toBe(401);
  });

  it('are refused in the words of tus', async () => {
    const tooLarge = await ask('POST', '/v1/uploads', {
      headers: { 'upload-length': String(64 * MIB + 1), ...metadata('a') },
    });
    expect([tooLarge.status, tooLarge.headers.get('tus-resumable')]).toEqual([413, '1.0.0']);
    const empty = await ask('POST', '/v1/uploads', { headers: { 'upload-length': '0', ...metadata('a') } });
    expect([empty.status, await empty.text()]).toEqual([400, expect.stringMatching(/^empty_file: /) as string]);
    const named = await ask('POST', '/v1/uploads', { headers: { 'upload-length': '1', ...metadata('../a') } });
    expect([named.status, await named.text()]).toEqual([400, expect.stringContaining('invalid file name') as string]);
    const unnamed = await ask('POST', '/v1/uploads', { headers: { 'upload-length': '1' } });
    expect([unnamed.status, await unnamed.text()]).toEqual([
      400,
      expect.stringContaining('Upload-Metadata must have filename') as string,
    ]);
    expect((await ask('HEAD', '/v1/uploads/nope')).status).toBe(404);
    expect((await ask('HEAD', '/v1/uploads/nope', { headers: { 'tus-resumable': '' } })).status).toBe(412);
  });
});
