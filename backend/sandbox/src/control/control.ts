import type { ConnectionInfo, KeyConflict, ProxyBehaviour, ProxyInfo, ProxyOptions, Transport } from '../rpc.js';
import type { Fault, FaultOptions } from '../world/faults.js';
import type { JournalEntry, JournalFilter, MethodStats } from '../world/journal.js';
import { BOT_RULES, type Rule, type RuleOptions } from '../world/rules.js';
import type { World } from '../world/world.js';
import { AccountControl } from './accounts.js';
import { ChatControl } from './chats.js';
import { UnknownError } from './unknown-error.js';
import type { MessageFilter, MessageInfo, NewMessage } from './messages.js';
import { MessageControl } from './messages.js';
import { Snapshots } from './snapshots.js';

/** Numbers about the whole sandbox. */
export interface SandboxStats {
  readonly accounts: number;
  readonly connections: number;
  /** How many bytes of files clients were given. */
  readonly fileBytes: number;
  readonly methods: Readonly<Record<string, MethodStats>>;
}

/** Everything a test or an operator can do to the sandbox; the HTTP API offers the same. */
export class Control {
  readonly accounts: AccountControl;
  readonly chats: ChatControl;
  readonly snapshots: Snapshots;
  private readonly messageControl: MessageControl;

  constructor(
    private readonly world: World,
    private readonly transport: Transport,
  ) {
    this.accounts = new AccountControl(world, transport);
    this.chats = new ChatControl(world);
    this.messageControl = new MessageControl(world);
    this.snapshots = new Snapshots(world, transport);
  }

  /** See `AccountControl.createAccount`. */
  createAccount: AccountControl['createAccount'] = (account) => this.accounts.createAccount(account);

  /** See `AccountControl.createBot`. */
  createBot: AccountControl['createBot'] = (bot) => this.accounts.createBot(bot);

  /** See `ChatControl.createChat`. */
  createChat: ChatControl['createChat'] = (chat) => this.chats.createChat(chat);

  /** See `ChatControl.setSlowMode`. */
  setSlowMode(chatId: number, seconds: number): void {
    this.chats.setSlowMode(chatId, seconds);
  }

  /** See `MessageControl.send`. */
  sendMessage(message: NewMessage): Promise<{ readonly messageId: number }> {
    return this.messageControl.send(message);
  }

  /** See `MessageControl.list`. */
  messages(filter: MessageFilter): Promise<MessageInfo[]> {
    return this.messageControl.list(filter);
  }

  /** See `MessageControl.read`. */
  readChat(accountId: number, chatId: number): void {
    this.messageControl.read(accountId, chatId);
  }

  /** The newest login code of a number. @throws UnknownError when none was sent */
  newestCode(phone: string): string {
    const code = this.accounts.codes(phone)[0];
    if (!code) throw new UnknownError('login code for', phone);
    return code.code;
  }

  /** @returns the fault's id. */
  addFault(options: FaultOptions): { readonly id: number } {
    return { id: this.world.faults.add(options).id };
  }

  faults(): Fault[] {
    return this.world.faults.list();
  }

  /** Without an id all faults go. @throws UnknownError */
  removeFault(id?: number): void {
    if (id === undefined) this.world.faults.clear();
    else if (!this.world.faults.remove(id)) throw new UnknownError('fault', id);
  }

  addRule(options: RuleOptions): { readonly id: number } {
    return { id: this.world.rules.add(options).id };
  }

  /** From now on bots meet Telegram's limits for one chat. @returns the rules' ids */
  limitBots(): { readonly ids: readonly number[] } {
    return { ids: BOT_RULES.map((rule) => this.world.rules.add(rule).id) };
  }

  rules(): Rule[] {
    return this.world.rules.list();
  }

  /** Without an id all rules go. @throws UnknownError */
  removeRule(id?: number): void {
    if (id === undefined) this.world.rules.clear();
    else if (!this.world.rules.remove(id)) throw new UnknownError('rule', id);
  }

  addProxy(options: ProxyOptions = {}): Promise<ProxyInfo> {
    return this.transport.addProxy(options);
  }

  proxies(): ProxyInfo[] {
    return this.transport.proxies();
  }

  changeProxy(id: string, change: { readonly behaviour?: ProxyBehaviour; readonly kbit?: number }): ProxyInfo {
    return this.transport.changeProxy(id, change);
  }

  removeProxy(id: string): Promise<void> {
    return this.transport.removeProxy(id);
  }

  /** Every file reference handed out so far stops being good. */
  expireFileReferences(): void {
    this.world.files.expireReferences();
  }

  /** File references made from now on are good for so many seconds; 0 is for ever. */
  setFileReferenceLifetime(seconds: number): void {
    this.world.files.state.referenceLifetime = seconds;
  }

  /** QR links made from now on are good for so many seconds. */
  setQrLifetime(seconds: number): void {
    this.world.loginTokens.state.lifetime = seconds;
  }

  /** Moves the sandbox's clock. @returns its new time in Unix milliseconds. */
  advanceClock(seconds: number): { readonly now: number } {
    this.world.clock.advance(seconds);
    return { now: this.world.clock.now() };
  }

  connections(): ConnectionInfo[] {
    return this.transport.connections();
  }

  /** Every time two clients used one authorization key at once. */
  keyConflicts(): KeyConflict[] {
    return this.transport.keyConflicts();
  }

  /** Closes the account's connections; its clients come back. */
  dropConnections(accountId: number): void {
    this.transport.dropConnections(accountId);
  }

  journal(filter: JournalFilter = {}): JournalEntry[] {
    return this.world.journal.find(filter);
  }

  stats(): SandboxStats {
    return {
      accounts: this.world.accounts.state.byId.size,
      connections: this.transport.connections().length,
      fileBytes: this.world.files.servedBytes,
      methods: this.world.journal.statistics(),
    };
  }

  /**
   * Methods that clients asked for and that do not exist here.
   * @param expected methods that may be missing without anybody minding
   */
  unexpectedMethods(expected: readonly string[] = []): string[] {
    return [...this.world.journal.unimplemented().keys()].filter((method) => !expected.includes(method));
  }
}
