import { TdlibError } from '../common/errors/index.js';
import { isChatNotLoaded, loadChatQuery, parseChatReference } from './chat-id.js';

describe('parseChatReference', () => {
  it.each([
    ['-1001234567890', -1001234567890],
    [' 777000 ', 777000],
  ])('reads the digits %p as an id', (text, chatId) => {
    expect(parseChatReference(text)).toEqual({ kind: 'id', chatId });
  });

  it.each([
    '@Durov',
    'durov',
    ' @durov ',
    't.me/durov',
    'https://t.me/Durov',
    'http://telegram.me/durov/',
    't.me/s/durov',
  ])('reads %p as a name', (text) => {
    expect(parseChatReference(text)).toEqual({ kind: 'username', username: 'durov' });
  });

  it.each(['', '  ', '@'])('finds nothing to resolve in %p', (text) => {
    expect(parseChatReference(text)).toBeUndefined();
  });
});

describe('loadChatQuery', () => {
  it.each([
    [42, { '@type': 'createPrivateChat', user_id: 42, force: true }],
    [-7, { '@type': 'createBasicGroupChat', basic_group_id: 7 }],
    [-999_999_999_999, { '@type': 'createBasicGroupChat', basic_group_id: 999_999_999_999 }],
    [-1_000_000_000_000, { '@type': 'createSupergroupChat', supergroup_id: 0 }],
    [-1_001_234_567_890, { '@type': 'createSupergroupChat', supergroup_id: 1_234_567_890 }],
  ])('knows the kind of %p', (chatId, query) => {
    expect(loadChatQuery(chatId)).toEqual(query);
  });

  it.each([0, -2_000_000_000_000, -2_000_000_000_001])('has none for %p', (chatId) => {
    expect(loadChatQuery(chatId)).toBeUndefined();
  });
});

describe('isChatNotLoaded', () => {
  it('means the chat, not the rights in it, and only when TDLib says so', () => {
    expect(isChatNotLoaded(new TdlibError(400, 'Chat not found'))).toBe(true);
    expect(isChatNotLoaded(new TdlibError(400, 'Chat info not found'))).toBe(true);
    expect(isChatNotLoaded(new TdlibError(400, 'CHANNEL_INVALID'))).toBe(true);
    expect(isChatNotLoaded(new TdlibError(400, 'Not enough rights to send text messages to the chat'))).toBe(false);
    expect(isChatNotLoaded(new Error('Chat not found'))).toBe(false);
  });
});
