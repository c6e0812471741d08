import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppLogger } from '../common/log/app-logger.js';
import { TdClient, type TdClientOptions } from './td-client.js';
import { requireWholeText, TdJson } from './td-json.js';
import { installedLibrary, proxyOnlyLibrary } from './td-library.js';
import { parseTdObject, stringMember } from './td-object.js';
import { toTdlibError } from './telegram.errors.js';

/** What the engine takes from the configuration. */
export interface TelegramEngineSettings {
  /** TDLIB_PATH; undefined for the library of the prebuilt-tdlib package. */
  readonly libraryPath: string | undefined;
  /** Where the proxy-only copy of the library is kept. */
  readonly dataDir: string;
  /** Whether to load the copy that cannot connect around a proxy; asked once, when the library is first needed. */
  readonly proxyOnly: () => Promise<boolean>;
}

/** How a client is opened, without what the engine fills in itself. */
export type OpenOptions = Omit<TdClientOptions, 'onHandlerError'>;

/**
 * TDLib tells why an authorization is over nowhere but in its log, as a warning, before it goes on to
 * authorizationStateLoggingOut (AuthManager::on_authorization_lost). The line names the client after a number sign.
 */
const LOSS_MESSAGE = /\[AuthManager\.cpp:\d+\]\[#(\d+)\].*Lost authorization because of ([A-Z][A-Z0-9_]*)/;
/** Telegram refuses everything with this after two copies of a session were connected at once; TDLib itself goes on. */
const DUPLICATE_MESSAGE = /\[#(\d+)\].*\[Error : 406 : (AUTH_KEY_DUPLICATED)\]/;
const WARNING = 2;

const ERROR_PREFIX = '{"@type":"error"';

/** The TDLib of this process: loads the library once and knows every open client, so that none survives the process's end. */
export class TelegramEngine {
  private readonly logger: AppLogger;
  private readonly clients = new Set<TdClient>();
  private library: Promise<TdJson> | undefined;
  private proxyOnly = false;

  constructor(
    private readonly settings: TelegramEngineSettings,
    logger: AppLogger,
  ) {
    this.logger = logger.for(TelegramEngine.name);
  }

  /** Whether the loaded library is the copy that cannot connect around a proxy. */
  get isProxyOnly(): boolean {
    return this.proxyOnly;
  }

  /**
   * Loads the library unless it is loaded. Every other method does it by itself: a process that runs nothing yet does without
   * the library's memory.
   * @throws Error when the library cannot be loaded
   */
  async load(): Promise<void> {
    await this.loaded();
  }

  /** @throws Error saying why the library cannot be used; until it is loaded, only whether it is there */
  async check(): Promise<void> {
    await (this.library ?? access(installedLibrary(this.settings.libraryPath), constants.R_OK));
  }

  /** Makes a client; the caller starts it, once it is ready for the updates. */
  async open(options: OpenOptions): Promise<TdClient> {
    const tdJson = await this.loaded();
    const client = new TdClient(tdJson, {
      ...options,
      onHandlerError: (error) => this.logger.failure('an update handler failed', error),
    });
    this.clients.add(client);
    void client.closed.then(() => this.clients.delete(client));
    return client;
  }

  /**
   * Runs a td_api method that needs no client and answers at once.
   * @throws TdlibError TDLib's refusal, for example of a method that is not synchronous
   */
  async execute(query: string): Promise<string> {
    requireWholeText(query);
    const answer = (await this.loaded()).execute(query);
    if (answer.startsWith(ERROR_PREFIX)) {
      throw toTdlibError(answer);
    }
    return answer;
  }

  /** TDLib's version, which also shows that the library works. */
  async version(): Promise<string> {
    return stringMember(parseTdObject(await this.execute('{"@type":"getOption","name":"version"}')), 'value');
  }

  /**
   * Closes every client that is still open. A process that ends with an open client crashes in TDLib's threads, and what TDLib
   * has not written yet is lost.
   */
  async closeAll(): Promise<void> {
    const results = await Promise.allSettled([...this.clients].map((client) => client.close()));
    for (const result of results) {
      if (result.status === 'rejected') {
        this.logger.failure('a client did not close', result.reason);
      }
    }
  }

  private loaded(): Promise<TdJson> {
    this.library ??= this.loadLibrary();
    return this.library;
  }

  private readLog(verbosity: number, message: string): void {
    if (verbosity === 0) {
      this.logger.fatal('TDLib failed and ends the process', { tdlib: message });
      return;
    }
    if (verbosity === 1) {
      this.logger.warn('TDLib met an error', { tdlib: message });
    }
    const [, clientId, reason] = LOSS_MESSAGE.exec(message) ?? DUPLICATE_MESSAGE.exec(message) ?? [];
    if (reason !== undefined) {
      for (const client of this.clients) {
        client.noteLoss(Number(clientId), reason);
      }
    }
  }

  private async loadLibrary(): Promise<TdJson> {
    const proxyOnly = await this.settings.proxyOnly();
    const installed = installedLibrary(this.settings.libraryPath);
    const tdJson = TdJson.load(
      proxyOnly
        ? await proxyOnlyLibrary(installed, join(this.settings.dataDir, 'tdlib'))
        : { path: installed, identity: installed },
    );
    this.proxyOnly = proxyOnly;
    tdJson.onLogMessage(WARNING, (verbosity, message) => this.readLog(verbosity, message));
    return tdJson;
  }
}
