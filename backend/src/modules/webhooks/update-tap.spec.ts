import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TdlibError } from '../../common/errors/index.js';
import { TdClient, type TdObject } from '../../telegram/index.js';
import { CompiledFilters } from './filters.js';
import type { Subscriber } from './subscriber.js';
import { parseEntry } from './update-entry.js';
import { idOf } from './update-facts.js';
import { UpdateTap } from './update-tap.js';

const NUMBER = 2 ** 20;
const SUBSCRIPTION = idOf('subscription');
const SESSION = idOf('session');
const subscriber: Subscriber = {
  id: SUBSCRIPTION,
  sessionId: SESSION,
  sessionKind: 'bot',
  kind: 'stream',
  filters: new CompiledFilters({ types: ['updateNewMessage'] }),
  view: undefined,
  isServed: true,
  since: 0,
  url: '',
  secrets: [],
  order: 'none',
  maxConnections: 1,
  laneEpoch: 1,
  isFailing: false,
};
const message = (number: number): string =>
  `{"@type":"message","id":${number * NUMBER},"chat_id":7,"date":1000,"is_outgoing":false}`;
const update = (number: number): string => `{"@type":"updateNewMessage","message":${message(number)}}`;
const CONNECTED = '{"@type":"updateConnectionState","state":{"@type":"connectionStateReady"}}';

/** Telegram has the messages 1 to 9, all in one chat. */
function clientOf(): TdClient {
  const answer = (query: TdObject): Promise<TdObject> => {
    const number = Number(query['message_id']) / NUMBER;
    if (query['@type'] === 'getMe') return Promise.resolve({ '@type': 'user', id: 7 });
    if (query['@type'] !== 'getMessageLocally') return Promise.resolve({ '@type': 'ok' });
    if (number > 9) return Promise.reject(new TdlibError(404, 'Not found'));
    return Promise.resolve(JSON.parse(message(number)) as TdObject);
  };
  return Object.assign(Object.create(TdClient.prototype) as TdClient, {
    request: answer,
    invoke: async (query: string) => JSON.stringify(await answer(JSON.parse(query) as TdObject)),
  });
}

