import { Injectable } from '@nestjs/common';
import { messageOf, NoLiveWorkerError, NotFoundError, SessionNotReadyError } from '../../common/errors/index.js';
import { Readiness } from '../../common/health/readiness.js';
import { RawJson } from '../../common/http/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { type Departure, TelegramEngine } from '../../telegram/index.js';
import { WorkerLease } from '../workers/index.js';
import { CallDispatcher } from './call-dispatcher.js';
import { ENDED, type Held, PENDING } from './held-session.js';
import { HeldSessions, LOGOUT_TIMEOUT_MS } from './held-sessions.js';
import { limitsOf } from './limits/live-limits.js';
import type { LiveLimits } from './limits/session-limits.dto.js';
import { StoredLimits } from './limits/stored-limits.js';
import { LocalLogins } from './local-logins.js';
import type { CallOptions } from './sends/call-options.js';
import { type Dispatched, type DispatchOptions, TrackedCalls } from './sends/tracked-calls.js';
import { SessionDirectories } from './session-directories.js';
import type {
  BotCreatedDto,
  CallBody,
  CreateBotDto,
  CreateUserDto,
  LiveState,
  SessionKind,
  UserCreatedDto,
} from './session.dto.js';
import { type LoginStep, type Relogin, SessionHost } from './session-host.js';
import { LOGIN_AGAIN_MS } from './session-end.js';
import { SessionLookup } from './session-lookup.js';
import { SessionMoves } from './session-moves.js';
import { SessionOpener } from './session-opener.js';
import { reportOfRow, stateOfRow } from './session-state.js';
import { LoginCancelledError, SessionDirectoryMissingError } from './sessions.errors.js';
import { SessionsRepository } from './sessions.repository.js';

const READY_TIMEOUT_MS = 20_000;
const NO_OPTIONS: DispatchOptions = {};

/** The sessions of this process, as the controllers know them. */
@Injectable()
export class LocalSessionHost extends SessionHost {
  private readonly logger: AppLogger;

  constructor(
    engine: TelegramEngine,
    private readonly repository: SessionsRepository,
    private readonly lease: WorkerLease,
    private readonly sessions: HeldSessions,
    private readonly logins: LocalLogins,
    private readonly dispatcher: CallDispatcher,
    private readonly lookup: SessionLookup,
    private readonly opener: SessionOpener,
    private readonly directories: SessionDirectories,
    private readonly calls: TrackedCalls,
    private readonly storedLimits: StoredLimits,
    private readonly moves: SessionMoves,
    readiness: Readiness,
    logger: AppLogger,
  ) {
    super();
    this.logger = logger.for(LocalSessionHost.name);
    readiness.check('tdlib', () => engine.check());
  }

  override createBot(bot: CreateBotDto): Promise<BotCreatedDto> {
    return this.logins.createBot(bot);
  }

  override createUser(user: CreateUserDto): Promise<UserCreatedDto> {
    return this.logins.createUser(user);
  }

  override login(id: string, how: Relogin): Promise<LiveState> {
    return this.logins.login(id, how);
  }

  override answer(id: string, step: LoginStep): Promise<LiveState> {
    return this.logins.answer(id, step);
  }

  override async cancelLogin(id: string): Promise<void> {
    const held = this.sessions.get(id);
    if (held === undefined || !PENDING.has(held.session.status)) {
      throw held === undefined
        ? await this.lookup.absence(id, 'user')
        : new SessionNotReadyError(held.session.status, `the session is ${held.session.status}: no login goes on`);
    }
    if (!held.session.hasFormer) {
      await this.remove(id, false);
      return;
    }
    held.session.failLogin(new LoginCancelledError());
    // What closes it has taken the lock before, or waits for it before us.
    await this.sessions.locks.run(id, () => Promise.resolve());
  }

  override state(id: string): Promise<LiveState | undefined> {
    const held = this.sessions.get(id);
    return Promise.resolve(held && this.sessions.stateOf(held));
  }

  override async limits(id: string): Promise<LiveLimits | undefined> {
    const held = this.sessions.get(id);
    await held?.limits.counted();
    return held && limitsOf(held);
  }

  override async liftCooldown(id: string, scope: string): Promise<boolean> {
    const held = this.sessions.get(id);
    return held === undefined ? this.storedLimits.lift(id, scope) : held.limits.lift(scope);
  }

  override async call(
    kind: SessionKind,
    id: string,
    body: CallBody,
    caller?: Departure,
    options?: CallOptions,
  ): Promise<RawJson> {
    const dispatch = (more: DispatchOptions): Promise<Dispatched> =>
      this.dispatcher.dispatch(kind, id, body, caller, more);
    if (options !== undefined) {
      const permit = (): Promise<void> => this.dispatcher.permit(kind, body);
      return this.calls.run({ kind, id, body, caller, permit, dispatch }, options);
    }
    const { text } = await dispatch(NO_OPTIONS);
    return new RawJson(text);
  }

  override check(kind: SessionKind, id: string, body: CallBody): Promise<void> {
    return this.dispatcher.check(kind, id, body);
  }

  override async useProxy(id: string, proxyId: string | null): Promise<void> {
    await this.sessions.locks.run(id, async () => {
      const row = await this.lookup.existing(id);
      const held = this.sessions.get(id);
      if (held === undefined) {
        // An unknown one is told before it is noted.
        await this.opener.effectiveProxy(proxyId);
      } else {
        await this.opener.useProxy(held, proxyId);
      }
      try {
        await this.repository.patch(id, { proxyId });
      } catch (error) {
        // The registry did not take it: what runs must not differ from what a restart would run.
        await (held && this.opener.useProxy(held, row.proxyId));
        throw error;
      }
    });
  }

