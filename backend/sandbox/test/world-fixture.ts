import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Control } from '../src/control/control.js';
import { Sandbox } from '../src/sandbox.js';
import type { DriverOptions, TdObject } from './driver.js';
import { closeAll, Driver } from './driver.js';
import { until } from './until.js';

/** A whole sandbox with real TDLib clients in front of it. */
export class WorldFixture {
  private readonly directory = mkdtempSync(join(tmpdir(), 'sandbox-world-'));
  private running: Sandbox | undefined;

  get control(): Control {
    return this.sandbox.control;
  }

  async start(): Promise<void> {
    const log = (line: string): void => {
      process.stderr.write(`${line}\n`);
    };
    this.running = await Sandbox.start({ dir: this.directory, log });
  }

  /** As if the process had ended and come back. */
  async restart(): Promise<void> {
    await this.sandbox.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    await closeAll();
    await this.sandbox.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** An empty directory that is removed with the fixture: for clients that are opened again. */
  newDirectory(): string {
    return mkdtempSync(join(this.directory, 'td-'));
  }

  open(options: Partial<DriverOptions> = {}): Promise<Driver> {
    const { TDLIB_PATH, DEFAULT_PROXY } = this.sandbox.env;
    return Driver.open(TDLIB_PATH, { proxy: DEFAULT_PROXY, ...options });
  }

  /** A new bot, logged in. */
  async openBot(username: string, options: Partial<DriverOptions> = {}): Promise<{ bot: Driver; botId: number }> {
    const { userId, token } = this.control.createBot({ username });
    const bot = await this.open(options);
    await bot.loginBot(token);
    await this.settled(userId);
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
    await this.settled(userId);
    return { user, userId };
  }

  /**
   * Waits until a client of the account has asked where it stands: what comes before that is history to it, and no
   * updateNewMessage, as with the real Telegram.
   */
  private async settled(account: number): Promise<void> {
    const asked = (): boolean => this.control.journal({ method: 'updates.getState', account }).length > 0;
    await until(asked, 'the first updates.getState');
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

  private get sandbox(): Sandbox {
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
