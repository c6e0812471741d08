import type { KeyObject } from 'node:crypto';
import {
  RpcError,
  type Clock,
  type ConnectionInfo,
  type FaultGate,
  type KeyConflict,
  type KeySnapshot,
  type RpcHandler,
  type RpcObserver,
  type TlObject,
} from '../rpc.js';
import type { TlSchema } from '../schema/tl-schema.js';
import type { EncryptionKey, PermanentKey } from './auth-key.js';
import { Connection, type ConnectionOrigin } from './connection.js';
import { unpack } from './containers.js';
import { ServerDiffieHellman } from './crypto/diffie-hellman.js';
import { openPacket, plainBody, plainPacket, type Message, type OpenedPacket } from './envelope.js';
import type { Frame } from './frames.js';
import { Handshake, type HandshakeParts } from './handshake.js';
import type { KeyStore } from './key-store.js';
import { KeyUse } from './key-use.js';
import { RpcDispatcher } from './rpc-dispatcher.js';
import { currentSalt, isValidSalt } from './salts.js';
import { ServerTime } from './server-time.js';
import { ServiceMessages } from './service-messages.js';
import { Session } from './session.js';
import type { Wire } from './wire.js';

/** Sessions without a connection are forgotten after this time; their client then gets `new_session_created`. */
const SESSION_TTL_MS = 15 * 60_000;
const SWEEP_MS = 60_000;

/** What the server is made of. */
export interface ServerParts {
  readonly schema: TlSchema;
  readonly clock: Clock;
  readonly keys: KeyStore;
  readonly rsaKeys: ReadonlyMap<bigint, KeyObject>;
  readonly handler: RpcHandler;
  readonly faults: FaultGate;
  readonly observer: RpcObserver;
  /** How many main sessions clients are told to open. */
  readonly sessionsPerClient: number;
  readonly log: (line: string) => void;
}

/** MTProto over the wires it is given: key exchange, sessions, calls and pushes. It opens no port itself. */
export class MtprotoServer {
  private readonly open = new Map<Connection, ConnectionState>();
  private readonly handshakeParts: HandshakeParts;
  private readonly dispatcher: RpcDispatcher;
  private readonly service: ServiceMessages;
  private readonly keyUse: KeyUse;
  private readonly plainTime: ServerTime;
  private readonly sweeper: NodeJS.Timeout;
  private lastConnectionId = 0;

