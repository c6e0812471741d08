import { isDeepStrictEqual } from 'node:util';
import type { AuthKeyState, ClientInfo, Clock } from '../rpc.js';
import { ServerTime } from './server-time.js';
import type { Session } from './session.js';

/** A key that packets are encrypted with, permanent or temporary. */
export interface EncryptionKey {
  readonly id: bigint;
  /** 256 bytes. */
  readonly secret: Buffer;
  /** The salt that client and server agreed on with the key; TDLib uses it until it knows another. */
  readonly firstSalt: bigint | undefined;
  /** Where authorization and layer live; undefined for a temporary key before `auth.bindTempAuthKey`. */
  readonly permanent: PermanentKey | undefined;
  /** By session id. A session belongs to the key it was opened with. */
  readonly sessions: Map<bigint, Session>;
  readonly time: ServerTime;
}

/** What of a permanent key outlives the process. */
export interface KeyRecord {
  readonly secret: string;
  readonly ownerId?: number;
  readonly pendingUserId?: number;
  readonly layer?: number;
  readonly client?: ClientInfo;
  readonly createdAt: number;
  readonly dc: number;
  readonly testMode: boolean;
}

/** A permanent key. Whoever changes its owner or layer has it written to disk by that. */
export class PermanentKey implements AuthKeyState, EncryptionKey {
  readonly data = new Map<string, unknown>();
  readonly sessions = new Map<bigint, Session>();
  /** Temporary keys that stand for this one. */
  readonly temporaryKeys = new Set<TemporaryKey>();
  /** Sessions that get updates, also those of temporary keys, oldest first. */
  readonly subscribers = new Set<Session>();
  /** Sessions that made an API call other than uploads, also those of temporary keys. */
  readonly mainSessions = new Set<Session>();
  readonly time: ServerTime;
  readonly createdAt: number;
  readonly dc: number;
  readonly testMode: boolean;
  readonly secret: Buffer;
  private owner: number | undefined;
  private pending: number | undefined;
  private knownLayer: number | undefined;
  private lastClient: ClientInfo | undefined;

  constructor(
    readonly id: bigint,
    record: KeyRecord,
    readonly firstSalt: bigint | undefined,
    clock: Clock,
    private readonly changed: (key: PermanentKey) => void,
  ) {
    this.secret = Buffer.from(record.secret, 'base64');
    this.owner = record.ownerId;
    this.pending = record.pendingUserId;
    this.knownLayer = record.layer;
    this.lastClient = record.client;
    this.createdAt = record.createdAt;
    this.dc = record.dc;
    this.testMode = record.testMode;
    this.time = new ServerTime(clock);
  }

  get permanent(): this {
    return this;
  }

  get ownerId(): number | undefined {
    return this.owner;
  }

  set ownerId(value: number | undefined) {
    if (this.owner === value) return;
    this.owner = value;
    this.changed(this);
  }

  get pendingUserId(): number | undefined {
    return this.pending;
  }

  set pendingUserId(value: number | undefined) {
    if (this.pending === value) return;
    this.pending = value;
    this.changed(this);
  }

  get layer(): number | undefined {
    return this.knownLayer;
  }

  set layer(value: number | undefined) {
    if (this.knownLayer === value) return;
    this.knownLayer = value;
    this.changed(this);
  }

  /** From the last `initConnection`, which a client sends once a session. */
  get client(): ClientInfo | undefined {
    return this.lastClient;
  }

  set client(value: ClientInfo | undefined) {
    if (isDeepStrictEqual(this.lastClient, value)) return;
    this.lastClient = value;
    this.changed(this);
  }

  toRecord(): KeyRecord {
    return {
      secret: this.secret.toString('base64'),
      ...(this.owner !== undefined && { ownerId: this.owner }),
      ...(this.pending !== undefined && { pendingUserId: this.pending }),
      ...(this.knownLayer !== undefined && { layer: this.knownLayer }),
      ...(this.lastClient !== undefined && { client: this.lastClient }),
      createdAt: this.createdAt,
      dc: this.dc,
      testMode: this.testMode,
    };
  }
}

/** A temporary key for perfect forward secrecy (https://core.telegram.org/api/pfs); it lives in memory only. */
export class TemporaryKey implements EncryptionKey {
  readonly sessions = new Map<bigint, Session>();
  readonly time: ServerTime;
  permanent: PermanentKey | undefined;

  /** @param expiresAt unix seconds */
  constructor(
    readonly id: bigint,
    readonly secret: Buffer,
    readonly firstSalt: bigint,
    readonly expiresAt: number,
    clock: Clock,
  ) {
    this.time = new ServerTime(clock);
  }
}
