import type { Driver, TdObject } from './driver.js';
import { received, sendText, textOf, WorldFixture } from './world-fixture.js';

describe('a bot with the real TDLib', () => {
  const fixture = new WorldFixture();
  let bot: Driver;
  let botId: number;
  let ownerId: number;
  let channelId: number;

  beforeAll(async () => {
    await fixture.start();
    ownerId = fixture.control.createAccount({ phone: '+15550000001', firstName: 'Owner' }).userId;
    ({ bot, botId } = await fixture.openBot('first_bot'));
    const chat = {
      type: 'channel',
      title: 'News',
      username: 'sandbox_news',
      members: [],
      admins: [ownerId, botId],
    } as const;
    channelId = fixture.control.createChat(chat).chatId;
  });
  afterAll(() => fixture.stop());

  it('knows who it is', async () => {
    const me = await bot.request({ '@type': 'getMe' });
    expect(me).toMatchObject({
      id: botId,
      type: { '@type': 'userTypeBot' },
      usernames: { active_usernames: ['first_bot'] },
    });
  });

  it('is told when its token is wrong, and can then give the right one', async () => {
    const { token } = fixture.control.createBot({ username: 'second_bot' });
    const other = await fixture.open();
    await other.waitForState('authorizationStateWaitPhoneNumber');
    await expect(other.request({ '@type': 'checkAuthenticationBotToken', token: '7:wrong' })).rejects.toMatchObject({
      code: 400,
      message: 'ACCESS_TOKEN_INVALID',
    });
    await other.request({ '@type': 'checkAuthenticationBotToken', token });
    await other.waitForState('authorizationStateReady');
  });

  it('finds a channel by its username', async () => {
    const chat = await bot.request({ '@type': 'searchPublicChat', username: 'sandbox_news' });
    expect(chat).toMatchObject({ id: channelId, title: 'News' });
  });

  it('is told when nobody has a username', async () => {
    const search = bot.request({ '@type': 'searchPublicChat', username: 'nobody_has_this' });
    await expect(search).rejects.toMatchObject({ code: 400, message: 'USERNAME_NOT_OCCUPIED' });
  });

  it('posts to a channel, and Telegram holds the message', async () => {
    await bot.request({ '@type': 'searchPublicChat', username: 'sandbox_news' });
    const message = await sendText(bot, channelId, 'the first post');
    const held = await fixture.control.messages({ chatId: channelId });
    expect(held.at(-1)).toMatchObject({ messageId: message.id, senderId: botId, text: 'the first post' });
  });

  it('receives a private message with its commands marked', async () => {
    await fixture.control.sendMessage({ from: ownerId, chatId: botId, text: '/start now' });
    const message = await received(bot, '/start now');
    expect(message).toMatchObject({
      chat_id: ownerId,
      is_outgoing: false,
      sender_id: { user_id: ownerId },
      content: { text: { entities: [{ offset: 0, length: 6, type: { '@type': 'textEntityTypeBotCommand' } }] } },
    });
  });

  it('answers a private message with a reply', async () => {
    await fixture.control.sendMessage({ from: ownerId, chatId: botId, text: 'a question' });
    const question = await received(bot, 'a question');
    const replyTo = { reply_to: { '@type': 'inputMessageReplyToMessage', message_id: question.id } };
    await sendText(bot, ownerId, 'an answer', replyTo);
    const held = await fixture.control.messages({ chatId: botId, account: ownerId });
    const asked = held.find(({ text }) => text === 'a question');
    expect(held.at(-1)).toMatchObject({ text: 'an answer', out: false, replyToId: asked?.messageId });
  });

  it('gets a channel it never met by its id alone', async () => {
    const chat = { type: 'channel', title: 'Quiet', members: [], admins: [ownerId, botId] } as const;
    const { chatId } = fixture.control.createChat(chat);
    const { userId, token } = fixture.control.createBot({ username: 'late_bot' });
    fixture.control.chats.promote(chatId, userId);
    const late = await fixture.open();
    await late.loginBot(token);
    expect(await late.request({ '@type': 'getChat', chat_id: chatId })).toMatchObject({ title: 'Quiet' });
  });

  it('sees edits and deletions', async () => {
    const { messageId } = await fixture.control.sendMessage({ from: ownerId, chatId: channelId, text: 'before' });
    await received(bot, 'before');
    await fixture.control.sendMessage({ from: ownerId, chatId: channelId, as: 'edit', messageId, text: 'after' });
    await bot.waitFor(
      (update) =>
        update['@type'] === 'updateMessageContent' &&
        update.message_id === messageId &&
        textOf({ '@type': 'message', content: update.new_content }) === 'after',
      'the edit',
    );
    await fixture.control.sendMessage({ from: ownerId, chatId: channelId, as: 'delete', messageId });
    await bot.waitFor(
      (update) => update['@type'] === 'updateDeleteMessages' && (update.message_ids as number[]).includes(messageId),
      'the deletion',
    );
  });

  it('edits and deletes its own messages', async () => {
    const message = await sendText(bot, channelId, 'mine');
    const content: TdObject = { '@type': 'inputMessageText', text: { '@type': 'formattedText', text: 'mine, better' } };
    await bot.request({
      '@type': 'editMessageText',
      chat_id: channelId,
      message_id: message.id,
      input_message_content: content,
    });
    expect((await fixture.control.messages({ chatId: channelId })).at(-1)).toMatchObject({ text: 'mine, better' });
    await bot.request({ '@type': 'deleteMessages', chat_id: channelId, message_ids: [message.id], revoke: true });
    const held = await fixture.control.messages({ chatId: channelId });
    expect(held.some(({ messageId }) => messageId === message.id)).toBe(false);
  });

  it('is refused where it may not write', async () => {
    const chat = { type: 'channel', title: 'Closed', username: 'closed_channel', members: [ownerId] } as const;
    const { chatId } = fixture.control.createChat(chat);
    await bot.request({ '@type': 'searchPublicChat', username: 'closed_channel' });
    await expect(sendText(bot, chatId, 'let me in')).rejects.toThrow();
  });

  it('asked for nothing the sandbox does not have', () => {
    expect(fixture.control.unexpectedMethods()).toEqual([]);
  });
});
