/**
 * The seam between the transport (`mtproto/`), which knows keys, sessions and packets but no API method, and the API
 * (`api/`, `world/`), which knows accounts and messages but nothing of MTProto.
 */
import type { TlObject } from './schema/tl-object.js';

export type { TlObject } from './schema/tl-object.js';

/** An answer `rpc_error`: `new RpcError(420, 'FLOOD_WAIT_3')`. Handlers throw it; TDLib sees code and text unchanged. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    readonly text: string,
  ) {
    super(`${String(code)} ${text}`);
    this.name = 'RpcError';
  }
}

/** Whatever a method's TL return type asks for: an object, `Bool`, a vector, or a bare number inside a vector. */
export type RpcResult = TlObject | boolean | number | bigint | readonly RpcResult[];

/**
 * A permanent authorization key. Authorization and layer belong to it, never to a temporary key or a session
 * (https://core.telegram.org/api/pfs); assignments to `ownerId`, `pendingUserId` and `layer` are written to disk.
 */
export interface AuthKeyState {
  /** Lower 64 bits of sha1(auth_key), signed, as in the MTProto header. */
  readonly id: bigint;
  /** The account logged in with this key. */
  ownerId: number | undefined;
  /** Set while the account's password is still to be checked. */
  pendingUserId: number | undefined;
  /** From the last `invokeWithLayer`; TDLib stops sending it after a session's first answer. */
  layer: number | undefined;
  /** Unix seconds of the sandbox's clock. */
  readonly createdAt: number;
  readonly dc: number;
  readonly testMode: boolean;
  /** Anything the API wants to remember with the key, in memory only. */
  readonly data: Map<string, unknown>;
}

/** The fields of the last `initConnection` that came with this key. */
export interface ClientInfo {
  readonly apiId: number;
  readonly deviceModel: string;
  readonly systemVersion: string;
  readonly appVersion: string;
  readonly systemLangCode: string;
  readonly langPack: string;
  readonly langCode: string;
}

/** Where a call came from. */
export interface RpcContext {
  /** Always the permanent key, also when the packet was encrypted with a temporary one. */
  readonly key: AuthKeyState;
  readonly sessionId: bigint;
  readonly client: ClientInfo;
  readonly dc: number;
  readonly testMode: boolean;
  /** Id of the proxy the connection came through; undefined for a direct connection. */
  readonly proxy: string | undefined;
  /** True when the call was wrapped in `invokeWithoutUpdates`. */
  readonly withoutUpdates: boolean;
  /** msg_id of the call; unique within a session. */
  readonly messageId: bigint;
}

/**
 * The API. Calls of one packet arrive in order, each started before the next one is; a handler that awaits does not hold
 * up the calls behind it.
 */
export interface RpcHandler {
  /** @throws RpcError for an answer the client should see; anything else becomes 500 INTERNAL_ERROR and is logged. */
  call(context: RpcContext, query: TlObject): RpcResult | Promise<RpcResult>;
}

/** What to do to one call; see `FaultGate`. Several may be combined. */
export interface FaultVerdict {
  /** Answered instead of calling the handler. */
  readonly error?: RpcError;
  /** Real milliseconds to wait before anything else happens. */
  readonly delayMs?: number;
  /** The call is taken and never answered; the handler does not run. */
  readonly hang?: boolean;
  /** The connection is closed and the call forgotten, as if it had never arrived; the handler does not run. */
  readonly drop?: boolean;
  /**
   * The handler runs and the connection is closed before its answer leaves. `keep-session` repeats the answer on the
   * next connection; `forget-session` makes the client send the call again.
   */
  readonly loseAnswer?: 'keep-session' | 'forget-session';
}

/** Asked once for every call, in order, before the handler. */
export interface FaultGate {
  decide(context: RpcContext, query: TlObject): FaultVerdict | undefined;
}

/** Told about every call when it is over. `durationMs` is real time. */
export interface RpcObserver {
  finished(context: RpcContext, query: TlObject, outcome: RpcOutcome, durationMs: number): void;
}

/** How a call ended: answered, refused, or never answered because of a fault. */
export type RpcOutcome =
  | { readonly kind: 'result'; readonly value: RpcResult }
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'fault'; readonly fault: 'hang' | 'drop' };

