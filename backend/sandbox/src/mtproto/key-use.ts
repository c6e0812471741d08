import type { Clock, KeyConflict } from '../rpc.js';
import type { PermanentKey } from './auth-key.js';
import { clientProcess } from './client-process.js';
import type { Connection } from './connection.js';
import type { Session } from './session.js';

/** A client that hands its key over may still send what it had begun. */
const GRACE_MS = 1000;

/** A conflict while it goes on. */
type OpenConflict = { -readonly [Field in keyof KeyConflict]: KeyConflict[Field] };

/**
 * Notices when two clients use one permanent key at the same time, for which Telegram ends the login with 406
 * AUTH_KEY_DUPLICATED (https://core.telegram.org/api/errors#406-not-acceptable). Here it is only written down: a test then
 * asks whether it ever happened.
 *
 * A session that made an API call other than an upload is a main session. It is suspicious when an older main session goes
 * on after a newer one of the same key made its first call, while the newer one is connected. Uploads, reconnects and
 * restarts do not look like that.
 */
export class KeyUse {
  private readonly conflicts: OpenConflict[] = [];
  private readonly open = new WeakMap<Session, OpenConflict>();
  /** Looking through all processes takes milliseconds, and a client's sessions meet at every packet. */
  private readonly processes = new WeakMap<Connection, number | undefined>();

  /** @param sessionsPerClient how many main sessions one client is told to open (`tmp_sessions`) */
  constructor(
    private readonly clock: Clock,
    private readonly sessionsPerClient: number,
  ) {}

  list(): KeyConflict[] {
    return this.conflicts.map((conflict) => ({ ...conflict }));
  }

  clear(): void {
    this.conflicts.length = 0;
  }

  /** Call for every packet of a session. */
  packet(session: Session): void {
    const conflict = this.look(session);
    if (conflict) conflict.packets++;
  }

  /** Call for every API call except `upload.*` and `auth.bindTempAuthKey`. */
  call(session: Session): void {
    const { permanent } = session.key;
    if (!permanent) return;
    if (session.firstCallAt === undefined) {
      session.firstCallAt = performance.now();
      permanent.mainSessions.add(session);
    }
    const conflict = this.look(session);
    if (conflict) conflict.calls++;
  }

  private look(older: Session): OpenConflict | undefined {
    const key = older.key.permanent;
    if (!key || key.mainSessions.size < 2 || older.firstCallAt === undefined) return undefined;
    const newer = newerThan(older, key);
    if (!newer) return undefined;
    const known = this.open.get(older);
    if (known) return known;
    const kind = this.classify(older, newer, key);
    if (!kind) return undefined;
    const conflict: OpenConflict = {
      keyId: key.id,
      ownerId: key.ownerId,
      kind,
      since: this.clock.now(),
      packets: 0,
      calls: 0,
    };
    this.conflicts.push(conflict);
    this.open.set(older, conflict);
    return conflict;
  }

  private classify(older: Session, newer: Session, key: PermanentKey): KeyConflict['kind'] | undefined {
    const [olderProcess, newerProcess] = [this.processOf(older), this.processOf(newer)];
    if (olderProcess !== undefined && newerProcess !== undefined && olderProcess !== newerProcess) return 'process';
    if (haveOtherMarkers(older, newer)) return 'marker';
    const connected = [...key.mainSessions].filter(({ connection }) => connection?.isOpen === true);
    const isSettled = newer.firstCallAt !== undefined && performance.now() - newer.firstCallAt > GRACE_MS;
    return connected.length > this.sessionsPerClient && isSettled ? 'sessions' : undefined;
  }

  private processOf({ connection }: Session): number | undefined {
    if (connection?.ports === undefined) return undefined;
    if (!this.processes.has(connection)) this.processes.set(connection, clientProcess(connection.ports));
    return this.processes.get(connection);
  }
}

/** A connected main session of the key that began after this one. */
function newerThan({ firstCallAt = 0 }: Session, key: PermanentKey): Session | undefined {
  return [...key.mainSessions].find(
    (other) => other.firstCallAt !== undefined && other.firstCallAt > firstCallAt && other.connection?.isOpen === true,
  );
}

function haveOtherMarkers({ client: a }: Session, { client: b }: Session): boolean {
  if (!a || !b) return false;
  return a.deviceModel !== b.deviceModel || a.systemVersion !== b.systemVersion || a.appVersion !== b.appVersion;
}
