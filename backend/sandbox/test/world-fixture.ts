import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from '../src/api/api.js';
import { Control } from '../src/control/control.js';
import { SandboxTransport } from '../src/transport.js';
import { World } from '../src/world/world.js';
import type { DriverOptions, TdObject } from './driver.js';
import { closeAll, Driver } from './driver.js';

/** Patched copies are the same for all suites, so they are made once a machine. */
const LIBRARIES = join(tmpdir(), 'tgcontrol-sandbox-tdlib');

/** A whole sandbox, without the `Sandbox` class around it, and real TDLib clients in front of it. */
export class WorldFixture {
  private readonly directory = mkdtempSync(join(tmpdir(), 'sandbox-world-'));
  private running: { world: World; transport: SandboxTransport; control: Control; proxy: string } | undefined;

  get world(): World {
    return this.parts.world;
  }

  get control(): Control {
    return this.parts.control;
  }

  get transport(): SandboxTransport {
    return this.parts.transport;
  }

  async start(): Promise<void> {
    const world = World.open(join(this.directory, 'world'));
    const api = new Api(world);
    const transport = await SandboxTransport.start({
      directory: join(this.directory, 'keys'),
      libraryDirectory: LIBRARIES,
      clock: world.clock,
      handler: api,
      faults: world.gate,
      observer: world.journal,
      log: (line) => {
        process.stderr.write(`${line}\n`);
      },
    });
    api.attach(transport);
    const { url } = await transport.addProxy({ username: 'main', password: 'secret' });
    this.running = { world, transport, control: new Control(world, transport), proxy: url };
  }

  async stop(): Promise<void> {
    await closeAll();
    await this.transport.stop();
    await this.world.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  open(options: Partial<DriverOptions> = {}): Promise<Driver> {
    return Driver.open(this.transport.libraryPath, { proxy: this.parts.proxy, ...options });
  }

  /** A new bot, logged in. */
  async openBot(username: string, options: Partial<DriverOptions> = {}): Promise<{ bot: Driver; botId: number }> {
    const { userId, token } = this.control.createBot({ username });
    const bot = await this.open(options);
    await bot.loginBot(token);
    return { bot, botId: userId };
  }

  /** A new account, logged in. */
  async openUser(
    account: Parameters<Control['createAccount']>[0],
    options: Partial<DriverOptions> = {},
  ): Promise<{ user: Driver; userId: number }> {
    const { userId } = this.control.createAccount(account);
    const user = await this.open(options);
    await this.logIn(user, account.phone, account.password);
    return { user, userId };
  }

  /** Number, code and password, as far as they are asked for. */
  async logIn(user: Driver, phone: string, password?: string): Promise<void> {
    await user.waitForState('authorizationStateWaitPhoneNumber');
    await user.request({ '@type': 'setAuthenticationPhoneNumber', phone_number: phone });
    await user.waitForState('authorizationStateWaitCode');
    await user.request({ '@type': 'checkAuthenticationCode', code: this.control.newestCode(phone) });
    if (password !== undefined) {
      await user.waitForState('authorizationStateWaitPassword');
      await user.request({ '@type': 'checkAuthenticationPassword', password });
    }
    await user.waitForState('authorizationStateReady');
  }

  private get parts() {
    if (!this.running) throw new Error('start the fixture first');
    return this.running;
  }
}

/** Sends text and waits until it is sent. @returns the message with its final id. @throws Error with TDLib's error when it failed */
export async function sendText(driver: Driver, chatId: number, text: string, more: object = {}): Promise<TdObject> {
  return sendContent(driver, chatId, { '@type': 'inputMessageText', text: { '@type': 'formattedText', text } }, more);
}

/** The same for any content. */
export async function sendContent(
  driver: Driver,
  chatId: number,
  content: TdObject,
  more: object = {},
): Promise<TdObject> {
  const sending = await driver.request({
    '@type': 'sendMessage',
    chat_id: chatId,
    input_message_content: content,
    ...more,
  });
  return sent(driver, sending);
}

/** Waits until a message that is being sent is sent. @throws Error with TDLib's error when it failed */
export async function sent(driver: Driver, sending: TdObject): Promise<TdObject> {
  const update = await driver.waitFor(
    (candidate) =>
      (candidate['@type'] === 'updateMessageSendSucceeded' || candidate['@type'] === 'updateMessageSendFailed') &&
      candidate.old_message_id === sending.id &&
      // Ids of unsent messages are unique within a chat only.
      (candidate.message as TdObject).chat_id === sending.chat_id &&
      candidate,
    'a message to be sent',
  );
  if (update['@type'] === 'updateMessageSendFailed') {
    const error = update.error as TdObject;
    throw new Error(`${String(error.code)} ${String(error.message)}`);
  }
  return update.message as TdObject;
}

/** The text of a message, or undefined when it is none. */
export function textOf(message: TdObject | undefined): string | undefined {
  const content = message?.content as TdObject | undefined;
  const text = content?.text as TdObject | undefined;
  return text?.text as string | undefined;
}

/** Waits for a new message with this text. */
export function received(driver: Driver, text: string): Promise<TdObject> {
  return driver.waitFor((update) => {
    const message = update['@type'] === 'updateNewMessage' ? (update.message as TdObject) : undefined;
    return textOf(message) === text && message;
  }, `a message "${text}"`);
}
