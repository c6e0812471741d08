import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A td_api object. */
export interface TdObject {
  readonly '@type': string;
  readonly [field: string]: unknown;
}

/** The part of `tdl`'s native addon that is used here: TDLib's own JSON interface. */
interface TdJson {
  init(receiveTimeoutSeconds: number): void;
  /** Keeps the process alive until `unref`. */
  ref(): void;
  unref(): void;
  createClientId(): number;
  send(clientId: number, request: string): void;
  receive(): Promise<string | null>;
  execute(request: string): string | null;
}

/** TDLib answered a request with `error`. */
export class TdError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'TdError';
  }
}

/** How a client is opened. */
export interface DriverOptions {
  /** `socks5://user:password@host:port` or `tg://proxy?server=…&port=…&secret=…` */
  readonly proxy: string;
  /** Database directory; a temporary one that `close` removes when absent. */
  readonly directory?: string;
  /** Options set before anything else, such as `use_pfs`. */
  readonly options?: Readonly<Record<string, boolean | number | string>>;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

const DEADLINE_MS = 20_000;
/** Short, because a call that is under way keeps the process from ending. */
const RECEIVE_SECONDS = 0.1;

let library: TdJson | undefined;
let receiving: Promise<void> | undefined;
const drivers = new Map<number, Driver>();

/** Loads libtdjson; a process can load only one, but jest runs several files in one process. */
export function loadLibrary(path: string): TdJson {
  if (library) return library;
  const { loadAddon } = createRequire(import.meta.url)('tdl/dist/addon.js') as {
    readonly loadAddon: (path: string, ignoreAlreadyLoaded: boolean) => { readonly tdnew: TdJson };
  };
  library = loadAddon(path, true).tdnew;
  try {
    library.init(RECEIVE_SECONDS);
  } catch {
    // An earlier test file of this process did it.
  }
  const verbosity = Number(process.env.TD_VERBOSITY ?? 0);
  library.execute(JSON.stringify({ '@type': 'setLogVerbosityLevel', new_verbosity_level: verbosity }));
  return library;
}

/** TDLib lets only one call of `receive` run at a time, for all clients of the process. */
async function receiveLoop(tdjson: TdJson): Promise<void> {
  tdjson.ref();
  while (drivers.size > 0) {
    const text = await tdjson.receive();
    if (text === null) continue;
    const message = JSON.parse(text) as TdObject & { readonly '@client_id': number; readonly '@extra'?: number };
    drivers.get(message['@client_id'])?.take(message);
  }
  tdjson.unref();
  receiving = undefined;
}

/** A real TDLib client for tests: requests as promises, updates as a list one can wait on. */
export class Driver {
  /** Everything TDLib said that was not an answer, oldest first. */
  readonly updates: TdObject[] = [];
  private readonly pending = new Map<number, { resolve(value: TdObject): void; reject(error: Error): void }>();
  private readonly watchers = new Set<() => void>();
  private lastRequest = 0;

  private constructor(
    private readonly tdjson: TdJson,
    private readonly clientId: number,
    readonly directory: string,
    private readonly temporary: boolean,
  ) {}

