import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UploadSweep } from '../src/modules/files/upload-sweep.js';
import { master, startApp, type TestApp } from './support/app.js';
import { createDatabase, type TestDatabase } from './support/database.js';
import { ApiClient, type Answer, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { uploadFile } from './support/uploads.js';

const local = (path: string): object => ({ '@type': 'inputFileLocal', path });
const document = (path: string): object => ({ '@type': 'inputMessageDocument', document: local(path) });

describe('an upload in a call', () => {
  let telegram: TestTelegram;
  let database: TestDatabase;
  let app: TestApp;
  let api: ApiClient;
  let path: string;
  let channel: number;
  let token: string;
  let other: string;
  let dataDir: string | undefined;

  const start = async (): Promise<void> => {
    app = await startApp({
      env: { ...telegram.env, WORKER_ID: 'w', ...(dataDir !== undefined && { DATA_DIR: dataDir }) },
      database,
    });
    dataDir = app.dataDir;
    api = new ApiClient(app);
  };
  const folderOf = (file: string): string => dirname(file);
  const gone = (file: string): Promise<true> =>
    until(`${basename(file)} to be removed`, () => !existsSync(folderOf(file)));
  const send = (content: object, { wait = 30, as = token } = {}): Promise<Answer> =>
    api.post(
      `${path}/call?wait=${wait}`,
      { method: 'sendMessage', params: { chat_id: channel, input_message_content: content } },
      { authorization: `Bearer ${as}` },
    );
  const createToken = async (): Promise<string> =>
    String((await api.must(api.post('/v1/tokens', { name: 'files', all_sessions: true })))['token']);
  /** As it will be hours from now. The files stay as they are: TDLib does not send again what has changed meanwhile. */
  const sweepLater = (hours: number): Promise<number> =>
    app.app.get(UploadSweep, { strict: false }).sweep(Date.now() + hours * 3_600_000);

  beforeAll(async () => {
    telegram = await startTelegram();
    database = await createDatabase();
    await start();
    const bot = telegram.control.createBot({ username: 'files_bot' });
    const appId = await api.createApp();
    path = `/v1/bot/${(await api.must(api.post('/v1/bot', { token: bot.token, app_id: appId }))).id}`;
    const owner = telegram.control.createAccount({ phone: '15550700000', firstName: 'O' }).userId;
    channel = telegram.control.createChat({ type: 'channel', title: 'C', admins: [owner, bot.userId] }).chatId;
    await until('the channel', async () => (await api.call(path, 'getChat', { chat_id: channel })).status === 200);
    token = await createToken();
    other = await createToken();
  });

  afterEach(() => telegram.control.removeFault());

  afterAll(async () => {
    await app.stop();
    await database.drop();
    await telegram.stop();
  });

  it('is sent and then removed', async () => {
    const file = await uploadFile(app, 'once.txt', 'once', token);
    const { status, body } = await send(document(file));
    expect([status, body.sends?.[0]?.['status']]).toEqual([200, 'sent']);
    await gone(file);
    const again = await send(document(file));
    expect([again.status, again.body.error?.['code']]).toEqual([403, 'path_denied']);
    expect(again.body.error?.['message']).toContain('an upload serves once');
  });

  it('comes back as it was', async () => {
    const bytes = randomBytes(3_000_000);
    const file = await uploadFile(app, 'back.bin', new Uint8Array(bytes), token);
    const sent = await send(document(file));
    await gone(file);
    const message_id = sent.body.sends?.[0]?.['message_id'];
    const { body } = await api.call(path, 'getMessage', { chat_id: channel, message_id });
    const { document: content } = body.result?.['content'] as { document: { document: { id: number } } };
    const answer = await fetch(`${app.url}${path}/files/${content.document.id}`, { headers: master });
    expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(bytes)]).toEqual([200, true]);
  });

  it("is refused when it is somebody else's, not whole, a link, or no upload; nothing reaches TDLib", async () => {
    const file = await uploadFile(app, 'mine.txt', 'mine', token);
    expect((await send(document(file), { as: other })).body.error?.['code']).toBe('path_denied');
    const { uploads } = app.config;
    const stray = join(uploads.dir, 'stray.txt');
    writeFileSync(stray, 'x');
    const neighbour = join(folderOf(file), 'neighbour.txt');
    writeFileSync(neighbour, 'x');
    const record = join(folderOf(file), '.upload.json');
    const linked = join(uploads.dir, 'a'.repeat(32));
    mkdirSync(linked);
    symlinkSync('/etc/passwd', join(linked, 'passwd'));
    writeFileSync(
      join(linked, '.upload.json'),
      JSON.stringify({ name: 'passwd', owner: 'master', createdAt: 0, length: 1 }),
    );
    const linkedFolder = join(uploads.dir, 'b'.repeat(32));
    symlinkSync(folderOf(file), linkedFolder);
    for (const wrong of [
      stray,
      neighbour,
      record,
      uploads.dir,
      folderOf(file),
      join(linked, 'passwd'),
      join(linkedFolder, 'mine.txt'),
      '/etc/passwd',
      `${file}/../../../secrets.json`,
    ]) {
      const { status, body } = await api.post(`${path}/call`, {
        method: 'sendMessage',
        params: { chat_id: channel, input_message_content: document(wrong) },
      });
      expect([wrong, status, body.error?.['code']]).toEqual([wrong, 403, 'path_denied']);
    }
    const begun = await api.post('/v1/files?name=half.txt', {}, { 'upload-length': '10' });
    const half = join(uploads.dir, String(begun.body.result?.['upload_id']), 'half.txt');
    const refused = await api.post(`${path}/call`, {
      method: 'sendMessage',
      params: { chat_id: channel, input_message_content: document(half) },
    });
    expect([refused.status, refused.body.error?.['code']]).toEqual([409, 'upload_incomplete']);
    expect((await send(document(file))).status).toBe(200);
    await gone(file);
  });

  it('stays when TDLib refuses the call, and can be used then', async () => {
    const file = await uploadFile(app, 'again.txt', 'again', token);
    const refused = await api.post(
      `${path}/call`,
      { method: 'sendMessage', params: { chat_id: 1, input_message_content: document(file) } },
      { authorization: `Bearer ${token}` },
    );
    expect(refused.status).toBe(400);
    expect(readdirSync(folderOf(file)).sort()).toEqual(['.upload.json', 'again.txt']);
    expect((await send(document(file))).body.sends?.[0]?.['status']).toBe('sent');
    await gone(file);
  });

  it('is removed when its message fails', async () => {
    telegram.control.addFault({ method: 'messages.sendMedia', error: { code: 400, message: 'MEDIA_INVALID' } });
    const file = await uploadFile(app, 'fails.txt', 'fails', token);
    const { body } = await send(document(file));
    expect(body.sends?.[0]?.['status']).toBe('failed');
    await gone(file);
  });

  it('stays until the last message of every call that uses it is decided', async () => {
    const shared = await uploadFile(app, 'shared.txt', 'shared', token);
    const own = await uploadFile(app, 'own.txt', 'own', token);
    telegram.control.addFault({ method: 'messages.sendMultiMedia', delayMs: 4_000 });
    const album = await api.post(
      `${path}/call`,
      {
        method: 'sendMessageAlbum',
        params: { chat_id: channel, input_message_contents: [document(shared), document(own), document(shared)] },
      },
      { authorization: `Bearer ${token}` },
    );
    expect(album.status).toBe(200);
    expect((await send(document(shared))).body.sends?.[0]?.['status']).toBe('sent');
    await sweepLater(12);
    expect([existsSync(shared), existsSync(own)]).toEqual([true, true]);
    await Promise.all([gone(shared), gone(own)]);
  });

  it('is left to its time when it becomes no message', async () => {
    const file = await uploadFile(app, 'kept.txt', 'kept', token);
    const { status } = await api.post(
      `${path}/call`,
      {
        method: 'uploadStickerFile',
        params: { user_id: 1, sticker_format: { '@type': 'stickerFormatWebp' }, sticker: local(file) },
      },
      { authorization: `Bearer ${token}` },
    );
    expect(status).toBeGreaterThanOrEqual(200);
    await sweepLater(1.9);
    expect(existsSync(file)).toBe(true);
    await sweepLater(2.1);
    expect(existsSync(file)).toBe(false);
  });

  it('is kept for the client that sends its message after a restart, and removed by the sweep then', async () => {
    const fault = telegram.control.addFault({ method: 'messages.sendMedia', hang: true });
    const file = await uploadFile(app, 'restart.txt', 'restart', token);
    const { body } = await send(document(file), { wait: 1 });
    const [pending] = body.sends ?? [];
    expect(pending?.['status']).toBe('pending');
    await app.app.close();
    telegram.control.removeFault(fault.id);
    await start();
    await sweepLater(12);
    const name = `chat_id=${channel}&message_id=${String(pending?.['temporary_id'])}`;
    await until('the outcome', async () => (await api.get(`${path}/sends?${name}`)).body.result?.['status'] === 'sent');
    const held = await telegram.control.messages({ chatId: channel });
    expect(held.filter((message) => message.file?.name === 'restart.txt')).toHaveLength(1);
    await until('the removal', async () => {
      await sweepLater(0.1);
      return !existsSync(file);
    });
  });
});
