import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { ProxyBehaviour, ProxyInfo, ProxyKind, ProxyOptions } from '../rpc.js';
import type { ConnectionOrigin } from '../mtproto/connection.js';
import { NarrowLink, SlowWire, SocketWire, type Wire } from '../mtproto/wire.js';
import { serveSocks5, type AccessRule, type ConnectRequest, type Credentials } from './socks5.js';

const HOST = '127.0.0.1';
const DEFAULT_KBIT = 64;
const SECRET_BYTES = 16;

/** Takes the wires of clients that got through. */
export type WireSink = (wire: Wire, origin: ConnectionOrigin) => void;

/** No proxy has this id. */
export class UnknownProxyError extends Error {
  constructor(id: string) {
    super(`there is no proxy ${id}`);
    this.name = 'UnknownProxyError';
  }
}

/** One proxy: a user name on a port, or a secret with a port of its own. */
interface Entry {
  readonly id: string;
  readonly credentials: Credentials | undefined;
  /** 16 bytes; only MTProto proxies have one. */
  readonly secret: Buffer | undefined;
  readonly listener: Listener;
  behaviour: ProxyBehaviour;
  kbit: number;
  /** As wide as that, for all of its connections together. */
  link: NarrowLink;
  readonly sockets: Map<Socket, SocketWire | undefined>;
}

/** A port with all proxies that share it. */
interface Listener {
  readonly kind: ProxyKind;
  readonly server: Server;
  readonly port: number;
  readonly entries: Set<Entry>;
  readonly sockets: Set<Socket>;
}

/**
 * The proxies of the sandbox. Every address a client asks to be connected to is served by the sandbox itself, so a
 * client that uses one of them reaches nothing else.
 */
export class Proxies {
  private readonly entries = new Map<string, Entry>();
  private readonly listeners = new Map<number, Listener>();
  private lastId = 0;

  constructor(private readonly sink: WireSink) {}

  /**
   * @throws RangeError for a secret that is none
   * @throws Error when the port is taken by another program, or its user name by another proxy
   */
  async add(options: ProxyOptions): Promise<ProxyInfo> {
    const kind = options.kind ?? 'socks5';
    const secret = kind === 'mtproto' ? readSecret(options.secret) : undefined;
    const credentials =
      options.username === undefined || kind === 'mtproto'
        ? undefined
        : { username: options.username, password: options.password ?? '' };
    const listener = this.listeners.get(options.port ?? 0) ?? (await this.listen(options.port ?? 0, kind));
    if (!canShare(listener, kind, credentials)) throw new Error(`port ${listener.port} has this proxy already`);
    this.lastId++;
    const entry: Entry = {
      id: `proxy${this.lastId}`,
      credentials,
      secret,
      listener,
      behaviour: options.behaviour ?? 'ok',
      kbit: options.kbit ?? DEFAULT_KBIT,
      link: linkOf(options.kbit ?? DEFAULT_KBIT),
      sockets: new Map(),
    };
    listener.entries.add(entry);
    this.entries.set(entry.id, entry);
    return describe(entry);
  }

  /**
   * Connections that exist already: `refuse` closes them, `hang` freezes them for good, and any other change of speed or
   * behaviour closes them too, so that the client connects again under the new rule.
   * @throws UnknownProxyError
   */
  change(id: string, change: { readonly behaviour?: ProxyBehaviour; readonly kbit?: number }): ProxyInfo {
    const entry = this.find(id);
    entry.behaviour = change.behaviour ?? entry.behaviour;
    entry.kbit = change.kbit ?? entry.kbit;
    entry.link = linkOf(entry.kbit);
    for (const [socket, wire] of entry.sockets) {
      if (entry.behaviour === 'hang') wire?.freeze();
      else socket.destroy();
    }
    return describe(entry);
  }

  /** Closes the proxy's connections, and its port when no other proxy uses it. @throws UnknownProxyError */
  async remove(id: string): Promise<void> {
    const entry = this.find(id);
    this.entries.delete(id);
    entry.listener.entries.delete(entry);
    for (const socket of entry.sockets.keys()) socket.destroy();
    if (entry.listener.entries.size === 0) await this.close(entry.listener);
  }

  list(): ProxyInfo[] {
    return [...this.entries.values()].map(describe);
  }

  async stop(): Promise<void> {
    this.entries.clear();
    await Promise.all([...this.listeners.values()].map((listener) => this.close(listener)));
  }

