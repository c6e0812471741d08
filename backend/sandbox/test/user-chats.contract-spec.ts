import type { Driver, TdObject } from './driver.js';
import { received, sendText, sent, textOf, WorldFixture } from './world-fixture.js';

describe('chats of a user with the real TDLib', () => {
  const fixture = new WorldFixture();
  let ada: Driver;
  let adaId: number;
  let bert: Driver;
  let bertId: number;

  beforeAll(async () => {
    await fixture.start();
    ({ user: ada, userId: adaId } = await fixture.openUser({
      phone: '15552000001',
      firstName: 'Ada',
      username: 'ada_user',
    }));
    ({ user: bert, userId: bertId } = await fixture.openUser({
      phone: '15552000002',
      firstName: 'Bert',
      username: 'bert_user',
    }));
    await ada.request({ '@type': 'searchPublicChat', username: 'bert_user' });
    await ada.request({ '@type': 'createPrivateChat', user_id: bertId, force: false });
  });
  afterAll(() => fixture.stop());

  it('carry private messages both ways', async () => {
    await sendText(ada, bertId, 'hello Bert');
    expect(await received(bert, 'hello Bert')).toMatchObject({ chat_id: adaId, is_outgoing: false });
    await sendText(bert, adaId, 'hello Ada');
    expect(await received(ada, 'hello Ada')).toMatchObject({ chat_id: bertId, is_outgoing: false });
  });

  it('tell the writer when a private message was read', async () => {
    const message = await sendText(ada, bertId, 'read me');
    const { id } = await received(bert, 'read me');
    await bert.request({ '@type': 'openChat', chat_id: adaId });
    await bert.request({ '@type': 'viewMessages', chat_id: adaId, message_ids: [id], force_read: true });
    await ada.waitFor(
      (update) =>
        update['@type'] === 'updateChatReadOutbox' &&
        update.chat_id === bertId &&
        Number(update.last_read_outbox_message_id) >= Number(message.id),
      'the receipt',
    );
  });

  it('keep what an account sends to itself', async () => {
    await ada.request({ '@type': 'createPrivateChat', user_id: adaId, force: false });
    const message = await sendText(ada, adaId, 'a note');
    const held = await fixture.control.messages({ chatId: adaId, account: adaId });
    expect(held.at(-1)).toMatchObject({ messageId: message.id, text: 'a note' });
  });

  it('carry messages both ways in a basic group, with its members', async () => {
    const { chatId } = fixture.control.createChat({ type: 'group', title: 'Duo', members: [adaId, bertId] });
    await sendTextWhenKnown(ada, chatId, 'to the group');
    expect(await received(bert, 'to the group')).toMatchObject({ chat_id: chatId, sender_id: { user_id: adaId } });
    await sendText(bert, chatId, 'from the group');
    expect(await received(ada, 'from the group')).toMatchObject({ chat_id: chatId, sender_id: { user_id: bertId } });
    const full = await ada.request({ '@type': 'getBasicGroupFullInfo', basic_group_id: -chatId });
    expect((full.members as TdObject[]).map(({ member_id: id }) => (id as TdObject).user_id)).toEqual([adaId, bertId]);
  });

  it('are created by the client too', async () => {
    const created = await ada.request({ '@type': 'createNewBasicGroupChat', user_ids: [bertId], title: 'By Ada' });
    const chatId = Number(created.chat_id);
    await sendText(ada, chatId, 'in my group');
    await received(bert, 'in my group');
    const channel = await ada.request({ '@type': 'createNewSupergroupChat', title: 'Ada says', is_channel: true });
    await sendText(ada, Number(channel.id), 'my post');
    expect((await fixture.control.messages({ chatId: Number(channel.id) })).at(-1)).toMatchObject({ text: 'my post' });
  });

  it('carry messages both ways in a supergroup that was joined by its name', async () => {
    const chat = { type: 'supergroup', title: 'Square', username: 'the_square', members: [adaId] } as const;
    const { chatId } = fixture.control.createChat(chat);
    await newestKnown(ada, chatId);
    await bert.request({ '@type': 'searchPublicChat', username: 'the_square' });
    await bert.request({ '@type': 'joinChat', chat_id: chatId });
    await sendText(bert, chatId, 'I am new here');
    await received(ada, 'I am new here');
    await sendText(ada, chatId, 'welcome');
    await received(bert, 'welcome');
    const members = await ada.request({
      '@type': 'getSupergroupMembers',
      supergroup_id: supergroupId(chatId),
      offset: 0,
      limit: 10,
    });
    expect(members.total_count).toBe(2);
  });

  it('are joined by invite link', async () => {
    const { chatId, inviteLink } = fixture.control.createChat({
      type: 'supergroup',
      title: 'Private square',
      members: [adaId],
    });
    await newestKnown(ada, chatId);
    const preview = await bert.request({ '@type': 'checkChatInviteLink', invite_link: inviteLink });
    expect(preview).toMatchObject({ title: 'Private square', member_count: 1 });
    await bert.request({ '@type': 'joinChatByInviteLink', invite_link: inviteLink });
    await sendText(bert, chatId, 'came by link');
    await received(ada, 'came by link');
  });

  it('deliver channel posts to subscribers', async () => {
    const chat = { type: 'channel', title: 'Daily', members: [bertId], admins: [adaId] } as const;
    const { chatId } = fixture.control.createChat(chat);
    await newestKnown(bert, chatId);
    await sendTextWhenKnown(ada, chatId, 'news');
    expect(await received(bert, 'news')).toMatchObject({ chat_id: chatId, is_channel_post: true });
  });

  it('are left and told so', async () => {
    const { chatId } = fixture.control.createChat({ type: 'supergroup', title: 'Short', members: [adaId, bertId] });
    await bert.waitFor(
      (update) => update['@type'] === 'updateNewChat' && (update.chat as TdObject).id === chatId,
      'the chat',
    );
    fixture.control.chats.removeMember(chatId, bertId);
    await bert.waitFor(
      (update) =>
        update['@type'] === 'updateSupergroup' &&
        (update.supergroup as TdObject).id === supergroupId(chatId) &&
        ((update.supergroup as TdObject).status as TdObject)['@type'] === 'chatMemberStatusBanned',
      'the ban',
    );
  });

  it('are listed with their newest messages', async () => {
    await sendText(ada, bertId, 'newest of all');
    const again = await fixture.open();
    await fixture.logIn(again, '15552000001');
    await again.request({ '@type': 'loadChats', limit: 20 }).catch(() => undefined);
    const { chat_ids: chatIds } = await again.request({ '@type': 'getChats', limit: 20 });
    expect(chatIds).toContain(bertId);
    const chat = await again.request({ '@type': 'getChat', chat_id: bertId });
    expect(textOf(chat.last_message as TdObject)).toBe('newest of all');
  });

  it('give their whole history in pages', async () => {
    const { chatId } = fixture.control.createChat({ type: 'channel', title: 'Long', members: [adaId] });
    for (let i = 1; i <= 120; i++) await fixture.control.sendMessage({ chatId, text: `post ${String(i)}` });
    await ada.waitFor(
      (update) => update['@type'] === 'updateNewChat' && (update.chat as TdObject).id === chatId,
      'the chat',
    );
    const texts: (string | undefined)[] = [];
    for (let fromId = 0; ;) {
      const page = await ada.request({
        '@type': 'getChatHistory',
        chat_id: chatId,
        from_message_id: fromId,
        offset: 0,
        limit: 50,
      });
      const messages = page.messages as TdObject[];
      if (messages.length === 0) break;
      texts.push(...messages.map(textOf));
      fromId = Number(messages.at(-1)?.id);
    }
    expect(texts.filter((text) => text !== undefined)).toEqual(
      Array.from({ length: 120 }, (_unused, index) => `post ${String(120 - index)}`),
    );
  });

  it('show reactions to the writer', async () => {
    const message = await sendText(ada, bertId, 'react to me');
    const { id } = await received(bert, 'react to me');
    const reaction = { '@type': 'reactionTypeEmoji', emoji: '👍' };
    await bert.request({ '@type': 'addMessageReaction', chat_id: adaId, message_id: id, reaction_type: reaction });
    await ada.waitFor(
      (update) =>
        update['@type'] === 'updateMessageInteractionInfo' &&
        update.message_id === message.id &&
        JSON.stringify(update).includes('👍'),
      'the reaction',
    );
  });

  it('keep the origin of a forwarded message', async () => {
    const message = await sendText(bert, adaId, 'pass me on');
    const { id } = await received(ada, 'pass me on');
    await ada.request({ '@type': 'createPrivateChat', user_id: adaId, force: false });
    const { messages } = await ada.request({
      '@type': 'forwardMessages',
      chat_id: adaId,
      from_chat_id: bertId,
      message_ids: [id],
    });
    const [forwarded] = messages as TdObject[];
    expect(forwarded).toBeDefined();
    expect(await sent(ada, forwarded ?? message)).toMatchObject({
      forward_info: { origin: { '@type': 'messageOriginUser', sender_user_id: bertId } },
    });
  });

  it('lose a message for both sides when its writer deletes it', async () => {
    const message = await sendText(ada, bertId, 'delete me');
    const { id } = await received(bert, 'delete me');
    await ada.request({ '@type': 'deleteMessages', chat_id: bertId, message_ids: [message.id], revoke: true });
    await bert.waitFor(
      (update) =>
        update['@type'] === 'updateDeleteMessages' &&
        update.chat_id === adaId &&
        (update.message_ids as unknown[]).includes(id),
      'the deletion',
    );
  });

  it('know contacts, and who is a contact of both', async () => {
    fixture.control.accounts.makeContacts(adaId, bertId);
    await ada.waitFor(
      (update) =>
        update['@type'] === 'updateUser' &&
        (update.user as TdObject).id === bertId &&
        (update.user as TdObject).is_mutual_contact === true,
      'the contact',
    );
    expect(await ada.request({ '@type': 'getContacts' })).toMatchObject({ user_ids: [bertId] });
  });

  it('are silent for a deaf account until it can hear again', async () => {
    fixture.control.accounts.update(bertId, { deaf: true });
    await sendText(ada, bertId, 'unheard');
    const { messages } = await bert.request({
      '@type': 'getChatHistory',
      chat_id: adaId,
      from_message_id: 0,
      offset: 0,
      limit: 1,
    });
    expect(textOf((messages as TdObject[])[0])).not.toBe('unheard');
    fixture.control.accounts.update(bertId, { deaf: false });
    await sendText(ada, bertId, 'heard');
    await received(bert, 'unheard');
    await received(bert, 'heard');
  });
});

/** The client hears of a chat that was made elsewhere a moment later. */
async function sendTextWhenKnown(driver: Driver, chatId: number, text: string): Promise<void> {
  await driver.waitFor(
    (update) => update['@type'] === 'updateNewChat' && (update.chat as TdObject).id === chatId,
    'the chat',
  );
  await sendText(driver, chatId, text);
}

/**
 * Waits until the client has read where a new channel ends. It asks for that when it hears of the channel; a post that comes
 * before the answer is in the answer, as history: TDLib then tells of it by updateChatLastMessage, and never by
 * updateNewMessage.
 */
async function newestKnown(driver: Driver, chatId: number): Promise<void> {
  await driver.waitFor(
    (update) =>
      update['@type'] === 'updateChatLastMessage' &&
      update.chat_id === chatId &&
      // Absent while the chat is unknown beyond its id.
      update.last_message !== undefined,
    'the newest message of the channel',
  );
}

function supergroupId(chatId: number): number {
  return -1_000_000_000_000 - chatId;
}
