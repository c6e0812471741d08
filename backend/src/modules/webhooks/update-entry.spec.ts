import { ChatView } from '../../telegram/index.js';
import { CompiledFilters } from './filters.js';
import type { Subscriber } from './subscriber.js';
import { entriesOf, parseEntry, type UpdateEntry, writeEntry } from './update-entry.js';
import { deliveryIdOf, factsOf, idOf } from './update-facts.js';

const SERVER_ID = 5 * 2 ** 20;
const message = (id: number, chat = 7): string =>
  JSON.stringify({ '@type': 'updateNewMessage', message: { '@type': 'message', id, chat_id: chat } });
const subscriber = (id: string, view?: ChatView): Subscriber => ({
  id,
  sessionId: 's',
  sessionKind: 'bot',
  kind: 'stream',
  filters: new CompiledFilters({}),
  view,
  isServed: true,
  since: 0,
  url: '',
  secrets: [],
  order: 'none',
  maxConnections: 1,
  laneEpoch: 1,
  isFailing: false,
});
const [MASTER, SCOPED] = [idOf('master'), idOf('scoped')];
const entries = (type: string, text: string): readonly UpdateEntry[] =>
  entriesOf('s', type, text, [subscriber(MASTER), subscriber(SCOPED, new ChatView({ classes: ['read'] }))], 5);

describe('what an update is known by', () => {
  it.each([
    ['updateNewMessage', message(SERVER_ID)],
    ['updateNewCallbackQuery', '{"@type":"updateNewCallbackQuery","id":"123","chat_id":7}'],
    ['updateMessageEdited', `{"@type":"updateMessageEdited","chat_id":7,"message_id":${SERVER_ID},"edit_date":9}`],
  ])('stays the same when TDLib repeats %s', (type, text) => {
    const [first] = entries(type, text);
    const [again] = entries(type, text);
    expect(first?.isNamed).toBe(true);
    expect(again?.id).toBe(first?.id);
  });

  it('differs for messages with alike ids, of other chats, and of other sessions', () => {
    const ids = [message(SERVER_ID), message(2 * SERVER_ID), message(SERVER_ID, 8)].map(
      (text) => entries('updateNewMessage', text)[0]?.id,
    );
    ids.push(entriesOf('other', 'updateNewMessage', message(SERVER_ID), [subscriber(MASTER)], 5)[0]?.id);
    expect(new Set(ids).size).toBe(4);
  });

  it('differs for two edits within a second that say different things', () => {
    const edit = (markup: string): string =>
      `{"@type":"updateMessageEdited","chat_id":7,"message_id":${SERVER_ID},"edit_date":9,"reply_markup":${markup}}`;
    const facts = ['null', '{"@type":"x"}'].map((markup) => factsOf('updateMessageEdited', edit(markup)).identity);
    expect(new Set(facts).size).toBe(2);
  });

  it('is nothing for temporary ids, which come again, and for types without an id', () => {
    expect(factsOf('updateNewMessage', message(SERVER_ID + 1)).identity).toBeUndefined();
    expect(factsOf('updateChatReadInbox', '{"@type":"updateChatReadInbox","chat_id":7}')).toEqual({
      chatId: 7,
      identity: undefined,
    });
  });

  it('makes one delivery for each subscription, with an id in the form of a UUID', () => {
    const ids = [MASTER, SCOPED].map((id) => deliveryIdOf(idOf('u'), id));
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('the chat of the login codes', () => {
  const of = (text: string): readonly (readonly string[])[] =>
    entries('update', text).map(({ subscriptionIds, payload }) => [...subscriptionIds, payload]);

  it.each([
    ['a message', message(SERVER_ID, 777_000)],
    ['a new chat', '{"@type":"updateNewChat","chat":{"@type":"chat","id":777000}}'],
    ['a last message', '{"@type":"updateChatLastMessage","chat_id":777000,"last_message":null}'],
    ['what is deep in it', '{"@type":"update","a":{"b":{"@type":"c","chat_id":777000}}}'],
  ])('is not shown to a token: %s', (_what, text) => {
    expect(of(text)).toEqual([[MASTER, text]]);
  });

  it('leaves the other elements of a list', () => {
    const text = '{"@type":"updateActiveNotifications","groups":[{"chat_id":777000},{"chat_id":7}]}';
    expect(of(text)).toEqual([
      [MASTER, text],
      [SCOPED, '{"@type":"updateActiveNotifications","groups":[{"chat_id":7}]}'],
    ]);
  });

  it('is not what only looks like it', () => {
    const text = '{"@type":"updateNewMessage","message":{"id":1,"chat_id":7,"text":"777000"}}';
    expect(of(text)).toEqual([[MASTER, SCOPED, text]]);
  });
});

describe('a line of the journal', () => {
  it('gives the entry back as it was', () => {
    const text = '{"@type":"updateNewMessage","message":{"chat_id":-7,"id":1,"t":"tab\\t ü \\n"}}';
    const [entry] = entries('updateNewMessage', text);
    if (entry === undefined) throw new Error('no entry');
    const line = writeEntry(entry);
    expect(line.endsWith('\n')).toBe(true);
    expect(parseEntry(line.slice(0, -1))).toEqual({ ...entry, isNamed: true });
    for (const torn of ['', 'x', line.slice(0, -3), line.slice(3)]) expect(parseEntry(torn)).toBeUndefined();
  });
});