/** The sandbox's time. Server time of handshakes and message ids follows it, and TDLib follows those. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
}

/** One TCP connection of a client. */
export interface ConnectionInfo {
  readonly id: number;
  /** Undefined until the connection's first encrypted packet. */
  readonly keyId: bigint | undefined;
  readonly ownerId: number | undefined;
  readonly proxy: string | undefined;
  readonly dc: number;
  /** Unix milliseconds of the sandbox's clock. */
  readonly since: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** What a proxy does with whoever connects to it. */
export type ProxyBehaviour = 'ok' | 'refuse' | 'hang' | 'slow';

/** `mtproto` is Telegram's own kind, which hides what is inside (https://core.telegram.org/mtproto/mtproto-transports). */
export type ProxyKind = 'socks5' | 'mtproto';

/** A proxy of the sandbox. */
export interface ProxyInfo {
  readonly id: string;
  readonly kind: ProxyKind;
  readonly port: number;
  /** SOCKS5 only. */
  readonly username: string | undefined;
  /** SOCKS5 only. */
  readonly password: string | undefined;
  /** MTProto only: `dd` and 32 hexadecimal digits. */
  readonly secret: string | undefined;
  readonly behaviour: ProxyBehaviour;
  /** Kilobits per second in each direction when `behaviour` is `slow`. */
  readonly kbit: number;
  /** `socks5://user:password@127.0.0.1:port` or `tg://proxy?server=127.0.0.1&port=…&secret=…` */
  readonly url: string;
}

/** Fields that are absent get SOCKS5, a free port, no authentication, a random secret, `ok`, and 64 kbit/s. */
export interface ProxyOptions {
  readonly kind?: ProxyKind;
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  readonly secret?: string;
  readonly behaviour?: ProxyBehaviour;
  readonly kbit?: number;
}

/** The permanent keys in a form that JSON can hold. */
export type KeySnapshot = readonly Readonly<Record<string, unknown>>[];

/** Two clients used one permanent key at the same time. */
export interface KeyConflict {
  readonly keyId: bigint;
  readonly ownerId: number | undefined;
  /**
   * How it was told: by the clients' operating system processes, by what they say about themselves in initConnection, or
   * by there being more sessions than one client opens.
   */
  readonly kind: 'process' | 'marker' | 'sessions';
  /** Unix milliseconds of the sandbox's clock. */
  readonly since: number;
  /** Packets, pings and acknowledgements included, that the older client sent since. */
  readonly packets: number;
  /** API calls among them; 0 means that it only said goodbye. */
  readonly calls: number;
}

/** What the API may ask of the transport. */
export interface Transport {
  /**
   * Sends an `Updates` object to one session of each of the account's keys: the one that asked for updates last. A key
   * without such a session, or one that is not connected, misses nothing: TDLib asks for the difference later.
   */
  push(
    ownerId: number,
    updates: TlObject,
    options?: { readonly exceptSession?: bigint; readonly onlyKey?: bigint },
  ): void;
  /** The same for a key that nobody is logged in with yet (`updateLoginToken`). */
  pushToKey(keyId: bigint, updates: TlObject): void;
  keysOf(ownerId: number): AuthKeyState[];
  keyById(keyId: bigint): AuthKeyState | undefined;
  /** Removes keys for good: their next packet is answered with transport error -404. To log out, clear `ownerId`. */
  destroyKeys(filter: (key: AuthKeyState) => boolean): void;
  dropConnections(ownerId: number): void;
  connections(): ConnectionInfo[];
  /** Every time two clients used one permanent key at once, since the start or the last `importKeys`. */
  keyConflicts(): KeyConflict[];
  addProxy(options: ProxyOptions): Promise<ProxyInfo>;
  /** @throws Error when there is no such proxy. */
  changeProxy(id: string, change: { readonly behaviour?: ProxyBehaviour; readonly kbit?: number }): ProxyInfo;
  removeProxy(id: string): Promise<void>;
  proxies(): ProxyInfo[];
  exportKeys(): KeySnapshot;
  /** Replaces all keys; connections are closed. */
  importKeys(snapshot: KeySnapshot): void;
}
