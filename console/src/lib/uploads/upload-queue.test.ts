import { createHash } from 'node:crypto';
import { ok, refused } from '@/test/render-with-api';
import { UploadQueue, type UploadItem } from './upload-queue';

const ID = '0123456789abcdef0123456789abcdef';

/** A server that keeps uploads as ours does, with ways to fail. */
class FakeServer {
  bytes = Buffer.alloc(0);
  length = 0;
  metadata = '';
  readonly requests: string[] = [];
  /** Answers the next PATCHes instead of taking them. */
  readonly faults: (() => Response | Promise<Response>)[] = [];

  install(): void {
    globalThis.fetch = (input) => this.answer(input as Request);
  }

  private async answer(request: Request): Promise<Response> {
    request.signal.throwIfAborted();
    const { pathname } = new URL(request.url);
    this.requests.push(`${request.method} ${pathname}`);
    const { headers } = request;
    switch (request.method) {
      case 'POST': {
        if (pathname.endsWith('/complete')) return ok({ path: `/uploads/${ID}/film.mp4`, size: this.bytes.length });
        this.length = Number(headers.get('upload-length'));
        this.metadata = headers.get('upload-metadata') ?? '';
        return new Response(null, { status: 201, headers: { Location: `/v1/uploads/${ID}` } });
      }
      case 'HEAD':
        return new Response(null, {
          headers: {
            'Upload-Offset': String(this.bytes.length),
            'Upload-Length': String(this.length),
            'Upload-Metadata': this.metadata,
          },
        });
      case 'DELETE':
        return new Response(null, { status: 204 });
      default: {
        const body = Buffer.from(await request.arrayBuffer());
        const fault = this.faults.shift();
        if (fault) return fault();
        if (Number(headers.get('upload-offset')) !== this.bytes.length) return new Response('', { status: 409 });
        const checksum = headers.get('upload-checksum');
        if (checksum !== null && checksum !== `sha256 ${createHash('sha256').update(body).digest('base64')}`) {
          return new Response('upload_checksum: the bytes were damaged', { status: 460 });
        }
        this.bytes = Buffer.concat([this.bytes, body]);
        return new Response(null, { status: 204, headers: { 'Upload-Offset': String(this.bytes.length) } });
      }
    }
  }
}

const content = Buffer.alloc(900_000, 'tgcontrol ');
const film = (name = 'film.mp4'): File => new File([content], name, { lastModified: 1_764_000_000_000 });
const one = (queue: UploadQueue): UploadItem => {
  const [item] = queue.read();
  if (!item) throw new Error('the queue is empty');
  return item;
};
const until = (queue: UploadQueue, state: UploadItem['state']): Promise<UploadItem> =>
  new Promise((resolve) => {
    const look = (): void => {
      const [item] = queue.read();
      if (item?.state !== state) return;
      stop();
      resolve(item);
    };
    const stop = queue.subscribe(look);
    look();
  });

let server: FakeServer;
let queue: UploadQueue;
beforeEach(() => {
  server = new FakeServer();
  server.install();
  queue = new UploadQueue();
});
afterEach(() => queue.forget());

it('sends a file in parts, each with its SHA-256, and tells its path', async () => {
  queue.add([film()]);
  const done = await until(queue, 'done');
  expect(done).toMatchObject({ path: `/uploads/${ID}/film.mp4`, sent: content.length, isChecked: true });
  expect(server.bytes.equals(content)).toBe(true);
  expect(server.requests.filter((request) => request.startsWith('PATCH')).length).toBeGreaterThan(1);
});

it.each([
  ['the connection breaks', () => Promise.reject(new TypeError('fetch failed'))],
  ['the server is away', () => refused(503, { code: 'no_live_worker' })],
  ['a part was damaged on the way', () => new Response('upload_checksum: no', { status: 460 })],
])('goes on where the server ends when %s, and nothing is sent twice', async (_, fault) => {
  server.faults.push(fault);
  queue.add([film()]);
  const cut = await until(queue, 'cut');
  expect(cut.retryAt).toBeGreaterThan(Date.now() - 1_000);
  queue.retryNow();
  await until(queue, 'done');
  expect(server.bytes.equals(content)).toBe(true);
});

it('pauses, keeps what has arrived, and goes on from there', async () => {
  let release: (() => void) | undefined;
  queue.add([film()]);
  await new Promise<void>((resolve) => {
    const stop = queue.subscribe(() => {
      if (!queue.read()[0]?.sent) return;
      stop();
      server.faults.push(() => new Promise((_, reject) => (release = () => reject(new TypeError('aborted')))));
      resolve();
    });
  });
  queue.pause(one(queue).key);
  expect(one(queue)).toMatchObject({ state: 'paused' });
  expect(one(queue).sent).toBeGreaterThan(0);
  release?.();
  server.faults.length = 0;
  queue.resume(one(queue).key);
  await until(queue, 'done');
  expect(server.bytes.equals(content)).toBe(true);
  expect(server.requests.filter((request) => request === 'POST /v1/uploads')).toHaveLength(1);
});

it('goes on after a reload with the same file, and refuses any other', async () => {
  server.bytes = content.subarray(0, 500_000);
  server.length = content.length;
  server.metadata = `filename ${btoa('film.mp4')},lastmodified ${btoa('1764000000000')}`;
  await expect(queue.goOnWith(ID, film('other.mp4'), 'film.mp4')).rejects.toThrow('another file');
  const changed = new File([content], 'film.mp4', { lastModified: 1_764_000_000_001 });
  await expect(queue.goOnWith(ID, changed, 'film.mp4')).rejects.toThrow('changed since');
  expect(queue.read()).toEqual([]);
  await queue.goOnWith(ID, film(), 'film.mp4');
  await until(queue, 'done');
  expect(server.bytes.equals(content)).toBe(true);
  expect(server.requests).not.toContain('POST /v1/uploads');
});

it.each([
  [507, 'disk_full: not enough room', 'not enough room'],
  [413, 'upload_too_large: upload exceeds allowed size', 'upload exceeds allowed size'],
  [404, '', 'The server has this upload no longer'],
])('says why a %d is the end, in the words of the server', async (status, body, words) => {
  server.faults.push(() => new Response(body, { status }));
  queue.add([film()]);
  const { problem } = await until(queue, 'failed');
  expect(problem).toContain(words);
});

it('sends no empty file', async () => {
  queue.add([new File([], 'nothing.txt')]);
  expect((await until(queue, 'failed')).problem).toContain('Telegram takes no empty files');
  expect(server.requests).toEqual([]);
});

it('sends two at once and the others after them', async () => {
  const held: (() => void)[] = [];
  const hold = (): Promise<Response> =>
    new Promise((resolve) => held.push(() => resolve(new Response('', { status: 413 }))));
  server.faults.push(hold, hold, hold);
  queue.add([film('1'), film('2'), film('3')]);
  await new Promise<void>((resolve) => {
    const look = setInterval(() => {
      if (held.length < 2) return;
      clearInterval(look);
      resolve();
    }, 5);
  });
  expect(queue.read().map(({ state }) => state)).toEqual(['sending', 'sending', 'waiting']);
  held.forEach((release) => release());
  await until(queue, 'failed');
});

it('takes one that is cancelled off the server', async () => {
  server.faults.push(() => new Response('', { status: 413 }));
  queue.add([film()]);
  await until(queue, 'failed');
  await queue.cancel(one(queue).key);
  expect(queue.read()).toEqual([]);
  expect(server.requests.at(-1)).toBe(`DELETE /v1/uploads/${ID}`);
});
