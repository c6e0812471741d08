import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { generatedBytes, generatedPieces } from '@tgcontrol/sandbox';
import { master } from './support/app.js';
import { CutWire } from './support/cut-wire.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { type ProcessAnswer, ProductProcess } from './support/process.js';
import { ResidentMemory } from './support/resident-memory.js';
import { type Source, uploadByTus, uploadInChunks } from './support/resumable.js';
import { startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';

// FILE_BYTES=2000000000 shows the largest files; the default is large enough for every cut and every protocol.
const FILE_BYTES = Number(process.env['FILE_BYTES'] ?? 12_000_000);
// FILE_SOAK=2000 is a soak with kills of the worker; the default is a look.
const SOAK = Number(process.env['FILE_SOAK'] ?? 40);
const KILLS = SOAK >= 500 ? 4 : 0;
/** Marks of sends that a killed worker left are looked at after a minute. */
const MARKS_MS = 61_000;
const MIB = 1024 * 1024;
const CUTS = 20;
/** 4,000 parts of 512 KiB: what an account without premium may send (https://limits.tginfo.me). */
const LARGEST_BYTES = 4_000 * 512 * 1024;
/** A second for each 2 MB on a busy machine. */
const PATIENCE_MS = 60_000 + FILE_BYTES / 2_000;

/** The bytes of a source, which is written at the same time. */
async function* written({ path, bytes }: Source): AsyncGenerator<Buffer> {
  const handle = await open(path, 'w');
  try {
    for (const piece of generatedPieces(bytes)) {
      await handle.writeFile(piece);
      yield piece;
    }
  } finally {
    await handle.close();
  }
}

function filesBelow(directory: string): number {
  return readdirSync(directory, { recursive: true }).length;
}

describe('files through a gateway and a worker', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let dir: string;
  let gateway: ProductProcess;
  let worker: ProductProcess;
  let sender: { path: string; userId: number };
  let receiver: { path: string; userId: number };
  let group: number;

  const uploadsDir = (): string => join(dir, 'uploads');
  const startWorker = async (): Promise<void> => {
    worker = await ProductProcess.start('worker', {
      ...telegram.env,
      DATABASE_URL: database.url,
      DATA_DIR: join(dir, 'worker'),
      UPLOADS_DIR: uploadsDir(),
      WORKER_ID: 'w',
    });
  };
  const startGateway = async (): Promise<void> => {
    gateway = await ProductProcess.start('gateway', {
      TDLIB_PATH: telegram.env['TDLIB_PATH'],
      TDLIB_PROXY_ONLY: 'true',
      DATABASE_URL: database.url,
      DATA_DIR: join(dir, 'gateway'),
      UPLOADS_DIR: uploadsDir(),
    });
  };
  const login = async (app_id: unknown, phone: string): Promise<{ path: string; userId: number }> => {
    const { userId } = telegram.control.createAccount({ phone, firstName: 'A' });
    const path = `/v1/user/${String((await gateway.must('POST', '/v1/user', { app_id, phone }))['id'])}`;
    await gateway.must('POST', `${path}/login/code`, { code: telegram.control.newestCode(phone) });
    return { path, userId };
  };
  const call = (path: string, method: string, params: object): Promise<ProcessAnswer> =>
    gateway.ask('POST', `${path}/call`, { method, params });
  const send = (path: string): Promise<Record<string, unknown>> =>
    gateway.must('POST', `${sender.path}/call`, {
      method: 'sendMessage',
      params: {
        chat_id: group,
        input_message_content: { '@type': 'inputMessageDocument', document: { '@type': 'inputFileLocal', path } },
      },
    });
  /** What became of a message, however long it takes. */
  const outcome = (temporaryId: unknown, timeoutMs = PATIENCE_MS): Promise<Record<string, unknown>> =>
    until(
      'the outcome',
      async () => {
        const at = `${sender.path}/sends?chat_id=${group}&message_id=${String(temporaryId)}&wait=20`;
        const { result } = (await gateway.ask('GET', at)).body;
        return result !== undefined && result['status'] !== 'pending' && result;
      },
      timeoutMs,
    );
  /** The file of a message, for another session. */
  const received = async (messageId: unknown): Promise<string> => {
    const content = await until('the message', async () => {
      const { body } = await call(receiver.path, 'getMessage', { chat_id: group, message_id: messageId });
      return body.result?.['content'] as { document: { document: { remote: { id: string } } } } | undefined;
    });
    return `${receiver.path}/files/any?remote_id=${encodeURIComponent(content.document.document.remote.id)}`;
  };
  const posted = async (size: number, name: string): Promise<string> => {
    const { messageId } = await telegram.control.sendMessage({
      from: sender.userId,
      chatId: group,
      document: { size, name },
    });
    return received(messageId);
  };
  const get = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gateway.url}${url}`, { headers: { ...master, ...headers } });
  const bytesOf = (answer: Response): AsyncIterable<Uint8Array> => answer.body as unknown as AsyncIterable<Uint8Array>;
  const sha256 = async (source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> => {
    const hash = createHash('sha256');
    for await (const piece of source) hash.update(piece);
    return hash.digest('hex');
  };

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-files-'));
    mkdirSync(uploadsDir());
    await startWorker();
    await startGateway();
    const { app_id } = await gateway.must('POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
    sender = await login(app_id, '15551000000');
    receiver = await login(app_id, '15551000001');
    const members = [sender.userId, receiver.userId];
    group = telegram.control.createChat({ type: 'supergroup', title: 'Files', members }).chatId;
    for (const { path } of [sender, receiver]) {
      await until('the group', async () => (await call(path, 'getChat', { chat_id: group })).status === 200);
    }
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await gateway.end('SIGTERM');
    await worker.end('SIGTERM');
    await database.drop();
    await telegram.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  describe('of any size', () => {
    let source: Source;
    let hash: string;

    beforeAll(async () => {
      source = { path: join(dir, 'source'), name: 'через сеть.bin', bytes: FILE_BYTES };
      hash = await sha256(written(source));
    }, PATIENCE_MS);

    afterAll(() => rmSync(source.path));

    it.each([
      ['tus', uploadByTus],
      ['the chunks of /v1/files', uploadInChunks],
    ])(
      'arrive whole at another session by %s over a connection cut twenty times, in constant memory',
      async (_name, upload) => {
        const between = FILE_BYTES / (CUTS + 5);
        const afterBytes = (): number => between * (0.3 + Math.random() * 1.4);
        const wire = await CutWire.open(Number(new URL(gateway.url).port), CUTS, afterBytes);
        const memory = new ResidentMemory([gateway.pid, worker.pid]);
        try {
          const path = await upload(wire.url, source);
          expect(wire.cuts).toBe(CUTS);
          expect(path).toMatch(/[0-9a-f]{32}\/через сеть\.bin$/);
          const { status, message_id: messageId } = await outcome((await send(path))['id']);
          expect(status).toBe('sent');
          const answer = await get(`${await received(messageId)}&delete=1`);
          expect(answer.headers.get('content-length')).toBe(String(FILE_BYTES));
          expect(await sha256(bytesOf(answer))).toBe(hash);
          await until('the upload to be removed', () => !existsSync(dirname(path)));
        } finally {
          await wire.close();
          const growth = memory.stop();
          if (FILE_BYTES > 1e9)
            process.stderr.write(`gateway and worker grew by ${growth.map((each) => each / MIB).join(', ')} MiB\n`);
          for (const bytes of growth) expect(bytes).toBeLessThanOrEqual(64 * MIB);
        }
      },
      5 * PATIENCE_MS,
    );

    it("get Telegram's refusal when they have one byte more than it takes", async () => {
      const answer = await fetch(`${gateway.url}/v1/files?name=larger.bin`, {
        method: 'POST',
        headers: { ...master, 'upload-length': String(LARGEST_BYTES + 1) },
      });
      const { upload_id: id } = ((await answer.json()) as { result: { upload_id: string } }).result;
      // As if it had been uploaded: a file with nothing but a hole is as large.
      truncateSync(join(uploadsDir(), id, 'larger.bin'), LARGEST_BYTES + 1);
      const { path } = await gateway.must('POST', `/v1/files/${id}/complete`);
      const { status, error } = await outcome((await send(String(path)))['id'], 60_000);
      expect([status, error]).toEqual(['failed', expect.objectContaining({ message: 'FILE_PARTS_INVALID' })]);
      await until('the upload to be removed', () => !existsSync(dirname(String(path))));
    });
  });

  describe('when a process is killed', () => {
    it('are uploaded to Telegram once, and their outcome is known afterwards', async () => {
      const source = { path: join(dir, 'killed.bin'), name: 'killed.bin', bytes: 12 * MIB };
      const hash = await sha256(written(source));
      const path = await uploadInChunks(gateway.url, source);
      const parts = (): number => telegram.control.journal({ method: 'upload.saveBigFilePart' }).length;
      const before = parts();
      telegram.control.addFault({ method: 'upload.saveBigFilePart', delayMs: 200 });
      const { id } = await send(path);
      await until('some parts', () => parts() > before + 2);
      await worker.end('SIGKILL');
      telegram.control.removeFault();
      expect(existsSync(path)).toBe(true);
      await startWorker();
      expect(await outcome(id)).toMatchObject({ status: 'sent' });
      const files = (await telegram.control.messages({ chatId: group })).flatMap(({ file }) => file ?? []);
      const sent = files.filter(({ name }) => name === 'killed.bin');
      expect(sent).toMatchObject([{ sha256: hash }]);
    });

    it('are cut, never short, for who downloads them, and go on by Range', async () => {
      const size = 48 * MIB + 1;
      const url = await posted(size, 'download.bin');
      telegram.control.addFault({ method: 'upload.getFile', delayMs: 50 });
      const answer = await get(url);
      const etag = answer.headers.get('etag') ?? '';
      const hash = createHash('sha256');
      let taken = 0;
      const reading = (async () => {
        for await (const piece of bytesOf(answer)) {
          hash.update(piece);
          taken += piece.length;
        }
      })();
      reading.catch(() => undefined);
      await until('some bytes', () => taken > 2 * MIB);
      await worker.end('SIGKILL');
      telegram.control.removeFault();
      await expect(reading).rejects.toThrow();
      expect(taken).toBeLessThan(size);
      await startWorker();
      const rest = await until(
        'the rest',
        async () => {
          const part = await get(url, { range: `bytes=${taken}-`, 'if-range': etag });
          return part.status === 206 && part;
        },
        60_000,
      );
      for await (const piece of bytesOf(rest)) {
        hash.update(piece);
        taken += piece.length;
      }
      expect([taken, hash.digest('hex')]).toEqual([size, await sha256(generatedPieces(size))]);
    });

    it('are kept as far as they came in, and go on there', async () => {
      const size = 3 * MIB;
      const begun = await gateway.ask('POST', '/v1/files?name=half.bin', undefined, { 'upload-length': String(size) });
      const id = String(begun.body.result?.['upload_id']);
      const request = httpRequest(`${gateway.url}/v1/files/${id}`, {
        method: 'PATCH',
        headers: { ...master, 'upload-offset': '0', 'content-length': size },
      });
      request.on('error', () => undefined);
      request.write(generatedBytes(0, MIB));
      const offset = async (): Promise<unknown> => (await gateway.must('GET', `/v1/files/${id}`))['offset'];
      await until('the part', async () => (await offset()) === MIB);
      await gateway.end('SIGKILL');
      await startGateway();
      expect(await offset()).toBe(MIB);
      const patched = await fetch(`${gateway.url}/v1/files/${id}`, {
        method: 'PATCH',
        headers: { ...master, 'upload-offset': String(MIB) },
        body: new Uint8Array(generatedBytes(MIB, size - MIB)),
      });
      expect(patched.status).toBe(200);
      const { path } = await gateway.must('POST', `/v1/files/${id}/complete`);
      expect(await outcome((await send(String(path)))['id'])).toMatchObject({ status: 'sent' });
      const files = (await telegram.control.messages({ chatId: group })).flatMap(({ file }) => file ?? []);
      expect(files.find(({ name }) => name === 'half.bin')?.sha256).toBe(await sha256(generatedPieces(size)));
      expect(readdirSync(uploadsDir())).not.toContain(id);
    });
  });

  it(
    `leave nothing behind after ${SOAK} uploads, sends, aborts and kills, and lose nothing`,
    async () => {
      const foldersBefore = new Set(readdirSync(uploadsDir()));
      const filesBefore = filesBelow(join(dir, 'worker'));
      const told = new Map<string, 'sent' | 'unknown'>();
      const upload = async (name: string, bytes: number): Promise<string> => {
        const answer = await fetch(`${gateway.url}/v1/files?name=${name}`, {
          method: 'POST',
          headers: master,
          body: new Uint8Array(generatedBytes(0, bytes)),
        });
        return ((await answer.json()) as { result: { path: string } }).result.path;
      };
      /** Sends as a careful client does: with a key, again and again until it is told. */
      const deliver = async (name: string, path: string): Promise<void> => {
        const params = {
          chat_id: group,
          input_message_content: { '@type': 'inputMessageDocument', document: { '@type': 'inputFileLocal', path } },
        };
        const answer = await until(
          `an answer for ${name}`,
          async () => {
            const each = await gateway.ask(
              'POST',
              `${sender.path}/call?wait=30`,
              { method: 'sendMessage', params },
              { 'idempotency-key': name },
            );
            const code = each.body.error?.['code'];
            return (each.status === 200 || code === 'idempotency_outcome_unknown' || code === 'path_denied') && each;
          },
          120_000,
        );
        const [first] = answer.body.sends ?? [];
        const status =
          first?.['status'] === 'pending' ? (await outcome(first['temporary_id']))['status'] : first?.['status'];
        told.set(name, status === 'sent' ? 'sent' : 'unknown');
      };
      const begin = async (name: string, length: number): Promise<string> => {
        const begun = await gateway.ask('POST', `/v1/files?name=${name}`, undefined, {
          'upload-length': String(length),
        });
        return String(begun.body.result?.['upload_id']);
      };
      /** A request whose client leaves when a part of its body is on its way. */
      const abort = (method: string, path: string, headers: Record<string, string | number>): Promise<void> =>
        new Promise((resolve) => {
          const request = httpRequest(`${gateway.url}${path}`, { method, headers: { ...master, ...headers } });
          request.on('error', () => undefined);
          request.on('close', resolve);
          request.write(generatedBytes(0, 50_000), () => request.destroy());
        });
      const WORK: readonly ((name: string) => Promise<void>)[] = [
        async (name) => deliver(name, await upload(name, 100_000)),
        async (name) => {
          const id = await begin(name, 60_000);
          await abort('PATCH', `/v1/files/${id}`, { 'upload-offset': 0, 'content-length': 60_000 });
          await until('the rest', async () => {
            const { offset } = (await gateway.must('GET', `/v1/files/${id}`)) as { offset: number };
            const rest = await fetch(`${gateway.url}/v1/files/${id}`, {
              method: 'PATCH',
              headers: { ...master, 'upload-offset': String(offset) },
              body: new Uint8Array(generatedBytes(offset, 60_000 - offset)),
            });
            return rest.ok;
          });
          await deliver(name, String((await gateway.must('POST', `/v1/files/${id}/complete`))['path']));
        },
        (name) => abort('POST', `/v1/files?name=${name}`, { 'content-length': 90_000 }),
        async (name) => {
          const id = await begin(name, 90_000);
          await abort('PATCH', `/v1/files/${id}`, { 'upload-offset': 0, 'content-length': 90_000 });
          await gateway.must('DELETE', `/v1/files/${id}`);
        },
        async (name) => {
          const path = await upload(name, 1_000);
          await gateway.ask('POST', `${sender.path}/call`, {
            method: 'sendMessage',
            params: {
              chat_id: 1,
              input_message_content: { '@type': 'inputMessageDocument', document: { '@type': 'inputFileLocal', path } },
            },
          });
          await gateway.must('DELETE', `/v1/files/${basename(dirname(path))}`);
        },
      ];
      let next = 0;
      const work = async (): Promise<void> => {
        for (let number = next++; number < SOAK; number = next++) {
          await WORK[number % WORK.length]?.(`soak-${number}.bin`);
        }
      };
      const kill = async (): Promise<void> => {
        for (let kills = 1; kills <= KILLS; kills += 1) {
          await until('the next kill', () => next > (SOAK * kills) / (KILLS + 1), 15 * 60_000);
          await worker.end('SIGKILL');
          await startWorker();
        }
      };
      await Promise.all([kill(), ...Array.from({ length: 8 }, work)]);
      if (KILLS > 0) {
        await new Promise((resolve) => setTimeout(resolve, MARKS_MS));
        await worker.end('SIGTERM');
        await startWorker();
      }
      const names = (await telegram.control.messages({ chatId: group })).map(({ file }) => file?.name);
      const times = (name: string): number => names.filter((each) => each === name).length;
      for (const [name, status] of told) {
        const at = times(name);
        expect([name, at]).toEqual([name, status === 'sent' ? 1 : Math.min(at, 1)]);
      }
      const unknown = [...told.values()].filter((status) => status === 'unknown').length;
      expect(unknown).toBeLessThanOrEqual(KILLS * 8);
      const left = (): string[] => readdirSync(uploadsDir()).filter((name) => !foldersBefore.has(name));
      // What a call that nobody was answered may yet send is kept for a day.
      await until('nothing to be left', () => left().length <= unknown);
      expect(filesBelow(join(dir, 'worker'))).toBeLessThan(filesBefore + 20);
      if (KILLS > 0) {
        const figures = `${told.size} sent, ${unknown} of them unanswered, ${left().length} uploads left`;
        process.stderr.write(
          `${figures}; ${filesBefore} files of sessions before, ${filesBelow(join(dir, 'worker'))} after\n`,
        );
      }
    },
    30 * 60_000,
  );
});