  override async stop(id: string): Promise<LiveState> {
    return this.sessions.locks.run(id, async () => {
      const row = await this.lookup.existing(id);
      const held = this.sessions.get(id);
      if (held === undefined) {
        if (row.status === 'stopped') {
          return stateOfRow(row);
        }
        if (row.status !== 'authorized') {
          throw new SessionNotReadyError(row.status);
        }
        const taken = await this.lookup.taken(id);
        taken.status = 'stopped';
        taken.since = new Date();
        taken.lastError = null;
        // What ailed it before is over: at rest it is down for being stopped.
        taken.health = 'ok';
        await this.repository.report(this.lookup.leaseOf(taken), { ...reportOfRow(taken), release: true });
        return stateOfRow(taken);
      }
      if (held.session.status !== 'authorized') {
        throw new SessionNotReadyError(held.session.status);
      }
      await this.sessions.close(held, false);
      held.session.stop();
      await this.sessions.giveUp(held);
      return this.sessions.stateOf(held);
    });
  }

  override async move(id: string, to: string | undefined): Promise<string> {
    const { kind } = await this.lookup.existing(id);
    if (this.sessions.get(id) === undefined) throw await this.lookup.absence(id, kind);
    return this.moves.move(id, to);
  }

  override async start(id: string): Promise<LiveState> {
    this.sessions.requireRoom(id);
    const started = await this.sessions.locks.run(id, () => this.open(id));
    return started ?? this.logins.login(id, { kind: 'bot' });
  }

  /** @returns undefined for a bot whose folder is lost: it has to log in again */
  private async open(id: string): Promise<LiveState | undefined> {
    const held = this.sessions.get(id);
    if (held !== undefined) {
      return this.sessions.stateOf(held);
    }
    const row = await this.lookup.existing(id);
    if (row.status !== 'stopped' && row.status !== 'authorized') {
      throw new SessionNotReadyError(row.status);
    }
    const taken = await this.lookup.taken(id);
    const lease = this.lookup.leaseOf(taken);
    try {
      await this.directories.requireDatabase(lease);
    } catch (error) {
      if (error instanceof SessionDirectoryMissingError && taken.kind === 'bot' && this.directories.isAlone) {
        await this.repository.expireBot(lease, LOGIN_AGAIN_MS);
        return undefined;
      }
      await this.repository.releaseUnopened(lease, messageOf(error));
      throw error;
    }
    if (taken.status === 'stopped') {
      taken.status = 'authorized';
      taken.since = new Date();
    }
    const opened = await this.sessions.open(taken, this.opener.resumption(taken), true);
    const { session } = opened;
    await session.waitFor(() => session.isReady || ENDED.has(session.status), READY_TIMEOUT_MS);
    await opened.writing;
    return this.sessions.stateOf(opened);
  }

  override async remove(id: string, logout: boolean): Promise<boolean> {
    // A login may hold the lock for as long as Telegram takes: ending it first lets the removal come at once.
    const login = this.sessions.get(id);
    if (login !== undefined && PENDING.has(login.session.status)) {
      login.session.failLogin(new LoginCancelledError());
    }
    return this.sessions.locks.run(id, async () => {
      if (login !== undefined && this.sessions.get(id) === undefined && (await this.repository.find(id)) === null) {
        // Its creation was still under way and has taken everything back itself.
        return false;
      }
      let loggedOut = false;
      const held = this.sessions.get(id) ?? (await this.openToRemove(id, logout));
      if (held !== undefined) {
        held.writes = false;
        held.session.expectEnd();
        loggedOut = logout && (await this.logOut(held));
        await this.sessions.close(held);
      }
      const existed = await this.repository.delete(id);
      await this.directories.remove(id);
      if (!existed && held === undefined) {
        throw new NotFoundError('session', id);
      }
      return loggedOut;
    });
  }

  /** A removal with logout needs a client; one without does not. */
  private async openToRemove(id: string, logout: boolean): Promise<Held | undefined> {
    const row = await this.repository.takeOver(id, this.lease.workerId);
    if (row === undefined) {
      if ((await this.repository.find(id)) === null) {
        throw new NotFoundError('session', id);
      }
      throw new NoLiveWorkerError('the session is held by another worker');
    }
    if (!logout || (row.status !== 'authorized' && row.status !== 'stopped')) {
      return undefined;
    }
    try {
      await this.directories.requireDatabase(this.lookup.leaseOf(row));
    } catch (error) {
      // Without its key nobody can end the authorization from here; the removal itself needs no database.
      this.logger.failure('Telegram was not told that the session ends', error, { sessionId: id });
      return undefined;
    }
    const held = await this.sessions.open(row, { kind: 'resume' }, false);
    const { session } = held;
    await session.waitFor(() => session.isReady || ENDED.has(session.status), READY_TIMEOUT_MS);
    return held;
  }

  /** @returns whether Telegram has ended the authorization */
  private async logOut({ session, client }: Held): Promise<boolean> {
    try {
      await client.request({ '@type': 'logOut' }, { timeoutMs: LOGOUT_TIMEOUT_MS });
    } catch (error) {
      this.logger.failure('Telegram was not told that the session ends', error, { sessionId: session.id });
      return false;
    }
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), LOGOUT_TIMEOUT_MS);
    });
    const loggedOut = await Promise.race([client.closed.then(() => true), timeout]);
    clearTimeout(timer);
    return loggedOut;
  }
}
