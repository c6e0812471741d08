import { received, sendText, textOf, WorldFixture } from './world-fixture.js';
import type { Driver, TdObject } from './driver.js';

describe('what a client missed, with the real TDLib', () => {
  const fixture = new WorldFixture();
  let writerId: number;
  let channelId: number;

  beforeAll(async () => {
    await fixture.start();
    writerId = fixture.control.createAccount({ phone: '15554000001' }).userId;
    channelId = fixture.control.createChat({ type: 'channel', title: 'Missed', admins: [writerId] }).chatId;
  });
  afterAll(() => fixture.stop());

  /** A bot whose database outlives the client. */
  async function openAgain(bot: Driver): Promise<Driver> {
    const { directory } = bot;
    const reopened = await fixture.open({ directory });
    await reopened.waitForState('authorizationStateReady');
    return reopened;
  }

  async function newBot(username: string, directory: string): Promise<{ bot: Driver; botId: number }> {
    const opened = await fixture.openBot(username, { directory });
    fixture.control.chats.promote(channelId, opened.botId);
    await fixture.control.sendMessage({ from: writerId, chatId: opened.botId, text: 'settle' });
    await received(opened.bot, 'settle');
    await fixture.control.sendMessage({ chatId: channelId, text: `settle ${username}` });
    await received(opened.bot, `settle ${username}`);
    return opened;
  }

  it('comes when it is back: private messages and channel posts, in order', async () => {
    const { bot, botId } = await newBot('offline_bot', fixture.newDirectory());
    await bot.close();
    for (const text of ['one', 'two', 'three']) {
      await fixture.control.sendMessage({ from: writerId, chatId: botId, text: `private ${text}` });
      await fixture.control.sendMessage({ chatId: channelId, text: `post ${text}` });
    }
    const reopened = await openAgain(bot);
    await received(reopened, 'private three');
    await received(reopened, 'post three');
    const texts = reopened.updates.flatMap((update) =>
      update['@type'] === 'updateNewMessage' ? (textOf(update.message as TdObject) ?? []) : [],
    );
    expect(texts.filter((text) => text.startsWith('private'))).toEqual(['private one', 'private two', 'private three']);
    expect(texts.filter((text) => text.startsWith('post'))).toEqual(['post one', 'post two', 'post three']);
  });

  it('comes in slices when it is a lot', async () => {
    const { bot, botId } = await newBot('slices_bot', fixture.newDirectory());
    await bot.close();
    for (let i = 1; i <= 250; i++) {
      await fixture.control.sendMessage({ from: writerId, chatId: botId, text: `many ${String(i)}` });
    }
    const reopened = await openAgain(bot);
    await received(reopened, 'many 250');
    expect(
      reopened.updates.filter((update) => textOf(update.message as TdObject | undefined)?.startsWith('many')),
    ).toHaveLength(250);
  });

  it('is given up when it is too long ago, and new messages come all the same', async () => {
    const { bot, botId } = await newBot('late_bot', fixture.newDirectory());
    await bot.close();
    await fixture.control.sendMessage({ from: writerId, chatId: botId, text: 'forgotten' });
    fixture.control.accounts.forgetUpdates(botId);
    await fixture.control.sendMessage({ chatId: channelId, text: 'forgotten post' });
    fixture.control.chats.forgetUpdates(channelId);
    const reopened = await openAgain(bot);
    await sendText(reopened, channelId, 'I am back');
    await fixture.control.sendMessage({ from: writerId, chatId: botId, text: 'fresh' });
    await received(reopened, 'fresh');
  });

  it('comes after a lost connection without opening anew', async () => {
    const { bot, botId } = await newBot('dropped_bot', fixture.newDirectory());
    fixture.control.dropConnections(botId);
    await fixture.control.sendMessage({ from: writerId, chatId: botId, text: 'while away' });
    await received(bot, 'while away');
  });
});
