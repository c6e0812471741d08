import { Injectable } from '@nestjs/common';
import {
  DeadlineError,
  KindMismatchError,
  NoLiveWorkerError,
  NotFoundError,
  WorkerUnreachableError,
} from '../../common/errors/index.js';
import { type Caller, existingId, Page, type PageRequest } from '../../common/http/index.js';
import type { LiveState, SessionKind, SessionListItemDto, SessionState } from './session.dto.js';
import type { SessionEntity } from './session.entity.js';
import { type LoginStep, type Relogin, SessionHost } from './session-host.js';
import { stateOfRow } from './session-state.js';
import { PENDING_STATUSES, type SessionRelations, SessionsRepository } from './sessions.repository.js';

/** What changes of a session; null clears. */
export interface SessionChange {
  readonly label?: string | null;
  readonly proxyId?: string | null;
}

/** Statuses in which a live client is expected. */
const HELD: ReadonlySet<string> = new Set([...PENDING_STATUSES, 'authorized']);

/** The registry of sessions, joined with what their workers know. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly repository: SessionsRepository,
    private readonly host: SessionHost,
  ) {}

  /** What the caller's scope covers, in the order of creation. */
  async list(request: PageRequest, caller: Caller): Promise<Page<SessionListItemDto>> {
    const scope = caller.kind === 'token' ? caller.scope : undefined;
    const { items, nextCursor } = await this.repository.page(request, scope);
    const relations = await this.repository.relations(items.map(({ id }) => id));
    return new Page(
      items.map((row) => seenBy(caller, toListItem(row, relations.get(row.id)))),
      nextCursor,
    );
  }

  /** @throws NotFoundError */
  async kindOf(id: string): Promise<SessionKind> {
    const row = await this.repository.find(id);
    if (row === null) throw new NotFoundError('session', id);
    return row.kind;
  }

  /**
   * What the session's worker knows; what the registry has, with the cause, where that worker does not answer.
   * @throws NotFoundError, KindMismatchError, NoLiveWorkerError
   */
  async get(kind: SessionKind, id: string, caller: Caller): Promise<SessionState> {
    const row = await this.existing(kind, id);
    const live = await this.liveState(row);
    if (live === undefined && HELD.has(row.status)) {
      if (movingTo(row) !== undefined) {
        const state = { ...stateOfRow(row), health: 'down' as const, health_cause: orphanCause(row) };
        return seenBy(caller, { ...state, ...registryPart(row) });
      }
      const relations = await this.repository.relations([row.id]);
      if (relations.get(row.id)?.isOwnerAlive !== true) {
        throw new NoLiveWorkerError(orphanCause(row));
      }
    }
    return seenBy(caller, { ...(live ?? stateOfRow(row)), ...registryPart(row) });
  }

  /** @throws NotFoundError, KindMismatchError, SessionNotReadyError, LoginBusyError, TdlibError */
  async answer(id: string, step: LoginStep): Promise<SessionState> {
    const row = await this.existing('user', id);
    return { ...(await this.host.answer(row.id, step)), ...registryPart(row) };
  }

  /** @throws NotFoundError, KindMismatchError, and as SessionHost.login */
  async login(id: string, how: Relogin): Promise<SessionState> {
    const row = await this.existing(how.kind, id);
    const state = await this.host.login(row.id, how);
    return { ...state, ...registryPart((await this.repository.find(row.id)) ?? row) };
  }

  /** @throws NotFoundError, KindMismatchError, and as SessionHost.cancelLogin */
  async cancelLogin(id: string): Promise<void> {
    const row = await this.existing('user', id);
    await this.host.cancelLogin(row.id);
  }

  /** The proxy first: it may be refused, and then nothing has changed. */
  async patch(kind: SessionKind, id: string, { label, proxyId }: SessionChange): Promise<void> {
    const row = await this.existing(kind, id);
    if (proxyId !== undefined && proxyId !== row.proxyId) {
      await this.host.useProxy(row.id, proxyId);
    }
    if (label !== undefined && !(await this.repository.patch(row.id, { label }))) {
      throw new NotFoundError('session', id);
    }
  }

  async stop(kind: SessionKind, id: string): Promise<SessionState> {
    const row = await this.existing(kind, id);
    return { ...(await this.host.stop(row.id)), ...registryPart(row) };
  }

  async start(kind: SessionKind, id: string): Promise<SessionState> {
    const row = await this.existing(kind, id);
    return { ...(await this.host.start(row.id)), ...registryPart(row) };
  }

  /** @returns the worker that it goes to. @throws NotFoundError, KindMismatchError, and as SessionHost.move */
  async move(kind: SessionKind, id: string, to: string | undefined): Promise<string> {
    const row = await this.existing(kind, id);
    return this.host.move(row.id, to);
  }

  /** @returns whether the authorization was ended at Telegram */
  async remove(kind: SessionKind, id: string, logout: boolean): Promise<boolean> {
    const row = await this.existing(kind, id);
    return this.host.remove(row.id, logout);
  }

  private async liveState(row: SessionEntity): Promise<LiveState | undefined> {
    try {
      return await this.host.state(row.id);
    } catch (error) {
      if (!(error instanceof DeadlineError || error instanceof WorkerUnreachableError)) throw error;
      return { ...stateOfRow(row), health: 'down', health_cause: error.message };
    }
  }

  private async existing(kind: SessionKind, id: string): Promise<SessionEntity> {
    const row = await this.repository.find(existingId('session', id));
    if (row === null) {
      throw new NotFoundError('session', id);
    }
    if (row.kind !== kind) {
      throw new KindMismatchError(kind, row.kind);
    }
    return row;
  }
}