  private find(id: string): Entry {
    const entry = this.entries.get(id);
    if (!entry) throw new UnknownProxyError(id);
    return entry;
  }

  private async listen(wanted: number, kind: ProxyKind): Promise<Listener> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(wanted, HOST, resolve);
    });
    const { port } = server.address() as AddressInfo;
    const listener: Listener = { kind, server, port, entries: new Set(), sockets: new Set() };
    server.on('connection', (socket) => this.welcome(socket, listener));
    this.listeners.set(port, listener);
    return listener;
  }

  private async close(listener: Listener): Promise<void> {
    this.listeners.delete(listener.port);
    for (const socket of listener.sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      listener.server.close(() => resolve());
    });
  }

  private welcome(socket: Socket, listener: Listener): void {
    listener.sockets.add(socket);
    socket.once('close', () => listener.sockets.delete(socket));
    if (listener.kind === 'socks5') {
      serveSocks5(socket, accessRuleOf(listener), (request) => this.connect(socket, listener, request));
      return;
    }
    const [entry] = listener.entries;
    if (!entry || entry.behaviour === 'refuse') socket.destroy();
    else this.admit(socket, entry, () => Buffer.alloc(0));
  }

  private connect(socket: Socket, listener: Listener, request: ConnectRequest): void {
    const entry = entryFor(listener, request.credentials);
    if (!entry || entry.behaviour === 'refuse') request.refuse();
    else this.admit(socket, entry, () => request.accept());
  }

  /** @param accept tells the client that it is connected and gives what it has sent already */
  private admit(socket: Socket, entry: Entry, accept: () => Buffer): void {
    socket.once('close', () => entry.sockets.delete(socket));
    if (entry.behaviour === 'hang') {
      socket.on('error', () => socket.destroy());
      entry.sockets.set(socket, undefined);
      return;
    }
    const wire = new SocketWire(socket, accept());
    entry.sockets.set(socket, wire);
    this.sink(entry.behaviour === 'slow' ? new SlowWire(wire, entry.link) : wire, {
      proxy: entry.id,
      ports: portsOf(socket),
      secret: entry.secret,
    });
  }
}

function portsOf({ remotePort: local, localPort: remote }: Socket): ConnectionOrigin['ports'] {
  return local === undefined || remote === undefined ? undefined : { local, remote };
}

function linkOf(kbit: number): NarrowLink {
  return new NarrowLink((kbit * 1000) / 8);
}

/** Only SOCKS5 proxies with different user names can tell their clients apart on one port. */
function canShare(listener: Listener, kind: ProxyKind, credentials: Credentials | undefined): boolean {
  if (listener.entries.size === 0) return true;
  if (listener.kind !== kind || kind === 'mtproto') return false;
  return [...listener.entries].every((entry) => entry.credentials?.username !== credentials?.username);
}

/** Only secrets with `dd` are served: they ask for the padded transport, and TDLib takes them. @throws RangeError */
function readSecret(text: string | undefined): Buffer {
  if (text === undefined) return randomBytes(SECRET_BYTES);
  if (!/^dd[0-9a-f]{32}$/i.test(text)) throw new RangeError('a secret is dd and 32 hexadecimal digits');
  return Buffer.from(text.slice(2), 'hex');
}

function accessRuleOf(listener: Listener): AccessRule {
  return {
    knowsUsers: () => [...listener.entries].some((entry) => entry.credentials !== undefined),
    isAllowed: (credentials) => entryFor(listener, credentials) !== undefined,
  };
}

function entryFor(listener: Listener, given: Credentials | undefined): Entry | undefined {
  return [...listener.entries].find(
    ({ credentials }) => credentials?.username === given?.username && credentials?.password === given?.password,
  );
}

function describe(entry: Entry): ProxyInfo {
  const { id, credentials, behaviour, kbit } = entry;
  const { kind, port } = entry.listener;
  const secret = entry.secret && `dd${entry.secret.toString('hex')}`;
  return {
    id,
    kind,
    port,
    username: credentials?.username,
    password: credentials?.password,
    secret,
    behaviour,
    kbit,
    url:
      secret === undefined
        ? `socks5://${userInfo(credentials)}${HOST}:${port}`
        : `tg://proxy?server=${HOST}&port=${port}&secret=${secret}`,
  };
}

function userInfo(credentials: Credentials | undefined): string {
  return credentials ? `${encodeURIComponent(credentials.username)}:${encodeURIComponent(credentials.password)}@` : '';
}
