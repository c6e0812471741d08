import { TdlibError } from '../../common/errors/index.js';
import type { TdClient, TdObject } from '../../telegram/index.js';
import { ChatResolver } from './chat-resolver.js';

function fakeClient(answer: (query: TdObject) => Promise<TdObject>): { client: TdClient; asked: TdObject[] } {
  const asked: TdObject[] = [];
  const request = (query: TdObject): Promise<TdObject> => {
    asked.push(query);
    return answer(query);
  };
  return { client: { request } as Partial<TdClient> as TdClient, asked };
}

const found = (): Promise<TdObject> => Promise.resolve({ '@type': 'chat', id: -1001 });

describe('ChatResolver', () => {
  it('asks once for everybody who waits, whatever form they use', async () => {
    const { client, asked } = fakeClient(found);
    const resolver = new ChatResolver();
    const calls = ['@Shop', 't.me/shop', 'https://t.me/SHOP'].map((chat_id): Record<string, unknown> => ({ chat_id }));
    await Promise.all(calls.map((params) => resolver.resolve(client, params)));
    expect(calls.map(({ chat_id }) => chat_id)).toEqual([-1001, -1001, -1001]);
    expect(asked).toEqual([{ '@type': 'searchPublicChat', username: 'shop' }]);
  });

  it('asks again after an hour', async () => {
    const { client, asked } = fakeClient(found);
    let now = 0;
    const resolver = new ChatResolver(() => now);
    await resolver.resolve(client, { chat_id: '@shop' });
    now = 3_599_999;
    await resolver.resolve(client, { chat_id: '@shop' });
    expect(asked).toHaveLength(1);
    now = 3_600_001;
    await resolver.resolve(client, { chat_id: '@shop' });
    expect(asked).toHaveLength(2);
  });

  it('passes the refusal on and does not keep it', async () => {
    let refused = true;
    const { client } = fakeClient(() =>
      refused ? Promise.reject(new TdlibError(400, 'USERNAME_NOT_OCCUPIED')) : found(),
    );
    const resolver = new ChatResolver();
    await expect(resolver.resolve(client, { chat_id: '@shop' })).rejects.toThrow('USERNAME_NOT_OCCUPIED');
    refused = false;
    const params: Record<string, unknown> = { chat_id: '@shop' };
    await resolver.resolve(client, params);
    expect(params['chat_id']).toBe(-1001);
  });

  it('takes digits as an id without asking', async () => {
    const { client, asked } = fakeClient(found);
    const params: Record<string, unknown> = { chat_id: '-100123' };
    await new ChatResolver().resolve(client, params);
    expect(params['chat_id']).toBe(-100123);
    expect(asked).toEqual([]);
  });

  it('loads an unknown chat once for all calls that need it', async () => {
    const { client, asked } = fakeClient(found);
    const resolver = new ChatResolver();
    const refusal = new TdlibError(400, 'Chat not found');
    const results = await Promise.all([1, 2, 3].map(() => resolver.load(client, { chat_id: 42 }, refusal)));
    expect(results).toEqual([true, true, true]);
    expect(asked).toEqual([{ '@type': 'createPrivateChat', user_id: 42, force: true }]);
  });

  it('does not repeat what loading cannot cure', async () => {
    const { client, asked } = fakeClient(found);
    const resolver = new ChatResolver();
    expect(await resolver.load(client, { chat_id: 42 }, new TdlibError(400, 'Not enough rights'))).toBe(false);
    expect(await resolver.load(client, { chat_id: '42' }, new TdlibError(400, 'Chat not found'))).toBe(false);
    expect(await resolver.load(client, { chat_id: 42 }, new Error('Chat not found'))).toBe(false);
    expect(asked).toEqual([]);
  });
});
