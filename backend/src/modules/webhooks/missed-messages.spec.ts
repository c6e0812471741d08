import { TdlibError } from '../../common/errors/index.js';
import { TdClient, type TdObject } from '../../telegram/index.js';
import { findMissed, type Gap } from './missed-messages.js';
import { COMMON } from './seen-messages.js';

const NUMBER = 2 ** 20;
const ME = 99;
const GROUP = -1_000_000_000_777;

/** What Telegram has, and TDLib as far as it is asked. */
class FakeTelegram {
  readonly messages = new Map<string, TdObject>();
  readonly announced = new Set<number>();
  readonly asked: TdObject[] = [];
  private readonly loaded = new Set<string>();
  refusal: Error | undefined;

  add(chatId: number, number: number, more: object = {}): void {
    const id = number * NUMBER;
    const message = { '@type': 'message', id, chat_id: chatId, date: 1_000, is_outgoing: false, ...more };
    this.messages.set(`${chatId} ${id}`, message);
  }

  get client(): TdClient {
    return Object.assign(Object.create(TdClient.prototype) as TdClient, {
      request: (query: TdObject) => this.answer(query),
      invoke: async (query: string) => JSON.stringify(await this.answer(JSON.parse(query) as TdObject)),
    });
  }

  private answer(query: TdObject): Promise<TdObject> {
    this.asked.push(query);
    if (this.refusal !== undefined) return Promise.reject(this.refusal);
    const chatId = Number(query['chat_id']);
    switch (query['@type']) {
      case 'getMe':
        return Promise.resolve({ '@type': 'user', id: ME });
      case 'getMessages':
        for (const [key, { chat_id: of, id }] of this.messages) {
          if (chatId < 0 !== Number(of) < 0 || !(query['message_ids'] as number[]).includes(Number(id))) continue;
          this.loaded.add(key);
          this.announced.add(Number(of));
        }
        return Promise.resolve({ '@type': 'messages' });
      case 'getMessageLocally': {
        const key = `${chatId} ${String(query['message_id'])}`;
        const message = this.loaded.has(key) ? this.messages.get(key) : undefined;
        return message === undefined ? Promise.reject(new TdlibError(404, 'Not found')) : Promise.resolve(message);
      }
      case 'getChats': {
        const isMain = (query['chat_list'] as TdObject)['@type'] === 'chatListMain';
        const ids = new Set([...this.messages.values()].map((message) => message['chat_id']));
        return Promise.resolve({ '@type': 'chats', chat_ids: isMain ? [...ids] : [] });
      }
      case 'getChat':
        return Promise.resolve({
          '@type': 'chat',
          id: chatId,
          last_message: [...this.messages.values()].findLast((m) => m['chat_id'] === chatId),
        });
      default:
        return Promise.resolve({ '@type': 'ok' });
    }
  }
}

describe('findMissed', () => {
  let telegram: FakeTelegram;
  const find = async (gap: Partial<Gap>): Promise<readonly string[]> => {
    const found: string[] = [];
    await findMissed(
      {
        client: telegram.client,
        kind: 'bot',
        seen: new Map(),
        since: 900,
        newest: () => 0,
        announced: () => telegram.announced,
        ...gap,
      },
      ({ text }) => {
        const { chat_id: chatId, id } = JSON.parse(text) as { chat_id: number; id: number };
        found.push(`${chatId}:${id / NUMBER}`);
      },
    );
    return found;
  };

  beforeEach(() => {
    telegram = new FakeTelegram();
  });

  it('finds for a bot what came after the last one seen, in whichever chat, in order', async () => {
    for (const [chatId, number] of [
      [7, 4],
      [7, 5],
      [8, 6],
      [7, 7],
    ] as const)
      telegram.add(chatId, number);
    expect(
      await find({
        seen: new Map([
          [7, 5 * NUMBER],
          [COMMON, 5 * NUMBER],
        ]),
      }),
    ).toEqual(['8:6', '7:7']);
  });

  it('looks up to what came meanwhile, over numbers that nobody has', async () => {
    telegram.add(7, 350);
    const seen = new Map([[COMMON, 5 * NUMBER]]);
    expect(await find({ seen })).toEqual([]);
    expect(await find({ seen, newest: () => 351 * NUMBER })).toEqual(['7:350']);
  });

  it('finds the first messages of a new bot, and does not go through those of an old one', async () => {
    telegram.add(7, 1);
    expect(await find({})).toEqual(['7:1']);
    telegram.add(7, 1, { date: 1 });
    for (let number = 2; number < 5_000; number += 1) telegram.add(7, number, { date: 1 });
    telegram.asked.length = 0;
    await find({});
    expect(telegram.asked.filter((query) => query['@type'] === 'getMessages')).toHaveLength(1);
  });

  it.each(['bot', 'user'] as const)('finds those of a supergroup by its own numbers for a %s', async (kind) => {
    for (let number = 1; number <= 250; number += 1) telegram.add(GROUP, number);
    const found = await find({ kind, seen: new Map([[GROUP, 20 * NUMBER]]) });
    expect(found).toHaveLength(230);
    expect(found.at(-1)).toBe(`${GROUP}:250`);
  });

  it('finds for a user what came since somebody wants it in chats of which nothing was seen', async () => {
    telegram.add(GROUP, 4_000, { date: 1 });
    telegram.add(GROUP, 4_001);
    telegram.add(7, 70);
    expect([...(await find({ kind: 'user' }))].sort()).toEqual([`${GROUP}:4001`, '7:70']);
  });

  it('takes a refusal for now for none: what is there must not pass for missing', async () => {
    telegram.refusal = new TdlibError(429, 'Too Many Requests: retry after 3');
    await expect(find({ seen: new Map([[COMMON, NUMBER]]) })).rejects.toThrow('Too Many Requests');
  });
});
