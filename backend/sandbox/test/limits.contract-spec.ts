import type { Driver } from './driver.js';
import { received, sendText, WorldFixture } from './world-fixture.js';

describe('faults, limits and time with the real TDLib', () => {
  const fixture = new WorldFixture();
  let bot: Driver;
  let botId: number;
  let ownerId: number;
  let channelId: number;

  beforeAll(async () => {
    await fixture.start();
    ownerId = fixture.control.createAccount({ phone: '15556000001' }).userId;
    ({ bot, botId } = await fixture.openBot('limits_bot', { options: { online: true } }));
    channelId = fixture.control.createChat({ type: 'channel', title: 'Limits', admins: [ownerId, botId] }).chatId;
    await bot.request({ '@type': 'getChat', chat_id: channelId });
  });
  afterAll(() => fixture.stop());
  beforeEach(() => {
    fixture.control.removeFault();
    fixture.control.removeRule();
  });

  const heldTexts = async (): Promise<string[]> =>
    (await fixture.control.messages({ chatId: channelId })).map(({ text }) => text);

  it('absorb a short flood wait in TDLib', async () => {
    fixture.control.addFault({ method: 'send', error: { code: 420, message: 'FLOOD_WAIT_1' }, times: 1 });
    await sendText(bot, channelId, 'a second later');
    expect(fixture.control.faults()).toMatchObject([{ hits: 1 }]);
  });

  it.each([
    ['420 FLOOD_WAIT_60', 420, 'FLOOD_WAIT_60', '429 Too Many Requests: retry after 60'],
    ['400 PEER_FLOOD', 400, 'PEER_FLOOD', '400 PEER_FLOOD'],
    ['400 USER_IS_BLOCKED', 400, 'USER_IS_BLOCKED', '400 USER_IS_BLOCKED'],
    ['303 SOMEWHERE_ELSE', 303, 'SOMEWHERE_ELSE', '303 SOMEWHERE_ELSE'],
  ])('report %s', async (_name, code, message, seen) => {
    fixture.control.addFault({ method: 'send', account: botId, chatId: channelId, error: { code, message }, times: 1 });
    await expect(sendText(bot, channelId, 'refused')).rejects.toThrow(seen);
  });

  it('let TDLib repeat a call after a 500', async () => {
    fixture.control.addFault({ method: 'send', error: { code: 500, message: 'WORKER_BUSY' }, times: 1 });
    await sendText(bot, channelId, 'at the second try');
    expect((await heldTexts()).filter((text) => text === 'at the second try')).toHaveLength(1);
  });

  it('concern only the account, chat and method they name', async () => {
    fixture.control.addFault({ method: 'send', account: ownerId, error: { code: 400, message: 'PEER_FLOOD' } });
    fixture.control.addFault({ method: 'send', chatId: 1, error: { code: 400, message: 'PEER_FLOOD' } });
    fixture.control.addFault({ method: 'messages.getHistory', error: { code: 400, message: 'PEER_FLOOD' } });
    await sendText(bot, channelId, 'not concerned');
    expect(fixture.control.faults().map(({ hits }) => hits)).toEqual([0, 0, 0]);
  });

  it('delay an answer', async () => {
    fixture.control.addFault({ method: 'send', delayMs: 500, times: 1 });
    const start = performance.now();
    await sendText(bot, channelId, 'slowly');
    expect(performance.now() - start).toBeGreaterThanOrEqual(500);
  });

  it('drop a call with its connection, and TDLib sends it again', async () => {
    fixture.control.addFault({ method: 'send', drop: true, times: 1 });
    await sendText(bot, channelId, 'dropped once');
    expect((await heldTexts()).filter((text) => text === 'dropped once')).toHaveLength(1);
    expect(fixture.control.journal({ method: 'send' }).some(({ fault }) => fault === 'drop')).toBe(true);
  });

  it.each(['keep-session', 'forget-session'] as const)(
    'lose an answer (%s) and the message is there once',
    async (loseAnswer) => {
      fixture.control.addFault({ method: 'send', loseAnswer, times: 1 });
      await sendText(bot, channelId, `lost ${loseAnswer}`);
      expect((await heldTexts()).filter((text) => text === `lost ${loseAnswer}`)).toHaveLength(1);
    },
  );

  it('arise by themselves when a rule is broken, and go with time', async () => {
    fixture.control.addRule({ method: 'send', per: 'account_chat', max: 3, windowSeconds: 600 });
    for (const text of ['1', '2', '3']) await sendText(bot, channelId, text);
    await expect(sendText(bot, channelId, '4')).rejects.toThrow(/429 Too Many Requests: retry after (5\d\d|600)/);
    await fixture.control.sendMessage({ from: ownerId, chatId: botId, text: 'the other chat' });
    await received(bot, 'the other chat');
    await sendText(bot, ownerId, 'is free');
    fixture.control.advanceClock(601);
    await sendText(bot, channelId, '5');
  });

  it('are those of bots in one chat once they are switched on', async () => {
    const { ids } = fixture.control.limitBots();
    expect(ids).toHaveLength(2);
    // A second is less than TDLib waits for a bot on its own: it sends again, and nobody hears of it.
    await sendText(bot, channelId, 'first of a minute');
    await sendText(bot, channelId, 'second of a minute');
    const sends = fixture.control.journal({ method: 'send', account: botId });
    expect(sends.filter(({ error }) => error === '420 FLOOD_WAIT_1').length).toBeGreaterThan(0);
    fixture.control.advanceClock(61);
    for (let n = 0; n < 20; n++) {
      await sendText(bot, channelId, `message ${String(n)} of a minute`);
      fixture.control.advanceClock(1.5);
    }
    await expect(sendText(bot, channelId, 'one too many')).rejects.toThrow(
      /429 Too Many Requests: retry after [23]\d$/,
    );
    fixture.control.advanceClock(61);
    await sendText(bot, channelId, 'in the next minute');
  });

  it('follow the slow mode of a supergroup', async () => {
    const { user, userId } = await fixture.openUser({ phone: '15556000002' });
    const chat = { type: 'supergroup', title: 'Slow', username: 'slow_square', members: [ownerId, userId] } as const;
    const { chatId } = fixture.control.createChat(chat);
    await user.request({ '@type': 'searchPublicChat', username: 'slow_square' });
    await sendText(user, chatId, 'first');
    fixture.control.chats.setSlowMode(chatId, 3600);
    await expect(sendText(user, chatId, 'second')).rejects.toThrow(/^4(00|29) /);
  });

  it('run on a clock that jumps forward and back', async () => {
    fixture.control.advanceClock(40 * 86_400);
    const later = await sendText(bot, channelId, 'in forty days');
    fixture.control.advanceClock(-80 * 86_400);
    const earlier = await sendText(bot, channelId, 'forty days ago');
    expect(Number(later.date) - Number(earlier.date)).toBeGreaterThan(79 * 86_400);
    fixture.control.advanceClock(40 * 86_400);
  });

  it('let a bot delete its messages for two days only', async () => {
    const message = await sendText(bot, channelId, 'too old to delete');
    fixture.control.advanceClock(3 * 86_400);
    await bot
      .request({ '@type': 'deleteMessages', chat_id: channelId, message_ids: [message.id], revoke: true })
      .catch(() => undefined);
    expect(await heldTexts()).toContain('too old to delete');
  });

  it('send a scheduled message when its time comes', async () => {
    const { user, userId } = await fixture.openUser({ phone: '15556000003' });
    await user.request({ '@type': 'createPrivateChat', user_id: userId, force: false });
    const date = Math.floor(fixture.control.advanceClock(0).now / 1000) + 3600;
    await user.request({
      '@type': 'sendMessage',
      chat_id: userId,
      options: {
        '@type': 'messageSendOptions',
        scheduling_state: { '@type': 'messageSchedulingStateSendAtDate', send_date: date },
      },
      input_message_content: { '@type': 'inputMessageText', text: { '@type': 'formattedText', text: 'an hour later' } },
    });
    await user.waitFor((update) => update['@type'] === 'updateMessageSendSucceeded', 'the scheduling');
    expect(await fixture.control.messages({ chatId: userId, account: userId })).toEqual([]);
    fixture.control.advanceClock(3601);
    await received(user, 'an hour later');
  });

  it('are undone by restoring a snapshot, logins included', async () => {
    await sendText(bot, channelId, 'before the snapshot');
    const { id } = await fixture.control.snapshots.take();
    await sendText(bot, channelId, 'after the snapshot');
    await fixture.control.snapshots.restore(id);
    expect(await heldTexts()).toContain('before the snapshot');
    expect(await heldTexts()).not.toContain('after the snapshot');
    expect(await bot.request({ '@type': 'getMe' })).toMatchObject({ id: botId });
    expect(fixture.control.accounts.account(botId).sessions).toBe(1);
  });
});