describe('UpdateTap', () => {
  let directory: string;
  const opened = (epoch: number): { readonly tap: UpdateTap; readonly found: Promise<number> } => {
    let tell: (count: number) => void = () => undefined;
    const found = new Promise<number>((resolve) => {
      tell = resolve;
    });
    const lease = { sessionId: SESSION, workerId: 'w', epoch };
    const events = {
      filled: () => undefined,
      dropped: () => undefined,
      unwritten: (error: unknown) => {
        throw error;
      },
      found: tell,
      unfound: () => undefined,
      closing: () => Promise.resolve(),
    };
    return { tap: new UpdateTap({ kind: 'bot', lease, directory }, [subscriber], events), found };
  };
  const numbersOf = (tap: UpdateTap): readonly number[] =>
    tap.ready.map(({ payload }) => (JSON.parse(payload) as { message: { id: number } }).message.id / NUMBER);
  const journalled = (epoch: number): number =>
    ['0', '1']
      .flatMap((turn) => readFileSync(join(directory, `updates.${epoch}.${turn}`), 'utf8').split('\n'))
      .filter((line) => parseEntry(line) !== undefined).length;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tgcontrol-tap-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('gives after a kill what the journal has, then what TDLib had not handed over, then what is new', async () => {
    const killed = opened(1).tap;
    killed.started(Promise.resolve(undefined));
    for (const number of [1, 2]) killed.receive('updateNewMessage', update(number));
    const { tap, found } = opened(2);
    tap.started(Promise.resolve(clientOf()));
    tap.receive('updateNewMessage', update(10));
    expect(tap.ready).toHaveLength(0);
    tap.receive('updateConnectionState', CONNECTED);
    expect(await found).toBe(7);
    expect(numbersOf(tap)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(journalled(2)).toBe(8);
  });

  it('gives in order what the next one finds and what came while one looked that was killed too', async () => {
    const killed = opened(1).tap;
    killed.started(Promise.resolve(undefined));
    for (const number of [1, 2]) killed.receive('updateNewMessage', update(number));
    const killedToo = opened(2).tap;
    killedToo.started(Promise.resolve(clientOf()));
    for (const number of [8, 10]) killedToo.receive('updateNewMessage', update(number));
    expect(killedToo.ready).toHaveLength(0);
    const { tap, found } = opened(3);
    tap.started(Promise.resolve(clientOf()));
    tap.receive('updateNewMessage', update(11));
    tap.receive('updateConnectionState', CONNECTED);
    await found;
    const numbers = numbersOf(tap);
    // What is given twice has one id.
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect([...new Set(numbers)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    tap.rotate();
    tap.stored(numbers.length);
    expect(readdirSync(directory).filter((name) => name.startsWith('updates.2'))).toEqual([]);
  });

  it('gives in order what one has found and not stored that was killed then', async () => {
    const killed = opened(1).tap;
    killed.started(Promise.resolve(undefined));
    killed.receive('updateNewMessage', update(1));
    const { tap: killedToo, found } = opened(2);
    killedToo.started(Promise.resolve(clientOf()));
    for (const number of [10, 11]) killedToo.receive('updateNewMessage', update(number));
    killedToo.receive('updateConnectionState', CONNECTED);
    await found;
    const { tap } = opened(3);
    tap.started(Promise.resolve(clientOf()));
    const closing = tap.close();
    expect(numbersOf(tap)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await closing;
  });

  it('looks for nothing after a clean end', async () => {
    const former = opened(1).tap;
    former.started(Promise.resolve(undefined));
    former.receive('updateNewMessage', update(1));
    former.stored(1);
    await former.close();
    const { tap } = opened(2);
    tap.started(Promise.resolve(clientOf()));
    tap.receive('updateNewMessage', update(10));
    expect(numbersOf(tap)).toEqual([10]);
  });

  it('leaves to the next one what comes after its session was lost, until its client has ended', async () => {
    const former = opened(1).tap;
    former.started(Promise.resolve(undefined));
    former.receive('updateNewMessage', update(1));
    former.lose();
    former.receive('updateNewMessage', update(2));
    const closing = former.close();
    former.receive('updateNewMessage', update(3));
    await closing;
    expect(numbersOf(former)).toEqual([]);
    const { tap, found } = opened(2);
    tap.started(Promise.resolve(clientOf()));
    tap.receive('updateConnectionState', CONNECTED);
    expect(await found).toBe(6);
    expect(numbersOf(tap)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('leaves it to the next one too when it was lost while it was closing', async () => {
    const former = opened(1).tap;
    former.started(Promise.resolve(undefined));
    former.receive('updateNewMessage', update(1));
    const closing = former.close();
    former.lose();
    former.receive('updateNewMessage', update(2));
    await closing;
    const { tap, found } = opened(2);
    tap.started(Promise.resolve(clientOf()));
    tap.receive('updateConnectionState', CONNECTED);
    expect(await found).toBe(7);
    expect(numbersOf(tap)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('lets what is new go on when it closes before it could look, and looks the next time', async () => {
    const killed = opened(1).tap;
    killed.started(Promise.resolve(undefined));
    killed.receive('updateNewMessage', update(1));
    const again = opened(2).tap;
    again.started(Promise.resolve(clientOf()));
    again.receive('updateNewMessage', update(10));
    const closing = again.close();
    expect(numbersOf(again)).toEqual([1, 10]);
    again.rotate();
    again.stored(2);
    await closing;
    const { tap, found } = opened(3);
    tap.started(Promise.resolve(clientOf()));
    tap.receive('updateConnectionState', CONNECTED);
    expect(await found).toBe(8);
  });
});
