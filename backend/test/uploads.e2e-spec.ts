import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { UploadSweep } from '../src/modules/files/upload-sweep.js';
import { API_TOKEN, master, startApp, type TestApp } from './support/app.js';
import { ApiClient } from './support/telegram.js';
import { until } from './support/until.js';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly result?: Record<string, unknown> & { readonly path?: string; readonly upload_id?: string };
    readonly error?: { readonly code: string; readonly message: string; readonly details?: Record<string, unknown> };
  };
}

const MIB = 1024 * 1024;
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('uploads', () => {
  let app: TestApp;
  let api: ApiClient;

  const send = async (
    method: string,
    path: string,
    {
      body,
      headers,
      token = API_TOKEN,
    }: { body?: string | Uint8Array<ArrayBuffer> | FormData; headers?: Record<string, string>; token?: string } = {},
  ): Promise<Answer> => {
    const response = await fetch(`${app.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
  };
  const begin = async (name: string, length: number, token?: string): Promise<string> => {
    const answer = await send('POST', `/v1/files?name=${encodeURIComponent(name)}`, {
      headers: { 'upload-length': String(length) },
      ...(token !== undefined && { token }),
    });
    expect(answer).toMatchObject({ status: 200, body: { result: { chunk_size: MIB } } });
    return String(answer.body.result?.upload_id);
  };
  const patch = (id: string, offset: number, body: Buffer, token?: string): Promise<Answer> =>
    send('PATCH', `/v1/files/${id}`, {
      body: new Uint8Array(body),
      headers: { 'upload-offset': String(offset) },
      ...(token !== undefined && { token }),
    });
  /** Begins a request whose body the test writes by hand. */
  const open = (method: string, path: string, headers: Record<string, string | number>): ClientRequest => {
    const request = httpRequest(`${app.url}${path}`, {
      method,
      headers: { authorization: master.authorization, ...headers },
    });
    request.on('error', () => undefined);
    return request;
  };
  const answerOf = (request: ClientRequest): Promise<{ status: number | undefined; text: string }> =>
    new Promise((resolve, reject) => {
      request.on('error', reject);
      request.on('response', (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
    });
  const offsetOf = async (id: string): Promise<unknown> =>
    (await send('GET', `/v1/files/${id}`)).body.result?.['offset'];
  const folders = (): string[] => (existsSync(app.config.uploads.dir) ? readdirSync(app.config.uploads.dir) : []);
  const createToken = async (): Promise<string> =>
    String((await api.must(api.post('/v1/tokens', { name: 'files', all_sessions: true })))['token']);

  beforeAll(async () => {
    app = await startApp({
      env: { MAX_SINGLE_SHOT_BYTES: '2MiB', MAX_CHUNK_BYTES: '1MiB', MAX_UPLOAD_BYTES: '8MiB', UPLOAD_QUOTA: '64MiB' },
    });
    api = new ApiClient(app);
  });

  afterAll(() => app.stop());

  describe('in one request', () => {
    it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense'])(
      'are raw bytes, also as %s',
      async (type) => {
        const bytes = Buffer.from('{"not":"read as JSON"');
        const { status, body } = await send('POST', '/v1/files?name=a%20b.txt', {
          body: new Uint8Array(bytes),
          headers: { 'content-type': type },
        });
        const path = String(body.result?.path);
        expect([status, body.result]).toEqual([200, { path, name: 'a b.txt', size: bytes.length }]);
        expect(readFileSync(path)).toEqual(bytes);
        expect(basename(dirname(path))).toMatch(/^[0-9a-f]{32}$/);
        expect(dirname(dirname(path))).toBe(app.config.uploads.dir);
        expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
      },
    );

    it('are unwrapped from a form, whose name counts when the query has none', async () => {
      const bytes = randomBytes(300_000);
      const form = new FormData();
      form.append('before', 'a field');
      form.append('file', new Blob([new Uint8Array(bytes)]), 'in form.bin');
      form.append('second', new Blob(['x']), 'ignored.txt');
      const { body } = await send('POST', '/v1/files', { body: form });
      expect(body.result).toMatchObject({ name: 'in form.bin', size: bytes.length });
      expect(sha256(readFileSync(String(body.result?.path)))).toBe(sha256(bytes));
      const named = new FormData();
      named.append('file', new Blob(['abc']), 'other.txt');
      expect((await send('POST', '/v1/files?name=mine.txt', { body: named })).body.result).toMatchObject({
        name: 'mine.txt',
        size: 3,
      });
    });

    it('name what is wrong with the name, the form, and what comes with it', async () => {
      const before = folders().length;
      const late = new FormData();
      for (let number = 0; number < 3_000; number += 1) late.append('field', 'x');
      late.append('file', new Blob(['abc']), 'late.bin');
      const form = new FormData();
      form.append('file', new Blob(['abc']), 'form.bin');
      const lengthened = { body: form, headers: { 'upload-length': '3' } };
      for (const [answer, words] of [
        [await send('POST', '/v1/files', { body: 'x' }), 'name is required'],
        [await send('POST', '/v1/files?name=a&name=b', { body: 'x' }), 'name may be given only once'],
        [await send('POST', '/v1/files?name=%ff%fe', { body: 'x' }), 'percent-encoded UTF-8'],
        [await send('POST', '/v1/files?name=100%', { body: 'x' }), 'percent-encoded UTF-8'],
        [await send('POST', '/v1/files', { body: late }), 'the first 200 parts of the form'],
        [await send('POST', '/v1/files?name=a', lengthened), 'Upload-Length begins an upload'],
      ] as const) {
        expect([answer.status, answer.body.error?.code]).toEqual([400, 'validation_failed']);
        expect(answer.body.error?.message).toContain(words);
      }
      const type = 'multipart/form-data; boundary=x';
      const cut = '--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nb';
      const { status, body } = await send('POST', '/v1/files', { body: cut, headers: { 'content-type': type } });
      expect([status, body.error?.code]).toEqual([400, 'upload_cut']);
      expect(body.error?.message).toContain('nothing of it is kept');
      expect(folders()).toHaveLength(before);
    });

    it('take a file that comes after many fields', async () => {
      const form = new FormData();
      for (let number = 0; number < 199; number += 1) form.append('field', 'x');
      form.append('file', new Blob(['abc']), 'after.bin');
      expect((await send('POST', '/v1/files', { body: form })).body.result).toMatchObject({
        name: 'after.bin',
        size: 3,
      });
    });

    it('name the Content-Type when the boundary of the form is missing', async () => {
      const headers = { 'content-type': 'multipart/form-data' };
      const { body } = await send('POST', '/v1/files?name=a', { body: 'abc', headers });
      expect(body.error).toMatchObject({ code: 'validation_failed', details: { issues: [{ path: 'Content-Type' }] } });
    });

    it('are refused packed, in chunks too, and leave nothing', async () => {
      const id = await begin('packed.bin', 3);
      const before = folders().length;
      const headers = { 'content-encoding': 'gzip', 'upload-offset': '0' };
      for (const [method, path] of [
        ['POST', '/v1/files?name=a'],
        ['PATCH', `/v1/files/${id}`],
      ] as const) {
        const answer = await send(method, path, { body: 'abc', headers });
        expect([answer.status, answer.body.error?.code]).toEqual([415, 'unsupported_media_type']);
      }
      expect(folders()).toHaveLength(before);
    });

    it.each([
      [
        'no file',
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n',
      ],
      ['no boundary', 'multipart/form-data; charset=utf-8', 'abc'],
      ['nothing beside its type', 'multipart/form-data', 'abc'],
      [
        'no end',
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nb',
      ],
    ])('are refused as a form with %s, and leave nothing', async (_what, type, body) => {
      const before = folders().length;
      const answer = await send('POST', '/v1/files?name=a', { body, headers: { 'content-type': type } });
      expect(answer.status).toBe(400);
      expect(folders()).toHaveLength(before);
    });

    it('are refused when they are empty, which Telegram does not take, and leave nothing', async () => {
      const before = folders().length;
      const form = new FormData();
      form.append('file', new Blob([]), 'empty.bin');
      const chunked = open('POST', '/v1/files?name=empty', { 'transfer-encoding': 'chunked' });
      const refused = answerOf(chunked);
      chunked.end();
      const { status, text } = await refused;
      for (const answer of [
        await send('POST', '/v1/files?name=empty'),
        await send('POST', '/v1/files', { body: form }),
        await send('POST', '/v1/files?name=empty', { headers: { 'upload-length': '0' } }),
        { status, body: JSON.parse(text) as Answer['body'] },
      ]) {
        expect([answer.status, answer.body.error?.code]).toEqual([400, 'empty_file']);
      }
      expect(folders()).toHaveLength(before);
    });

    it.each(['', '.', '..', '.upload.json', 'a/b', 'a\\b', 'a\0b', 'x'.repeat(256), 'я'.repeat(200), 'a\u202Etxt.exe'])(
      'are refused under the name %j',
      async (name) => {
        const before = folders().length;
        const answer = await send('POST', `/v1/files?name=${encodeURIComponent(name)}`, { body: 'x' });
        expect(answer).toMatchObject({ status: 400, body: { error: { code: 'validation_failed' } } });
        expect(answer.body.error?.message).toContain('invalid file name (basename only, <=255 bytes)');
        expect(folders()).toHaveLength(before);
      },
    );

    it('are refused when too large, declared or not, and leave nothing', async () => {
      const before = folders().length;
      const declared = await send('POST', '/v1/files?name=a', { body: new Uint8Array(2 * MIB + 1) });
      expect(declared).toMatchObject({ status: 413, body: { error: { code: 'upload_too_large' } } });
      const request = open('POST', '/v1/files?name=a', { 'transfer-encoding': 'chunked' });
      const answer = answerOf(request);
      request.end(Buffer.alloc(2 * MIB + 1));
      expect((await answer).status).toBe(413);
      expect(folders()).toHaveLength(before);
    });

    it('leave nothing when the client goes away', async () => {
      const before = folders().length;
      const request = open('POST', '/v1/files?name=a', { 'content-length': MIB });
      request.write(Buffer.alloc(1000));
      await until('its begin', () => folders().length === before + 1);
      request.destroy();
      await until('its end', () => folders().length === before);
    });
  });

  describe('in chunks', () => {
    it('arrive whole, and can be completed more than once', async () => {
      const bytes = randomBytes(2 * MIB + 5);
      const id = await begin('chunks.bin', bytes.length);
      const early = await send('POST', `/v1/files/${id}/complete`);
      expect(early).toMatchObject({ status: 409, body: { error: { code: 'upload_incomplete' } } });
      for (let offset = 0; offset < bytes.length; offset += MIB) {
        const answer = await patch(id, offset, bytes.subarray(offset, offset + MIB));
        const end = Math.min(offset + MIB, bytes.length);
        expect([answer.status, answer.body.result, answer.headers.get('upload-offset')]).toEqual([
          200,
          { offset: end },
          String(end),
        ]);
      }
      for (let time = 0; time < 2; time += 1) {
        const { body } = await send('POST', `/v1/files/${id}/complete`);
        expect(body.result?.['size']).toBe(bytes.length);
        expect(sha256(readFileSync(String(body.result?.path)))).toBe(sha256(bytes));
      }
      const progress = await send('GET', `/v1/files/${id}`);
      expect([progress.body.result, progress.headers.get('upload-offset')]).toEqual([
        { offset: bytes.length, length: bytes.length },
        String(bytes.length),
      ]);
    });

    it('are refused once the upload is complete, and when they are a form', async () => {
      const id = await begin('complete.bin', 3);
      const form = new FormData();
      form.append('file', new Blob(['abc']), 'form.bin');
      const unwrapped = await send('PATCH', `/v1/files/${id}`, { body: form, headers: { 'upload-offset': '0' } });
      expect([unwrapped.status, unwrapped.body.error?.code]).toEqual([415, 'unsupported_media_type']);
      expect((await patch(id, 0, Buffer.from('abc'))).status).toBe(200);
      const more = await patch(id, 3, Buffer.from('d'));
      const complete = { code: 'upload_complete', details: { offset: 3 } };
      expect([more.status, more.body.error]).toEqual([409, expect.objectContaining(complete)]);
      const chunked = open('PATCH', `/v1/files/${id}`, { 'upload-offset': 3, 'transfer-encoding': 'chunked' });
      const answer = answerOf(chunked);
      chunked.end('d');
      expect(await answer).toMatchObject({ status: 409, text: expect.stringContaining('upload_complete') as string });
      expect((await patch(id, 3, Buffer.alloc(0))).status).toBe(200);
      expect(await offsetOf(id)).toBe(3);
    });

    it('keep what arrived of a chunk that was cut, and go on there', async () => {
      const bytes = randomBytes(MIB);
      const id = await begin('cut.bin', bytes.length);
      const request = open('PATCH', `/v1/files/${id}`, { 'upload-offset': 0, 'content-length': bytes.length });
      request.write(bytes.subarray(0, 400_000));
      await until('the part', async () => (await offsetOf(id)) === 400_000);
      request.destroy();
      const rest = await until('the rest', async () => {
        const answer = await patch(id, 400_000, bytes.subarray(400_000));
        return answer.status === 200 && answer;
      });
      expect(rest.body.result).toEqual({ offset: bytes.length });
      const { body } = await send('POST', `/v1/files/${id}/complete`);
      expect(sha256(readFileSync(String(body.result?.path)))).toBe(sha256(bytes));
    });

    it('take the place of a request whose connection is silent', async () => {
      const id = await begin('silent.bin', 20);
      const silent = open('PATCH', `/v1/files/${id}`, { 'upload-offset': 0, 'content-length': 20 });
      const ended = answerOf(silent);
      silent.write('0123456789');
      await until('the part', async () => (await offsetOf(id)) === 10);
      expect((await patch(id, 10, Buffer.from('abcdefghij'))).status).toBe(200);
      expect((await ended).status).toBe(409);
      const { body } = await send('POST', `/v1/files/${id}/complete`);
      expect(readFileSync(String(body.result?.path), 'utf8')).toBe('0123456789abcdefghij');
    });

    it('never mix when several come at one offset', async () => {
      const id = await begin('race.bin', 8 * MIB);
      const rounds = [0, 1, 2, 3];
      for (const round of rounds) {
        const offset = round * MIB;
        const answers = await Promise.all([1, 2, 3, 4].map((fill) => patch(id, offset, Buffer.alloc(MIB, fill))));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
        for (const refused of answers.filter(({ status }) => status === 409)) {
          expect(refused.body.error).toMatchObject({
            code: 'upload_offset_mismatch',
            details: { offset: offset + MIB },
          });
          expect(refused.headers.get('upload-offset')).toBe(String(offset + MIB));
        }
      }
      const data = readFileSync(join(app.config.uploads.dir, id, 'race.bin'));
      expect(data).toHaveLength(4 * MIB);
      for (const round of rounds) {
        const part = data.subarray(round * MIB, (round + 1) * MIB);
        expect(part.every((byte) => byte === part[0])).toBe(true);
      }
    });

    it.each([
      ['no number', 'x', 400, 'Upload-Length must be'],
      ['a fraction', '1.5', 400, 'Upload-Length must be'],
      ['nothing', '0', 400, 'Upload-Length is 0'],
      ['less than nothing', '-1', 400, 'Upload-Length must be'],
      ['too much', String(8 * MIB + 1), 413, 'exceeds allowed size'],
    ])('are refused with %s as Upload-Length', async (_what, length, status, words) => {
      const answer = await send('POST', '/v1/files?name=a', { headers: { 'upload-length': length } });
      expect([answer.status, answer.body.error?.message]).toEqual([status, expect.stringContaining(words) as string]);
    });

    it('are refused when they are wrong, and leave the upload as it was', async () => {
      const id = await begin('wrong.bin', 100);
      await patch(id, 0, Buffer.alloc(10, 1));
      const cases: [string, number, Answer][] = [
        ['no offset', 400, await send('PATCH', `/v1/files/${id}`, { body: 'x' })],
        ['no number', 400, await send('PATCH', `/v1/files/${id}`, { body: 'x', headers: { 'upload-offset': 'x' } })],
        ['negative', 400, await patch(id, -1, Buffer.alloc(1))],
        ['behind', 409, await patch(id, 0, Buffer.alloc(1))],
        ['ahead', 409, await patch(id, 11, Buffer.alloc(1))],
        ['beyond the length', 413, await patch(id, 10, Buffer.alloc(91))],
        ['beyond the chunk', 413, await patch(id, 10, Buffer.alloc(MIB + 1))],
        ['malformed id', 400, await patch('nope', 0, Buffer.alloc(1))],
        ['unknown id', 404, await patch('0'.repeat(32), 0, Buffer.alloc(1))],
      ];
      expect(cases.map(([what, , { status }]) => [what, status])).toEqual(
        cases.map(([what, status]) => [what, status]),
      );
      const request = open('PATCH', `/v1/files/${id}`, { 'upload-offset': 10, 'transfer-encoding': 'chunked' });
      const answer = answerOf(request);
      request.end(Buffer.alloc(91));
      expect((await answer).status).toBe(413);
      expect(await offsetOf(id)).toBe(10);
    });

    it('are gone when removed, which is told to whoever removes them again', async () => {
      const id = await begin('gone.bin', 100);
      expect(await send('DELETE', `/v1/files/${id}`)).toMatchObject({
        status: 200,
        body: { result: { status: 'deleted' } },
      });
      expect(await send('DELETE', `/v1/files/${id}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'upload_not_found' } },
      });
      expect((await patch(id, 0, Buffer.alloc(1))).status).toBe(404);
      expect((await send('DELETE', '/v1/files/nope')).status).toBe(400);
      expect(folders()).not.toContain(id);
    });
  });

  it('are removed although they are being written, and what links name is left alone', async () => {
    const id = await begin('written.bin', 20);
    const writing = open('PATCH', `/v1/files/${id}`, { 'upload-offset': 0, 'content-length': 20 });
    const ended = answerOf(writing);
    writing.write('0123456789');
    await until('the part', async () => (await offsetOf(id)) === 10);
    expect((await send('DELETE', `/v1/files/${id}`)).status).toBe(200);
    expect((await ended).status).toBe(404);
    expect(folders()).not.toContain(id);
    const linked = await begin('link.bin', 20);
    const target = join(app.dataDir, 'target.txt');
    writeFileSync(target, 'untouched');
    rmSync(join(app.config.uploads.dir, linked, 'link.bin'));
    symlinkSync(target, join(app.config.uploads.dir, linked, 'link.bin'));
    expect((await patch(linked, 0, Buffer.from('x'))).status).toBe(404);
    expect((await patch(linked, 9, Buffer.from('x'))).status).toBe(404);
    expect((await send('POST', `/v1/files/${linked}/complete`)).status).toBe(404);
    expect((await send('DELETE', `/v1/files/${linked}`)).status).toBe(200);
    expect(readFileSync(target, 'utf8')).toBe('untouched');
  });

  it('belong to their token; only the master sees them all', async () => {
    const [one, two] = [await createToken(), await createToken()];
    const id = await begin('mine.txt', 3, one);
    for (const token of [two]) {
      expect((await send('GET', `/v1/files/${id}`, { token })).status).toBe(404);
      expect((await patch(id, 0, Buffer.from('abc'), token)).status).toBe(404);
      expect((await send('POST', `/v1/files/${id}/complete`, { token })).status).toBe(404);
      expect((await send('DELETE', `/v1/files/${id}`, { token })).status).toBe(404);
    }
    expect((await patch(id, 0, Buffer.from('abc'), one)).status).toBe(200);
    expect((await send('GET', `/v1/files/${id}`)).body.result).toEqual({ offset: 3, length: 3 });
    expect((await send('POST', `/v1/files/${id}/complete`, { token: one })).status).toBe(200);
    expect((await send('GET', `/v1/files/${id}`, { token: 'nobody' })).status).toBe(401);
  });

  it('are listed for their owner, the newest first, in pages, also those that another process has made', async () => {
    const [one, two] = [await createToken(), await createToken()];
    const list = (query: string, token: string): Promise<Answer> => send('GET', `/v1/files${query}`, { token });
    const names = ({ body }: Answer): unknown[] =>
      (body.result as unknown as readonly Record<string, unknown>[]).map(({ name }) => name);
    const partial = await begin('partial.bin', 10, one);
    await patch(partial, 0, Buffer.from('abc'), one);
    await send('POST', '/v1/files?name=whole.bin', { body: 'xyz', token: one });
    const elsewhere = join(app.config.uploads.dir, 'e'.repeat(32));
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'elsewhere.bin'), 'x');
    const [listed] = (await list('?limit=1', one)).body.result as unknown as readonly Record<string, unknown>[];
    const owner = listed?.['owner'];
    const record = { name: 'elsewhere.bin', owner, createdAt: Date.now() + 60_000, length: 5 };
    writeFileSync(join(elsewhere, '.upload.json'), JSON.stringify(record));
    const all = await until('the one of the other process', async () => {
      const answer = await list('', one);
      return names(answer).length === 3 && answer;
    });
    expect(all.body.result).toMatchObject([
      { name: 'elsewhere.bin', status: 'partial', offset: 1, length: 5 },
      {
        name: 'whole.bin',
        status: 'complete',
        offset: 3,
        length: 3,
        path: expect.stringContaining('/whole.bin') as string,
      },
      { upload_id: partial, name: 'partial.bin', status: 'partial', offset: 3, length: 10, owner },
    ]);
    for (const each of all.body.result as unknown as readonly Record<string, string>[]) {
      expect(Date.parse(each['expires_at'] ?? '')).toBeGreaterThan(Date.now() + 7_000_000);
      expect('path' in each).toBe(each['status'] === 'complete');
    }
    const first = await list('?limit=2', one);
    expect(names(first)).toEqual(['elsewhere.bin', 'whole.bin']);
    const cursor = (first.body as { next_cursor?: string }).next_cursor ?? '';
    const second = await list(`?limit=2&cursor=${cursor}`, one);
    expect([names(second), 'next_cursor' in second.body]).toEqual([['partial.bin'], false]);
    expect(names(await list('', two))).toEqual([]);
    expect(names(await list('', API_TOKEN))).toEqual(expect.arrayContaining(['partial.bin', 'whole.bin']));
    expect((await list('?cursor=nonsense', one)).status).toBe(400);
  });

  it('are limited together, counting what is declared, and free their room when removed', async () => {
    const ids: string[] = [];
    let refused: Answer | undefined;
    while (refused === undefined && ids.length < 20) {
      const answer = await send('POST', '/v1/files?name=big', { headers: { 'upload-length': String(8 * MIB) } });
      if (answer.status === 200) ids.push(String(answer.body.result?.upload_id));
      else refused = answer;
    }
    expect(refused).toMatchObject({ status: 507, body: { error: { code: 'upload_quota_exceeded' } } });
    for (const id of ids) await send('DELETE', `/v1/files/${id}`);
    await begin('again', 8 * MIB);
  });

  it('are refused before the disk is full', async () => {
    const full = await startApp({ env: { MIN_FREE_DISK: '1000TiB' }, database: app.database });
    try {
      for (const headers of [{}, { 'upload-length': '5' }]) {
        const answer = await fetch(`${full.url}/v1/files?name=a`, {
          method: 'POST',
          headers: { ...master, ...headers },
          body: 'x',
        });
        expect([answer.status, ((await answer.json()) as Answer['body']).error?.code]).toEqual([507, 'disk_full']);
      }
    } finally {
      await full.stop();
    }
  });

  describe('that are left behind', () => {
    const age = (path: string): void => utimesSync(path, new Date(0), new Date(0));
    /** As an upload of ten thousand years ago, without the time it takes to make one over the API. */
    const abandon = (number: number, owner = 'master'): string => {
      const id = number.toString(16).padStart(32, '0');
      const folder = join(app.config.uploads.dir, id);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'a.bin'), 'x');
      writeFileSync(join(folder, '.upload.json'), JSON.stringify({ name: 'a.bin', owner, createdAt: 0, length: 5 }));
      for (const path of [join(folder, 'a.bin'), folder]) age(path);
      return id;
    };

    it('go, all ten thousand of them, and nothing that is new, being written or not ours', async () => {
      const fresh = await begin('fresh.bin', 10);
      const writing = await begin('writing.bin', 10);
      const request = open('PATCH', `/v1/files/${writing}`, { 'upload-offset': 0, 'content-length': 10 });
      request.write('abc');
      await until('the part', async () => (await offsetOf(writing)) === 3);
      for (const path of [
        join(app.config.uploads.dir, writing, 'writing.bin'),
        join(app.config.uploads.dir, writing),
      ]) {
        age(path);
      }
      mkdirSync(join(app.config.uploads.dir, 'not-ours'));
      age(join(app.config.uploads.dir, 'not-ours'));
      symlinkSync('/etc', join(app.config.uploads.dir, 'f'.repeat(32)));
      for (let number = 1; number <= 10_000; number += 1) abandon(number);
      const removed = await app.app.get(UploadSweep, { strict: false }).sweep();
      expect(removed).toBeGreaterThanOrEqual(10_000);
      const left = folders();
      expect(left).toEqual(expect.arrayContaining([fresh, writing, 'not-ours']));
      expect(left.length).toBeLessThan(100);
      expect(existsSync('/etc/passwd')).toBe(true);
      request.destroy();
    });
  });
});
