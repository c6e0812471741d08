import { join } from 'node:path';
import { KeyStore } from './mtproto/key-store.js';
import { MtprotoServer } from './mtproto/server.js';
import { Proxies } from './proxy/proxies.js';
import type {
  AuthKeyState,
  Clock,
  ConnectionInfo,
  FaultGate,
  KeyConflict,
  KeySnapshot,
  ProxyBehaviour,
  ProxyInfo,
  ProxyOptions,
  RpcHandler,
  RpcObserver,
  TlObject,
  Transport,
} from './rpc.js';
import { TlSchema } from './schema/tl-schema.js';
import { patchedLibrary } from './tdlib/patched-library.js';
import { loadRsaKey } from './tdlib/rsa-keys.js';

/** What a transport is started with. */
export interface TransportOptions {
  /** Authorization keys are kept here. */
  readonly directory: string;
  /** RSA key and patched library are kept here; several sandboxes may share it. */
  readonly libraryDirectory: string;
  readonly schema?: TlSchema;
  readonly clock: Clock;
  readonly handler: RpcHandler;
  readonly faults: FaultGate;
  readonly observer: RpcObserver;
  /** How many main sessions clients are told to open by `tmp_sessions`; 1 when absent. */
  readonly sessionsPerClient?: number;
  readonly log?: (line: string) => void;
}

/** Everything between TDLib's socket and the API: proxies, MTProto, keys, and the library that fits them. */
export class SandboxTransport implements Transport {
  private constructor(
    private readonly keys: KeyStore,
    private readonly server: MtprotoServer,
    private readonly proxyPorts: Proxies,
    /** Path of the TDLib that talks to this transport only. */
    readonly libraryPath: string,
  ) {}

  /** @throws UnpatchableLibraryError */
  static async start(options: TransportOptions): Promise<SandboxTransport> {
    const rsaKey = await loadRsaKey(options.libraryDirectory);
    const libraryPath = patchedLibrary(join(options.libraryDirectory, 'tdlib'), rsaKey.publicPem);
    const keys = new KeyStore(options.directory, options.clock);
    const server = new MtprotoServer({
      schema: options.schema ?? new TlSchema(),
      clock: options.clock,
      keys,
      rsaKeys: new Map([[rsaKey.fingerprint, rsaKey.privateKey]]),
      handler: options.handler,
      faults: options.faults,
      observer: options.observer,
      sessionsPerClient: options.sessionsPerClient ?? 1,
      log: options.log ?? (() => undefined),
    });
    const proxies = new Proxies((wire, origin) => server.accept(wire, origin));
    return new SandboxTransport(keys, server, proxies, libraryPath);
  }

  push(
    ownerId: number,
    updates: TlObject,
    options?: { readonly exceptSession?: bigint; readonly onlyKey?: bigint },
  ): void {
    this.server.push(ownerId, updates, options);
  }

  pushToKey(keyId: bigint, updates: TlObject): void {
    this.server.pushToKey(keyId, updates);
  }

  keysOf(ownerId: number): AuthKeyState[] {
    return this.keys.keysOf(ownerId);
  }

  keyById(keyId: bigint): AuthKeyState | undefined {
    return this.keys.findPermanent(keyId);
  }

  destroyKeys(filter: (key: AuthKeyState) => boolean): void {
    for (const key of this.keys.all()) {
      if (filter(key)) this.server.removeKey(key);
    }
  }

  dropConnections(ownerId: number): void {
    this.server.closeConnections((connection) => connection.ownerId === ownerId);
  }

  connections(): ConnectionInfo[] {
    return this.server.connections();
  }

  keyConflicts(): KeyConflict[] {
    return this.server.keyConflicts();
  }

  addProxy(options: ProxyOptions): Promise<ProxyInfo> {
    return this.proxyPorts.add(options);
  }

  changeProxy(id: string, change: { readonly behaviour?: ProxyBehaviour; readonly kbit?: number }): ProxyInfo {
    return this.proxyPorts.change(id, change);
  }

  removeProxy(id: string): Promise<void> {
    return this.proxyPorts.remove(id);
  }

  proxies(): ProxyInfo[] {
    return this.proxyPorts.list();
  }

  exportKeys(): KeySnapshot {
    return this.keys.snapshot();
  }

  importKeys(snapshot: KeySnapshot): void {
    this.server.restoreKeys(snapshot);
  }

  /** Closes all connections and ports; keys are on disk already. */
  async stop(): Promise<void> {
    this.server.stop();
    await this.proxyPorts.stop();
    this.keys.close();
  }
}
