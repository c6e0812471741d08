import { loadAddon, type Addon } from 'tdl/dist/addon.js';
import { ValidationFailedError } from '../common/errors/index.js';

/** Takes one message of TDLib to one client, exactly as TDLib wrote it. */
export type TdJsonListener = (message: string) => void;

/** A library file and what it is: copies of one library have the same identity. */
export interface Library {
  readonly path: string;
  readonly identity: string;
}

/** What a process shares whoever loads this file: the library is loaded once, and it has one queue of messages. */
interface ProcessState {
  readonly library: Library;
  /** By client id, whoever made the client. */
  readonly listeners: Map<number, TdJsonListener>;
}

/**
 * The state hangs on the native module's own function, because that is the only object that exists once per process: jest
 * evaluates this file anew for every test file, while the addon and the library stay loaded.
 */
const STATE = Symbol.for('tgcontrol.td-json');

/** td_receive returns at the latest after this time; nothing waits for it, so it only bounds how long a receive is idle. */
const RECEIVE_TIMEOUT_SECONDS = 10;

/** TDLib ends every message to a client with this member (td_json_client.h), so it is read from the end. */
const CLIENT_ID_MEMBER = ',"@client_id":';

/**
 * The library in this process: one receive loop feeding all clients. Messages are handed on as text; nothing is parsed here,
 * for most of them are answers that leave as they came.
 */
export class TdJson {
  private constructor(
    private readonly addon: Addon,
    private readonly listeners: Map<number, TdJsonListener>,
  ) {}

  /**
   * Loads the library, or takes the one that is loaded already.
   * @throws Error when the file cannot be loaded, or when another library is loaded: a process holds one.
   */
  static load(library: Library): TdJson {
    const addon = loadAddon(library.path, true);
    const known = Reflect.get(addon.tdnew.init, STATE) as ProcessState | undefined;
    if (known !== undefined && known.library.identity !== library.identity) {
      throw new Error(`this process has loaded ${known.library.path}, it cannot also load ${library.path}`);
    }
    if (known !== undefined) {
      return new TdJson(addon, known.listeners);
    }
    // Before any client exists: TDLib's default is 5, which writes every query to standard error, codes and passwords included.
    // Warnings are wanted for what they alone tell, and standard error is ours: what is written to the log goes to a callback.
    addon.tdnew.execute('{"@type":"setLogStream","log_stream":{"@type":"logStreamEmpty"}}');
    addon.tdnew.execute('{"@type":"setLogVerbosityLevel","new_verbosity_level":2}');
    const state: ProcessState = { library, listeners: new Map() };
    Reflect.set(addon.tdnew.init, STATE, state);
    addon.tdnew.init(RECEIVE_TIMEOUT_SECONDS);
    addon.tdnew.unref();
    void TdJson.receive(addon, state);
    return new TdJson(addon, state.listeners);
  }

  /** Makes a client. TDLib starts it with the first request sent to it. The process stays up until it is forgotten. */
  createClient(listener: TdJsonListener): number {
    const clientId = this.addon.tdnew.createClientId();
    this.listeners.set(clientId, listener);
    this.addon.tdnew.ref();
    return clientId;
  }

  /** Call after the client's authorizationStateClosed; later messages for it are dropped. */
  forgetClient(clientId: number): void {
    this.listeners.delete(clientId);
    if (this.listeners.size === 0) {
      this.addon.tdnew.unref();
    }
  }

  send(clientId: number, request: string): void {
    this.addon.tdnew.send(clientId, request);
  }

  /** td_execute: answers at once, for the methods that td_api marks as synchronous. */
  execute(request: string): string {
    return this.addon.tdnew.execute(request);
  }

  /**
   * What TDLib writes to its log up to this verbosity (0 is fatal). After a fatal message TDLib aborts the process; the addon
   * holds it for 5 s so that the callback can still run.
   */
  onLogMessage(maxVerbosity: number, callback: (verbosity: number, message: string) => void): void {
    this.addon.setLogMessageCallback(maxVerbosity, callback);
  }

  private static async receive(addon: Addon, state: ProcessState): Promise<never> {
    for (;;) {
      const message = await addon.tdnew.receive();
      if (message !== null) {
        deliver(state.listeners, message);
      }
    }
  }
}

function deliver(listeners: ReadonlyMap<number, TdJsonListener>, message: string): void {
  const at = message.lastIndexOf(CLIENT_ID_MEMBER);
  const clientId = Number.parseInt(message.slice(at + CLIENT_ID_MEMBER.length), 10);
  listeners.get(clientId)?.(message);
}

/** An escape, or what JSON.stringify makes of half of a surrogate pair; whole ones it writes as they are. */
const ESCAPES = /\\(?:u(d[89a-f])?|.)/g;

/**
 * Refuses a query, as JSON.stringify wrote it, with half of a surrogate pair: TDLib reads one, but aborts the process when it
 * has to write it back, be it only in an error (tdutils/td/utils/JsonBuilder.h).
 * @throws ValidationFailedError
 */
export function requireWholeText(query: string): void {
  if (!query.includes('\\ud')) return;
  for (const [, surrogate] of query.matchAll(ESCAPES)) {
    if (surrogate !== undefined) {
      throw new ValidationFailedError([{ path: '', message: 'half of a surrogate pair is not text' }]);
    }
  }
}

/** A message of TDLib with its envelope taken off. */
export interface TdMessage {
  /** The `@extra` it answers, undefined for an update. */
  readonly extra: number | undefined;
  /** The td_api object as TDLib wrote it, without `@extra` and `@client_id`. */
  readonly object: string;
}

const EXTRA_MEMBER = ',"@extra":';

/**
 * Takes `@extra` and `@client_id` off by position. TDLib appends them at the very end, the extra exactly as it was sent, and we
 * send plain numbers; inside a string of the object the quotes would be escaped, so the members cannot be mistaken.
 */
export function splitMessage(message: string): TdMessage {
  let end = message.lastIndexOf(CLIENT_ID_MEMBER);
  if (end === -1) {
    end = message.length - 1;
  }
  let digits = end;
  while (digits > 0 && isDigit(message.charCodeAt(digits - 1))) {
    digits -= 1;
  }
  const start = digits - EXTRA_MEMBER.length;
  if (digits === end || !message.startsWith(EXTRA_MEMBER, start)) {
    return { extra: undefined, object: `${message.slice(0, end)}}` };
  }
  return { extra: Number(message.slice(digits, end)), object: `${message.slice(0, start)}}` };
}

function isDigit(charCode: number): boolean {
  return charCode >= 48 && charCode <= 57;
}

/** The `@type` of an object, read from its first member without parsing: TDLib always writes it first. */
export function typeOf(object: string): string {
  const start = '{"@type":"'.length;
  return object.slice(start, object.indexOf('"', start));
}