  /** Opens a client that is past `setTdlibParameters`; it waits for a phone number, a bot token, or is logged in already. */
  static async open(libraryPath: string, options: DriverOptions): Promise<Driver> {
    const tdjson = loadLibrary(libraryPath);
    const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'sandbox-td-'));
    const driver = new Driver(tdjson, tdjson.createClientId(), directory, options.directory === undefined);
    drivers.set(driver.clientId, driver);
    receiving ??= receiveLoop(tdjson);
    const early = [
      ...Object.entries(options.options ?? {}).map(([name, value]) => driver.request(setOption(name, value))),
      driver.request(addProxy(options.proxy)),
    ];
    await driver.request({
      '@type': 'setTdlibParameters',
      use_test_dc: false,
      database_directory: directory,
      files_directory: join(directory, 'files'),
      database_encryption_key: '',
      use_file_database: true,
      use_chat_info_database: true,
      use_message_database: true,
      use_secret_chats: false,
      api_id: 12345,
      api_hash: '0123456789abcdef0123456789abcdef',
      system_language_code: 'en',
      device_model: 'Contract test',
      system_version: '1',
      application_version: '1',
      ...options.parameters,
    });
    await Promise.all(early);
    return driver;
  }

  /** @throws TdError */
  request(query: TdObject): Promise<TdObject> {
    this.lastRequest++;
    const extra = this.lastRequest;
    return new Promise((resolve, reject) => {
      this.pending.set(extra, { resolve, reject });
      this.tdjson.send(this.clientId, JSON.stringify({ ...query, '@extra': extra }));
    });
  }

  /** The first update, past or future, that `accept` returns something for. */
  async waitFor<T>(accept: (update: TdObject) => T | undefined | false, what = 'an update'): Promise<T> {
    return this.waitUntil(() => {
      for (const update of this.updates) {
        const found = accept(update);
        if (found !== undefined && found !== false) return found;
      }
      return undefined;
    }, what);
  }

  /** Waits until TDLib is in this authorization state and returns it. */
  waitForState(type: string): Promise<TdObject> {
    return this.waitUntil(() => {
      const state = this.authorizationState();
      return state?.['@type'] === type ? state : undefined;
    }, type);
  }

  /** Waits until TDLib is in this connection state, such as `connectionStateReady`. */
  waitForConnection(type: string): Promise<TdObject> {
    return this.waitUntil(() => {
      const last = this.updates.findLast((update) => update['@type'] === 'updateConnectionState');
      const state = last?.state as TdObject | undefined;
      return state?.['@type'] === type ? state : undefined;
    }, type);
  }

  authorizationState(): TdObject | undefined {
    const last = this.updates.findLast((update) => update['@type'] === 'updateAuthorizationState');
    return last?.authorization_state as TdObject | undefined;
  }

  /** Logs in with a bot token. @throws TdError */
  async loginBot(token: string): Promise<void> {
    await this.waitForState('authorizationStateWaitPhoneNumber');
    await this.request({ '@type': 'checkAuthenticationBotToken', token });
    await this.waitForState('authorizationStateReady');
  }

  /** Closes the client and waits until TDLib says so: a process that ends earlier crashes. */
  async close(): Promise<void> {
    if (!drivers.has(this.clientId)) return;
    if (this.authorizationState()?.['@type'] !== 'authorizationStateClosed') {
      await this.request({ '@type': 'close' }).catch(() => undefined);
      await this.waitForState('authorizationStateClosed');
    }
    drivers.delete(this.clientId);
    if (this.temporary) rmSync(this.directory, { recursive: true, force: true });
  }

  /** Called with whatever TDLib sends to this client. */
  take(message: TdObject & { readonly '@extra'?: number }): void {
    const extra = message['@extra'];
    const waiting = extra === undefined ? undefined : this.pending.get(extra);
    if (extra !== undefined && waiting) {
      this.pending.delete(extra);
      if (message['@type'] === 'error') waiting.reject(new TdError(Number(message.code), String(message.message)));
      else waiting.resolve(message);
      return;
    }
    this.updates.push(message);
    for (const watcher of this.watchers) watcher();
  }

  private waitUntil<T>(look: () => T | undefined, what: string): Promise<T> {
    const found = look();
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.watchers.delete(watcher);
        const state = this.authorizationState()?.['@type'];
        reject(new Error(`waited ${DEADLINE_MS} ms for ${what}; state ${String(state)}`));
      }, DEADLINE_MS);
      const watcher = (): void => {
        const value = look();
        if (value === undefined) return;
        clearTimeout(timer);
        this.watchers.delete(watcher);
        resolve(value);
      };
      this.watchers.add(watcher);
    });
  }
}

/** Closes every client of this process; call it in `afterAll`. */
export async function closeAll(): Promise<void> {
  await Promise.all([...drivers.values()].map((driver) => driver.close()));
  // The next test file of this process may call `receive` only when the last call has returned.
  await receiving;
}

function setOption(name: string, value: boolean | number | string): TdObject {
  const wrapped =
    typeof value === 'boolean'
      ? { '@type': 'optionValueBoolean', value }
      : typeof value === 'number'
        ? { '@type': 'optionValueInteger', value: String(value) }
        : { '@type': 'optionValueString', value };
  return { '@type': 'setOption', name, value: wrapped };
}

function addProxy(proxy: string): TdObject {
  const url = new URL(proxy);
  const [server, port, type] =
    url.protocol === 'tg:'
      ? [
          url.searchParams.get('server'),
          url.searchParams.get('port'),
          { '@type': 'proxyTypeMtproto', secret: url.searchParams.get('secret') },
        ]
      : [
          url.hostname,
          url.port,
          {
            '@type': 'proxyTypeSocks5',
            username: decodeURIComponent(url.username),
            password: decodeURIComponent(url.password),
          },
        ];
  return { '@type': 'addProxy', proxy: { '@type': 'proxy', server, port: Number(port), type }, enable: true };
}
