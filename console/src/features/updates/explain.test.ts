import { aSubscription } from '@/test/samples';
import { chatOf, leftOutBy, toEvent, whyNotStored, type SeenEvent } from './explain';

const event = (update: Record<string, unknown>): SeenEvent => ({
  id: 'event-1',
  cursor: 'a',
  at: '2026-11-30T10:00:00.000Z',
  update,
});
const message = event({ '@type': 'updateNewMessage', message: { chat_id: -100, id: 7 } });

it.each([
  ['types that name others', { types: ['updateDeleteMessages'] }, message, /names only updateDeleteMessages/],
  ['an excluded type', { exclude_types: ['updateNewMessage'] }, message, /leaves updateNewMessage out/],
  ['another chat', { chats: [5] }, message, /does not name chat -100/],
  ['no chat at all', { chats: [5] }, event({ '@type': 'updateOption' }), /this update has none/],
  ['an empty list of chats', { chats: [] }, message, /does not name chat/],
  ['our own events that are not named', {}, event({ '@type': 'tgcontrol.session.status' }), /only when they are named/],
])('says that %s leave an update out', (_, filters, seen, words) => {
  expect(leftOutBy(filters, seen)).toMatch(words);
});

it.each([
  ['no filter', {}, message],
  ['empty types', { types: [] }, message],
  ['the chat of the message', { chats: [-100] }, message],
  [
    'our own event that is named, whatever the chats',
    { types: ['tgcontrol.test'], chats: [1] },
    event({ '@type': 'tgcontrol.test' }),
  ],
])('lets pass by %s', (_, filters, seen) => {
  expect(leftOutBy(filters, seen)).toBeUndefined();
});

it('says when a subscription came too late', () => {
  expect(whyNotStored(aSubscription({ created_at: '2026-11-30T11:00:00.000Z' }), message)).toMatch(/after this update/);
  expect(whyNotStored(aSubscription({ created_at: '2026-11-30T09:00:00.000Z' }), message)).toBeUndefined();
});

it('finds the chat of an update or of its message', () => {
  expect(chatOf(event({ '@type': 'updateChatTitle', chat_id: 3 }))).toBe(3);
  expect(chatOf(message)).toBe(-100);
  expect(chatOf(event({ '@type': 'updateOption' }))).toBeUndefined();
});

it('reads an event of a stream, and nothing else', () => {
  expect(toEvent({ ...message })).toEqual(message);
  expect(toEvent({ reason: 'gone' })).toBeUndefined();
});
