import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SILENT_TRANSPORT } from '../../test/silent-transport.js';
import { World } from '../world/world.js';
import { Control } from './control.js';
import type { ControlServer } from './http.js';
import { startControlServer } from './http.js';

interface Answer {
  readonly status: number;
  readonly body: { readonly ok: boolean; readonly result?: unknown; readonly error?: unknown };
}

describe('the HTTP control API', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-http-'));
  let server: ControlServer;

  async function call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${String(server.port)}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }
  const post = async (path: string, body?: unknown): Promise<unknown> => (await call('POST', path, body)).body.result;

  beforeAll(async () => {
    server = await startControlServer(new Control(new World(directory), SILENT_TRANSPORT), 0);
  });
  afterAll(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  it('makes accounts, bots, chats and messages, and shows what Telegram holds', async () => {
    const owner = (await post('/accounts', { phone: '+1 555 000 0001' })) as { user_id: number; phone: string };
    expect(owner.phone).toBe('15550000001');
    const bot = (await post('/bots', { username: 'http_bot', token: '77:abc' })) as { user_id: number };
    expect(bot).toEqual({ user_id: 77, token: '77:abc' });
    const chat = { type: 'channel', title: 'News', admins: [owner.user_id, bot.user_id] };
    const { chat_id: chatId } = (await post('/chats', chat)) as { chat_id: number };
    const bytes = Buffer.from('hello').toString('base64');
    await post('/messages', { from: 77, chat_id: chatId, text: 'a file', document: { bytes, name: 'a.txt' } });
    const { body } = await call('GET', `/messages?chat_id=${String(chatId)}`);
    expect(body.result).toMatchObject([
      { action: 'messageActionChannelCreate' },
      {
        text: 'a file',
        sender_id: 77,
        message_id: 2 << 20,
        file: {
          name: 'a.txt',
          size_bytes: 5,
          sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
        },
      },
    ]);
  });

  it('answers acts without a result too', async () => {
    const { user_id: id } = (await post('/accounts', { phone: '15550000009' })) as { user_id: number };
    expect(await call('POST', `/accounts/${String(id)}/ban`)).toEqual({ status: 200, body: { ok: true, result: {} } });
    const { body } = await call('GET', `/accounts/${String(id)}`);
    expect(body.result).toMatchObject({ user_id: id, banned: true });
  });

  it('sets and removes faults and rules', async () => {
    const { id } = (await post('/faults', { method: 'send', error: { code: 400, message: 'PEER_FLOOD' } })) as {
      id: number;
    };
    expect((await call('GET', '/faults')).body.result).toMatchObject([{ id, hits: 0 }]);
    await call('DELETE', `/faults/${String(id)}`);
    expect((await call('GET', '/faults')).body.result).toEqual([]);
    await post('/rules', { method: 'send', per: 'account', max: 3, window_s: 60, wait_s: 5 });
    expect((await call('GET', '/rules')).body.result).toMatchObject([{ window_seconds: 60, wait_seconds: 5 }]);
  });

  it('names every field that is wrong', async () => {
    const { status, body } = await call('POST', '/chats', { type: 'room', members: ['x'] });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      ok: false,
      error: { code: 'validation_failed', details: { issues: [{ path: 'type' }, { path: 'members.0' }] } },
    });
  });

  it('tells what does not exist and what is impossible', async () => {
    expect(await call('GET', '/accounts/1')).toMatchObject({
      status: 404,
      body: { error: { code: 'account_not_found' } },
    });
    expect(await call('GET', '/nothing')).toMatchObject({ status: 404, body: { error: { code: 'route_not_found' } } });
    const taken = await call('POST', '/accounts', { phone: '15550000001' });
    expect(taken).toMatchObject({ status: 400, body: { error: { source: 'sandbox', code: 'phone_taken' } } });
  });

  it('forgets everything on a reset', async () => {
    await post('/reset');
    expect((await call('GET', '/chats')).body.result).toEqual([]);
  });
});
