import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Driver, TdObject } from './driver.js';
import { received, sendContent, sent, WorldFixture } from './world-fixture.js';

/** The smallest PNG: one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const local = (path: string): TdObject => ({ '@type': 'inputFileLocal', path });
const document = (path: string): TdObject => ({ '@type': 'inputMessageDocument', document: local(path) });
const photo = (path: string): TdObject => ({ '@type': 'inputMessagePhoto', photo: local(path), width: 1, height: 1 });
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

describe('files with the real TDLib', () => {
  const fixture = new WorldFixture();
  let bot: Driver;
  let botId: number;
  let user: Driver;
  let userId: number;
  let channelId: number;
  let directory: string;

  beforeAll(async () => {
    await fixture.start();
    directory = fixture.newDirectory();
    ({ bot, botId } = await fixture.openBot('files_bot'));
    ({ user, userId } = await fixture.openUser({ phone: '15555000001' }));
    channelId = fixture.control.createChat({ type: 'channel', title: 'Files', admins: [userId, botId] }).chatId;
    await bot.request({ '@type': 'getChat', chat_id: channelId });
    await user.waitFor(
      (update) => update['@type'] === 'updateNewChat' && (update.chat as TdObject).id === channelId,
      'the chat',
    );
  });
  afterAll(() => fixture.stop());
  beforeEach(() => {
    fixture.control.removeFault();
  });

  function newFile(name: string, bytes: Buffer): string {
    const path = join(directory, name);
    writeFileSync(path, bytes);
    return path;
  }

  async function heldSha256(messageId: unknown): Promise<string | undefined> {
    const held = await fixture.control.messages({ chatId: channelId });
    return held.find((message) => message.messageId === messageId)?.file?.sha256;
  }

  /** Downloads the message's document or photo and returns the path. */
  async function download(driver: Driver, message: TdObject): Promise<string> {
    const content = message.content as { document?: { document: TdObject }; photo?: { sizes: { photo: TdObject }[] } };
    const file = content.document?.document ?? content.photo?.sizes.at(-1)?.photo;
    const done = await driver.request({
      '@type': 'downloadFile',
      file_id: file?.id,
      priority: 1,
      offset: 0,
      limit: 0,
      synchronous: true,
    });
    return String((done.local as TdObject).path);
  }

  it('come down although one of the same name and size is there, equal or not', async () => {
    const bytes = randomBytes(300_000);
    const other = randomBytes(300_000);
    for (const each of [bytes, bytes, other]) {
      const { messageId } = await fixture.control.sendMessage({
        chatId: channelId,
        document: { bytes: each, name: 'same.bin' },
      });
      const message = await user.request({ '@type': 'getMessage', chat_id: channelId, message_id: messageId });
      expect(await sha256OfFile(await download(user, message))).toBe(sha256(each));
    }
  });

  it('have ids that are no good to another bot, which has to read the message itself', async () => {
    const { bot: other, botId: otherId } = await fixture.openBot('other_files_bot');
    const message = await sendContent(bot, channelId, document(newFile('shared.bin', randomBytes(2_000))));
    const remoteOf = (holder: TdObject): TdObject =>
      (holder.content as { document: { document: { remote: TdObject } } }).document.document.remote;
    const file = await other.request({ '@type': 'getRemoteFile', remote_file_id: remoteOf(message).id });
    const foreign = { '@type': 'downloadFile', file_id: file.id, priority: 1, offset: 0, limit: 0, synchronous: true };
    await expect(other.request(foreign)).rejects.toThrow();
    fixture.control.chats.promote(channelId, otherId);
    await other.request({ '@type': 'createSupergroupChat', supergroup_id: -1_000_000_000_000 - channelId });
    const seen = await other.request({ '@type': 'getMessage', chat_id: channelId, message_id: message.id });
    expect(remoteOf(seen).unique_id).toBe(remoteOf(message).unique_id);
    expect(remoteOf(seen).id).not.toBe(remoteOf(message).id);
    expect(await sha256OfFile(await download(other, seen))).toBe(await heldSha256(message.id));
  });

  it.each([1, 1023, 1024, 100_000, 700_001, 11_000_000])(
    'of %i bytes come up and down again unchanged',
    async (size) => {
      const bytes = randomBytes(size);
      const message = await sendContent(bot, channelId, document(newFile(`${String(size)}.bin`, bytes)));
      expect(await heldSha256(message.id)).toBe(sha256(bytes));
      const arrived = await user.waitFor((update) => {
        const candidate = update['@type'] === 'updateNewMessage' ? (update.message as TdObject) : undefined;
        return candidate?.id === message.id && candidate;
      }, 'the document');
      expect(await sha256OfFile(await download(user, arrived))).toBe(sha256(bytes));
    },
  );

  it('of no bytes are refused', async () => {
    await expect(sendContent(bot, channelId, document(newFile('empty.bin', Buffer.alloc(0))))).rejects.toThrow();
  });

  it('keep their name and type', async () => {
    const message = await sendContent(bot, channelId, document(newFile('report.txt', Buffer.from('text'))));
    expect(message.content).toMatchObject({ document: { file_name: 'report.txt', mime_type: 'text/plain' } });
  });

  it('come as photos', async () => {
    const message = await sendContent(bot, channelId, photo(newFile('pixel.png', PNG)));
    expect(message.content).toMatchObject({ '@type': 'messagePhoto' });
    const arrived = await user.waitFor((update) => {
      const candidate = update['@type'] === 'updateNewMessage' ? (update.message as TdObject) : undefined;
      return candidate?.id === message.id && candidate;
    }, 'the photo');
    expect(await sha256OfFile(await download(user, arrived))).toBe(sha256(PNG));
  });

  it('are refused as photos when they are no images', async () => {
    const fake = newFile('fake.jpg', randomBytes(1000));
    await expect(sendContent(bot, channelId, photo(fake))).rejects.toThrow('IMAGE_PROCESS_FAILED');
  });

  it('come from accounts that have no client', async () => {
    const bytes = randomBytes(3000);
    await fixture.control.sendMessage({
      from: userId,
      chatId: botId,
      document: { bytes, name: 'a.bin' },
      text: 'take this',
    });
    const message = await bot.waitFor((update) => {
      const candidate = update['@type'] === 'updateNewMessage' ? (update.message as TdObject) : undefined;
      return JSON.stringify(candidate ?? {}).includes('take this') && candidate;
    }, 'the document');
    expect(await sha256OfFile(await download(bot, message))).toBe(sha256(bytes));
  });

  it('form an album whose items belong together', async () => {
    const { messages } = await bot.request({
      '@type': 'sendMessageAlbum',
      chat_id: channelId,
      input_message_contents: [1, 2, 3].map((i) => document(newFile(`album-${String(i)}.bin`, randomBytes(2000 + i)))),
    });
    const items = await Promise.all((messages as TdObject[]).map((message) => sent(bot, message)));
    const held = await fixture.control.messages({ chatId: channelId });
    const albumIds = items.map((item) => held.find(({ messageId }) => messageId === item.id)?.groupedId);
    expect(new Set(albumIds).size).toBe(1);
    expect(albumIds[0]).toBeDefined();
  });

  it('are sent once although the answer was lost', async () => {
    fixture.control.addFault({ method: 'messages.sendMedia', loseAnswer: true, times: 1 });
    const bytes = randomBytes(5000);
    const message = await sendContent(bot, channelId, document(newFile('once.bin', bytes)));
    const held = await fixture.control.messages({ chatId: channelId });
    expect(held.filter(({ file }) => file?.sha256 === sha256(bytes))).toHaveLength(1);
    expect(await heldSha256(message.id)).toBe(sha256(bytes));
  });

  it('are sent once although the server forgot the session', async () => {
    fixture.control.addFault({ method: 'messages.sendMedia', loseAnswer: 'forget-session', times: 1 });
    const bytes = randomBytes(5001);
    await sendContent(bot, channelId, document(newFile('forgotten.bin', bytes)));
    const held = await fixture.control.messages({ chatId: channelId });
    expect(held.filter(({ file }) => file?.sha256 === sha256(bytes))).toHaveLength(1);
  });

  it('are downloaded by a user although their reference has expired', async () => {
    const bytes = randomBytes(4000);
    await fixture.control.sendMessage({ chatId: channelId, document: { bytes, name: 'old.bin' }, text: 'old file' });
    const message = await user.waitFor((update) => {
      const candidate = update['@type'] === 'updateNewMessage' ? (update.message as TdObject) : undefined;
      return JSON.stringify(candidate ?? {}).includes('old file') && candidate;
    }, 'the document');
    fixture.control.expireFileReferences();
    expect(await sha256OfFile(await download(user, message))).toBe(sha256(bytes));
    expect(
      fixture.control.journal({ method: 'upload.getFile' }).some(({ error }) => error === '400 FILE_REFERENCE_EXPIRED'),
    ).toBe(true);
  });

  it('are not downloaded by a bot once their reference has expired', async () => {
    const bytes = randomBytes(4001);
    await fixture.control.sendMessage({
      from: userId,
      chatId: botId,
      document: { bytes, name: 'gone.bin' },
      text: 'gone file',
    });
    const message = await bot.waitFor((update) => {
      const candidate = update['@type'] === 'updateNewMessage' ? (update.message as TdObject) : undefined;
      return JSON.stringify(candidate ?? {}).includes('gone file') && candidate;
    }, 'the document');
    fixture.control.expireFileReferences();
    await expect(download(bot, message)).rejects.toThrow();
  });

  it('arrive with a caption', async () => {
    const caption = { '@type': 'formattedText', text: 'look at this' };
    await sendContent(bot, channelId, { ...document(newFile('c.bin', randomBytes(10))), caption });
    expect((await fixture.control.messages({ chatId: channelId })).at(-1)).toMatchObject({ text: 'look at this' });
  });

  it('leave room for messages', async () => {
    await fixture.control.sendMessage({ chatId: channelId, text: 'still alive' });
    await received(user, 'still alive');
  });
});
