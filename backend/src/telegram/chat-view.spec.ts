import { ChatView } from './chat-view.js';

const SERVICE = 777_000;
const message = (chat: number, more: object = {}): object => ({ '@type': 'message', id: 1, chat_id: chat, ...more });
const chat = (id: number, more: object = {}): object => ({ '@type': 'chat', id, ...more });

describe('without the class account', () => {
  const view = new ChatView({ classes: ['read', 'send', 'manage'] });
  const seen = (object: object): unknown => {
    const text = view.textOf(JSON.stringify(object));
    return text === undefined ? undefined : JSON.parse(text);
  };

  it('a text that has nothing of the chat of the login codes is the same text', () => {
    for (const object of [message(5), { '@type': 'user', id: SERVICE, phone_number: '777000' }, { '@type': 'ok' }]) {
      const text = JSON.stringify(object);
      expect(view.textOf(text)).toBe(text);
    }
  });

  it.each([
    ['the chat', chat(SERVICE)],
    ['a message of it', message(SERVICE)],
    ['an update of it', { '@type': 'updateNewMessage', message: message(SERVICE) }],
    ['its last message', { '@type': 'updateChatLastMessage', chat_id: SERVICE, last_message: message(SERVICE) }],
    [
      'what a link to it tells',
      { '@type': 'messageLinkInfo', is_public: false, chat_id: SERVICE, message: message(SERVICE) },
    ],
    ['a message that quotes it', message(5, { reply_to: { '@type': 'messageReplyToMessage', chat_id: SERVICE } })],
  ])('%s is not seen', (_what, object) => {
    expect(seen(object)).toBeUndefined();
  });

  it('lists lose what is about it, however deep, and nothing else', () => {
    expect(seen({ '@type': 'foundMessages', total_count: 2, messages: [message(5), message(SERVICE)] })).toEqual({
      '@type': 'foundMessages',
      total_count: -1,
      messages: [message(5)],
    });
    expect(seen({ '@type': 'chats', total_count: 2, chat_ids: [SERVICE, 5] })).toEqual({
      '@type': 'chats',
      total_count: 1,
      chat_ids: [5],
    });
    const group = (id: number): object => ({ '@type': 'notificationGroup', id: 1, chat_id: id, notifications: [] });
    expect(
      seen({
        '@type': 'updates',
        updates: [
          { '@type': 'updateActiveNotifications', groups: [group(SERVICE), group(5)] },
          { '@type': 'updateNewChat', chat: chat(SERVICE, { last_message: message(SERVICE) }) },
          { '@type': 'updateChatFolder', folder: { '@type': 'chatFolder', included_chat_ids: [5, SERVICE] } },
        ],
      }),
    ).toEqual({
      '@type': 'updates',
      updates: [
        { '@type': 'updateActiveNotifications', groups: [group(5)] },
        { '@type': 'updateChatFolder', folder: { '@type': 'chatFolder', included_chat_ids: [5] } },
      ],
    });
  });

  it.each([
    ['chats beyond the limit', { '@type': 'chats', total_count: 3, chat_ids: [5] }, 1],
    ['chats of which none is left', { '@type': 'chats', total_count: 1, chat_ids: [SERVICE] }, 0],
    ['messages of another page', { '@type': 'foundMessages', total_count: 9, messages: [], next_offset: 'x' }, -1],
    ['messages in a chat', { '@type': 'foundChatMessages', total_count: 9, messages: [message(5)] }, 9],
    [
      'messages in a chat, one of which is hidden',
      {
        '@type': 'foundChatMessages',
        total_count: 9,
        messages: [message(5), message(5, { forward_info: { '@type': 'messageForwardInfo', chat_id: SERVICE } })],
      },
      -1,
    ],
    [
      'other lists that have lost something',
      { '@type': 'messages', total_count: 2, messages: [message(5), message(SERVICE)] },
      1,
    ],
    ['other lists', { '@type': 'users', total_count: 2, user_ids: [5, SERVICE] }, 2],
  ])('the total of %s does not tell of it', (_what, object, total) => {
    expect(seen(object)).toMatchObject({ total_count: total });
    const all = new ChatView({ classes: ['read', 'account'] });
    expect(all.textOf(JSON.stringify(object))).toBe(JSON.stringify(object));
  });

  it('it cannot be named, also when it is listed', () => {
    expect(view.has(SERVICE)).toBe(false);
    expect(new ChatView({ classes: ['read'], chats: [SERVICE] }).has(SERVICE)).toBe(false);
    expect(new ChatView({ classes: ['read', 'account'] }).has(SERVICE)).toBe(true);
  });
});

describe('with a list of chats', () => {
  const view = new ChatView({ classes: ['read'], chats: [5] });

  it('messages and chats of others are taken out; what a message tells of others stays', () => {
    const own = message(5, { reply_to: { '@type': 'messageReplyToMessage', chat_id: 9 } });
    const text = view.textOf(JSON.stringify({ '@type': 'messages', messages: [own, message(9)], chats: [chat(9)] }));
    expect(JSON.parse(text ?? '')).toEqual({ '@type': 'messages', messages: [own], chats: [] });
    expect(view.textOf(JSON.stringify(message(9)))).toBeUndefined();
    expect(view.textOf(JSON.stringify({ '@type': 'chats', chat_ids: [9, 5] }))).toBe(
      '{"@type":"chats","chat_ids":[5]}',
    );
  });

  it('an empty one shows no chat at all', () => {
    const none = new ChatView({ classes: ['read'], chats: [] });
    expect(none.has(5)).toBe(false);
    expect(none.textOf(JSON.stringify(chat(5)))).toBeUndefined();
  });
});