  constructor(private readonly parts: ServerParts) {
    this.handshakeParts = { ...parts, diffieHellman: new ServerDiffieHellman() };
    this.keyUse = new KeyUse(parts.clock, parts.sessionsPerClient);
    this.dispatcher = new RpcDispatcher({ ...parts, keyUse: this.keyUse });
    this.service = new ServiceMessages(parts.schema, { removeKey: (key) => this.removeKey(key) });
    this.plainTime = new ServerTime(parts.clock);
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  /** Speaks MTProto on a wire from now on. */
  accept(wire: Wire, origin: ConnectionOrigin): void {
    this.lastConnectionId++;
    const connection = new Connection(this.lastConnectionId, wire, origin, this.parts.clock.now(), {
      packet: (from, received) => this.receive(from, received),
      closed: (closed) => this.forget(closed),
    });
    this.open.set(connection, { handshake: undefined, key: undefined, session: undefined });
  }

  /** See `Transport.push`. */
  push(
    ownerId: number,
    updates: TlObject,
    options: { readonly exceptSession?: bigint; readonly onlyKey?: bigint } = {},
  ): void {
    for (const key of this.parts.keys.keysOf(ownerId)) {
      if (options.onlyKey !== undefined && key.id !== options.onlyKey) continue;
      if (
        options.exceptSession !== undefined &&
        sessionsOf(key).some((session) => session.id === options.exceptSession)
      )
        continue;
      pushTo(key, updates);
    }
  }

  /** See `Transport.pushToKey`. */
  pushToKey(keyId: bigint, updates: TlObject): void {
    const key = this.parts.keys.findPermanent(keyId);
    if (key) pushTo(key, updates);
  }

  /** Removes a key with its temporary keys and closes their connections. */
  removeKey(key: PermanentKey): void {
    const sessions = sessionsOf(key);
    this.parts.keys.remove(key);
    // The answer to destroy_auth_key, if that is what removed it, leaves in this turn of the event loop.
    setImmediate(() => {
      for (const session of sessions) session.connection?.close();
    });
  }

  closeConnections(filter: (connection: ConnectionInfo) => boolean = () => true): void {
    for (const connection of this.open.keys()) {
      if (filter(this.describe(connection))) connection.close();
    }
  }

  connections(): ConnectionInfo[] {
    return [...this.open.keys()].map((connection) => this.describe(connection));
  }

  /** See `Transport.keyConflicts`. */
  keyConflicts(): KeyConflict[] {
    return this.keyUse.list();
  }

  /** Replaces all keys and closes all connections. */
  restoreKeys(snapshot: KeySnapshot): void {
    this.closeConnections();
    this.parts.keys.restore(snapshot);
    this.keyUse.clear();
  }

  stop(): void {
    clearInterval(this.sweeper);
    this.closeConnections();
  }

  private receive(connection: Connection, received: Frame): void {
    try {
      this.take(connection, received);
    } catch (error) {
      // Bytes that make no sense end their connection, not the server.
      this.parts.log(`closed connection ${connection.id}: ${error instanceof Error ? error.message : String(error)}`);
      connection.close();
    }
  }

  private take(connection: Connection, { packet, wantsQuickAck }: Frame): void {
    if (packet.length < 8) return;
    const keyId = packet.readBigInt64LE(0);
    if (keyId === 0n) {
      this.shakeHands(connection, packet);
      return;
    }
    const key = this.parts.keys.find(keyId);
    if (!key) {
      connection.sendError(-404);
      return;
    }
    const opened = openPacket(key, packet);
    if (!opened) {
      connection.sendError(-404);
      return;
    }
    const session = this.sessionFor(key, opened.sessionId, connection);
    if (!isValidSalt(key, opened.salt, key.time.seconds())) {
      session.sendService({
        _: 'mt_bad_server_salt',
        bad_msg_id: opened.message.id,
        bad_msg_seqno: opened.message.seqNo,
        error_code: 48,
        new_server_salt: currentSalt(key, key.time.seconds()),
      });
      return;
    }
    // Not before the salt is known to be good: the client takes a call with a quick acknowledgement for delivered.
    if (wantsQuickAck) connection.sendQuickAck(opened.quickAck);
    this.announce(session, opened);
    this.keyUse.packet(session);
    for (const message of unpack(opened.message)) this.handle(session, connection, message, wantsQuickAck);
  }

  private shakeHands(connection: Connection, packet: Buffer): void {
    const state = this.open.get(connection);
    const body = plainBody(packet);
    if (!state || !body) return;
    state.handshake ??= new Handshake(this.handshakeParts, connection.dc, connection.testMode);
    const answer = state.handshake.answer(this.parts.schema.read(body));
    if (answer) connection.send(plainPacket(this.plainTime.nextMessageId(), this.parts.schema.write(answer)));
    else connection.close();
  }

  private sessionFor(key: EncryptionKey, id: bigint, connection: Connection): Session {
    let session = key.sessions.get(id);
    if (!session) {
      session = new Session(id, key, this.parts.schema);
      key.sessions.set(id, session);
    }
    session.attach(connection);
    const state = this.open.get(connection);
    if (state) {
      state.key = key;
      state.session = session;
    }
    return session;
  }

  /** A client that hears of a new session asks for the difference and sends its older calls again. */
  private announce(session: Session, { message }: OpenedPacket): void {
    if (session.announced) return;
    session.announced = true;
    session.sendContent({
      _: 'mt_new_session_created',
      first_msg_id: message.id,
      unique_id: session.key.time.nextMessageId(),
      server_salt: currentSalt(session.key, session.key.time.seconds()),
    });
  }

  private handle(session: Session, connection: Connection, message: Message, quickAcknowledged: boolean): void {
    // A fault may have closed the connection or dropped the session while earlier messages of the packet were handled.
    if (!connection.isOpen || message.body.length < 4) return;
    const name = this.parts.schema.nameOf(message.body.readUInt32LE(0));
    if (name?.startsWith('mt_') === true) {
      this.service.handle(session, message.id, this.parts.schema.read(message.body));
      return;
    }
    if (!session.receive(message.id)) return;
    if (quickAcknowledged) session.quickAcknowledged(message.id);
    let call: TlObject;
    try {
      call = this.parts.schema.read(message.body);
    } catch (error) {
      this.parts.log(`a call could not be read: ${error instanceof Error ? error.message : String(error)}`);
      this.dispatcher.refuse(session, message.id, new RpcError(400, 'INPUT_METHOD_INVALID'));
      return;
    }
    this.dispatcher.dispatch(session, connection, message.id, call);
  }

  private forget(connection: Connection): void {
    this.open.get(connection)?.session?.detach(connection);
    this.open.delete(connection);
  }

  private describe(connection: Connection): ConnectionInfo {
    const key = this.open.get(connection)?.key;
    return {
      id: connection.id,
      keyId: key?.permanent?.id ?? key?.id,
      ownerId: key?.permanent?.ownerId,
      proxy: connection.proxy,
      dc: connection.dc,
      since: connection.since,
      bytesIn: connection.bytesIn,
      bytesOut: connection.bytesOut,
    };
  }

  private sweep(): void {
    this.parts.keys.removeExpired();
    const oldest = performance.now() - SESSION_TTL_MS;
    for (const key of this.parts.keys.all()) {
      for (const session of new Set([...sessionsOf(key), ...key.subscribers])) {
        if (session.connection || session.lastSeen > oldest) continue;
        session.end();
      }
    }
  }
}

interface ConnectionState {
  handshake: Handshake | undefined;
  key: EncryptionKey | undefined;
  session: Session | undefined;
}

/** To one session only: an update without pts would arrive once for each otherwise. */
function pushTo(key: PermanentKey, updates: TlObject): void {
  const sessions = [...key.subscribers];
  const session = sessions.findLast(({ connection }) => connection?.isOpen === true) ?? sessions.at(-1);
  session?.push(updates);
}

/** Sessions of the key itself and of the temporary keys that stand for it. */
function sessionsOf(key: PermanentKey): Session[] {
  return [...key.sessions.values(), ...[...key.temporaryKeys].flatMap((each) => [...each.sessions.values()])];
}