function registryPart(row: SessionEntity): Omit<SessionState, keyof LiveState> {
  const moving = movingTo(row);
  return {
    app_id: row.appId,
    created_at: row.createdAt.toISOString(),
    ...(row.label !== null && { label: row.label }),
    ...(row.phone !== null && { phone: row.phone }),
    ...(row.username !== null && { username: row.username }),
    ...(row.proxyId !== null && { proxy_id: row.proxyId }),
    ...(row.workerId !== null && { worker_id: row.workerId }),
    ...(moving !== undefined && { moving_to: moving }),
  };
}

/** The worker that the session is on its way to. */
function movingTo({ movingTo, movingUntil }: SessionEntity): string | undefined {
  return movingTo !== null && movingUntil !== null && movingUntil.getTime() > Date.now() ? movingTo : undefined;
}

/** A worker that gave the session back without being able to open it has left its reason. */
function orphanCause(row: SessionEntity): string {
  const { workerId, health, healthCause } = row;
  const moving = movingTo(row);
  if (moving !== undefined) return `on its way to worker ${moving}`;
  const given = workerId === null && health === 'down' && healthCause !== null ? `: ${healthCause}` : '';
  return `no live worker holds the session${given}`;
}

function toListItem(row: SessionEntity, relations: SessionRelations | undefined): SessionListItemDto {
  const isOrphan = HELD.has(row.status) && relations?.isOwnerAlive !== true;
  return {
    ...stateOfRow(row),
    ...registryPart(row),
    ...(isOrphan && { health: 'down', health_cause: orphanCause(row) }),
    ...(typeof relations?.appLabel === 'string' && { app_label: relations.appLabel }),
    ...(typeof relations?.proxy === 'string' && { proxy: relations.proxy }),
  };
}

/** What of a session is its operator's affair: the network it is on, and the number behind it. */
type Operational = Partial<
  Pick<SessionListItemDto, 'phone' | 'proxy' | 'proxy_id' | 'worker_id' | 'moving_to' | 'health_cause'>
>;

/** The holder of a scoped token sees neither network nor workers, which a cause may name too, and two digits of the number. */
function seenBy<Seen extends Operational>(caller: Caller, session: Seen): Omit<Seen, keyof Operational> & Operational {
  if (caller.kind === 'master') {
    return session;
  }
  const {
    phone,
    proxy: _proxy,
    proxy_id: _proxyId,
    worker_id: _workerId,
    moving_to: _movingTo,
    health_cause: _cause,
    ...seen
  } = session;
  return {
    ...seen,
    ...(phone !== undefined && { phone: `${'*'.repeat(Math.max(0, phone.length - 2))}${phone.slice(-2)}` }),
  };
}
