import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { SecretBox } from '../../common/crypto/secret-box.js';
import { violates } from '../../common/db/database-failure.js';
import { Notifications } from '../../common/db/notifications.js';
import {
  codeOf,
  DeadlineError,
  KindMismatchError,
  messageOf,
  NoLiveWorkerError,
  NotFoundError,
  SessionNotReadyError,
  ShuttingDownError,
  TdlibError,
  ValidationFailedError,
} from '../../common/errors/index.js';
import { Readiness } from '../../common/health/readiness.js';
import { existingId, RawJson } from '../../common/http/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig, type ProxySettings } from '../../config/index.js';
import {
  type Departure,
  inspectQuery,
  isChatNotLoaded,
  objectMember,
  serializeQuery,
  stringMember,
  type TdClient,
  TelegramEngine,
  type TdObject,
} from '../../telegram/index.js';
import { LocalAppVault } from '../apps/index.js';
import { LocalProxyVault } from '../proxies/index.js';
import { WorkerLease } from '../workers/index.js';
import { ChatResolver } from './chat-resolver.js';
import { KeyedLock } from './keyed-lock.js';
import { LiveSession, type LoginAnswer, type LoginPlan } from './live-session.js';
import { requireMethodClass } from './method-access.js';
import { normalizePhone } from './phone.js';
import type {
  BotCreatedDto,
  CallBody,
  CreateBotDto,
  CreateUserDto,
  LiveState,
  SessionKind,
  UserCreatedDto,
} from './session.dto.js';
import { SessionEntity, type SessionStatus } from './session.entity.js';
import { type CallOptions, isReadMethod } from './sends/call-options.js';
import { SendTracker } from './sends/send-tracker.js';
import type { SessionSends } from './sends/session-sends.js';
import { type Dispatched, type DispatchOptions, TrackedCalls } from './sends/tracked-calls.js';
import { type LoginStep, SessionHost } from './session-host.js';
import { stateOfRow } from './session-state.js';
import {
  BotExistsError,
  ConnectionFailedError,
  LoginCancelledError,
  LoginInProgressError,
  SessionDirectoryMissingError,
  WorkerFullError,
} from './sessions.errors.js';
import { type Lease, PENDING_STATUSES, type SessionReport, SessionsRepository } from './sessions.repository.js';

/** One open client with what belongs to it. */
interface Held {
  readonly session: LiveSession;
  readonly lease: Lease;
  readonly resolver: ChatResolver;
  readonly client: TdClient;
  readonly sends: SessionSends;
  /** The registered proxy it uses; null for DEFAULT_PROXY or none. */
  proxyId: string | null;
  /** What it connects through, in words; changes with its proxy. */
  network: string;
  hasProxy: boolean;
  /** Nothing is written while the row may still be taken back, and after the session is given up. */
  writes: boolean;
  /** A write is under way; another one follows when `dirty`. */
  writing: Promise<void> | undefined;
  dirty: boolean;
}

/** How many clients are opened, and how many closed, at the same time. */
const OPENS_AT_ONCE = 8;
const CLOSES_AT_ONCE = 8;

const BOT_LOGIN_TIMEOUT_MS = 25_000;
const USER_LOGIN_TIMEOUT_MS = 20_000;
/** A login that nobody could even start for so long is given up: it blocks its number. */
const CONNECTING_TIMEOUT_MS = 120_000;
const LOGOUT_TIMEOUT_MS = 15_000;
const READY_TIMEOUT_MS = 20_000;
/** Calls that TDLib answers within this time still finish when the process is stopped. */
const DRAIN_TIMEOUT_MS = 5_000;
const WRITE_RETRY_MS = 1_000;
const MAX_CALLS_IN_FLIGHT = 1_000;
/** TDLib itself sits out flood waits of up to 60 s. */
const CALL_TIMEOUT_MS = 70_000;
const NO_OPTIONS: DispatchOptions = {};
const NO_SENDS: Dispatched['sends'] = [];
/** A session that was opened becomes ready, or ends, long before. */
const RECOVERY_TIMEOUT_MS = 24 * 3_600_000;

/** For a proxy with the library as it is published, which asks DNS and configuration servers when Telegram is silent. */
const LEAKS =
  'the session has a proxy, but TDLIB_PROXY_ONLY is off on its worker: TDLib may ask public servers around it';

const BOT_TOKEN = /^(\d{1,18}):/;

const ENDED: ReadonlySet<SessionStatus> = new Set(['error', 'expired', 'logged_out', 'banned']);
const PENDING: ReadonlySet<SessionStatus> = new Set(PENDING_STATUSES);

/** The sessions of this process: opens their TDLib clients, follows them, and writes what it sees to the registry. */
@Injectable()
export class LocalSessionHost extends SessionHost implements BeforeApplicationShutdown {
  private readonly logger: AppLogger;
  private readonly held = new Map<string, Held>();
  private readonly locks = new KeyedLock();
  private readonly opens = pLimit(OPENS_AT_ONCE);
  private readonly closes = pLimit(CLOSES_AT_ONCE);
  private readonly opening = new Set<Promise<Held>>();
  private stopping = false;

  constructor(
    private readonly config: AppConfig,
    private readonly engine: TelegramEngine,
    private readonly repository: SessionsRepository,
    private readonly apps: LocalAppVault,
    private readonly proxies: LocalProxyVault,
    private readonly box: SecretBox,
    private readonly lease: WorkerLease,
    private readonly notifications: Notifications,
    private readonly sends: SendTracker,
    private readonly calls: TrackedCalls,
    readiness: Readiness,
    logger: AppLogger,
  ) {
    super();
    this.logger = logger.for(LocalSessionHost.name);
    readiness.check('tdlib', () => this.engine.check());
  }

  /** Sessions that are open, being opened or being removed: nobody else in this process may touch them. */
  get busyIds(): readonly string[] {
    return [...new Set([...this.held.keys(), ...this.locks.keys])];
  }

  /** The leases under which this process writes. */
  get leases(): readonly Lease[] {
    return [...this.held.values()].filter(({ writes }) => writes).map(({ lease }) => lease);
  }

  /** How many more sessions this process may open. */
  get freeCapacity(): number {
    return Math.max(0, this.config.worker.capacity - this.busyIds.length);
  }

  override async createBot(bot: CreateBotDto): Promise<BotCreatedDto> {
    const token = bot.token.trim();
    const row = await this.newRow('bot', bot);
    row.botId = BOT_TOKEN.exec(token)?.[1] ?? null;
    row.botTokenSealed = this.box.seal(token, { table: 'sessions', column: 'bot_token_sealed', id: row.id });
    row.allowDuplicate = bot.allow_duplicate ?? false;
    this.requireRoom(row.id);
    return this.locks.run(row.id, async () => {
      try {
        await this.repository.insert(row);
      } catch (error) {
        if (violates(error, 'sessions_bot_id_key')) {
          throw new BotExistsError(row.botId === null ? undefined : await this.repository.sessionOfBot(row.botId));
        }
        throw error;
      }
      return this.orNothing(row, async () => {
        const held = await this.open(row, { kind: 'bot', token }, false);
        const { session } = held;
        await session.waitFor(() => session.status !== 'connecting', BOT_LOGIN_TIMEOUT_MS);
        if (session.status !== 'authorized' || session.me === undefined) {
          throw this.loginFailure(held);
        }
        await this.keep(held);
        return { id: row.id, status: session.status, me: session.me };
      });
    });
  }

  override async createUser(user: CreateUserDto): Promise<UserCreatedDto> {
    const plan = loginPlanOf(user);
    const row = await this.newRow('user', user);
    row.phone = plan.kind === 'phone' ? plan.phone : null;
    const other = plan.kind === 'phone' ? await this.repository.authorizedSessionOf(plan.phone) : undefined;
    this.requireRoom(row.id);
    return this.locks.run(row.id, async () => {
      try {
        await this.repository.insert(row);
      } catch (error) {
        if (violates(error, 'sessions_pending_phone_key') && plan.kind === 'phone') {
          throw new LoginInProgressError(await this.repository.pendingLoginOf(plan.phone));
        }
        throw error;
      }
      return this.orNothing(row, async () => {
        const held = await this.open(row, plan, false);
        const { session } = held;
        await session.waitFor(() => session.status !== 'connecting', USER_LOGIN_TIMEOUT_MS);
        if (ENDED.has(session.status) || (session.status === 'connecting' && session.monitor.health.level === 'down')) {
          throw this.loginFailure(held);
        }
        await this.keep(held);
        this.limitConnecting(held);
        const state = this.stateOf(held);
        const shared = other === undefined ? [] : [`session ${other} is logged in with this number as well`];
        const warnings = [...(state.warnings ?? []), ...shared];
        return { ...state, ...(warnings.length > 0 && { warnings }) };
      });
    });
  }

  override async answer(id: string, step: LoginStep): Promise<LiveState> {
    const held = this.held.get(id);
    if (held === undefined) {
      throw await this.absence(id, 'user');
    }
    try {
      await held.session.answer(answerOf(step));
    } finally {
      await held.writing;
    }
    return this.stateOf(held);
  }

  override state(id: string): Promise<LiveState | undefined> {
    const held = this.held.get(id);
    return Promise.resolve(held && this.stateOf(held));
  }

  override async call(
    kind: SessionKind,
    id: string,
    body: CallBody,
    caller?: Departure,
    options?: CallOptions,
  ): Promise<RawJson> {
    if (options !== undefined) {
      const dispatch = (more: DispatchOptions): Promise<Dispatched> => this.dispatch(kind, id, body, caller, more);
      return this.calls.run({ kind, id, body, caller, dispatch }, options);
    }
    const { text } = await this.dispatch(kind, id, body, caller, NO_OPTIONS);
    return new RawJson(text);
  }

  private async dispatch(
    kind: SessionKind,
    id: string,
    body: CallBody,
    caller: Departure | undefined,
    { timeoutMs = CALL_TIMEOUT_MS, keyId, onDispatch, onLateAnswer }: DispatchOptions,
  ): Promise<Dispatched> {
    const query = inspectQuery(body.method, body.params, this.config.uploads.dir);
    requireMethodClass(query.method);
    const held = this.held.get(id);
    if (held?.session.kind !== kind) {
      throw await this.absence(id, kind);
    }
    if (this.stopping) {
      throw new ShuttingDownError();
    }
    const client = held.session.readyClient();
    const { params } = query;
    const { sends } = held;
    if (sends.recovering !== undefined) {
      await sends.recovering;
    }
    if (typeof params['chat_id'] === 'string') {
      await held.resolver.resolve(client, params);
    }
    const maySend = !isReadMethod(query.method);
    const began = performance.now();
    const options = {
      timeoutMs,
      caller,
      onLateAnswer: maySend
        ? (answer: string) => {
            sends.answered(answer, keyId);
            onLateAnswer?.(answer);
          }
        : onLateAnswer,
    };
    onDispatch?.(client.closed);
    let text: string;
    try {
      text = await client.invoke(serializeQuery(query), options);
    } catch (error) {
      if (query.method === 'downloadFile' && (caller?.left === true || error instanceof DeadlineError)) {
        // Nobody waits for it any more. Only downloads are taken back; a send goes on whatever its caller does.
        void client.request({ '@type': 'cancelDownloadFile', file_id: params['file_id'] }).catch(() => undefined);
      }
      if (!(error instanceof TdlibError)) {
        throw error;
      }
      held.session.noteRefusal(error);
      if (!(await held.resolver.load(client, params, error))) {
        throw error;
      }
      const left = Math.max(1, timeoutMs - (performance.now() - began));
      text = await client.invoke(serializeQuery(query), { ...options, timeoutMs: left }).catch((again: unknown) => {
        throw isChatNotLoaded(again) ? error : again;
      });
    }
    return { text, sends: maySend ? sends.answered(text, keyId) : NO_SENDS };
  }

  override async useProxy(id: string, proxyId: string | null): Promise<void> {
    await this.locks.run(id, async () => {
      const row = await this.existing(id);
      const proxy = await this.effectiveProxy(proxyId);
      const held = this.held.get(id);
      const before = held && (await this.effectiveProxy(row.proxyId));
      await held?.client.useProxy(proxy);
      try {
        await this.repository.patch(id, { proxyId });
      } catch (error) {
        // The registry did not take it: what runs must not differ from what a restart would run.
        await held?.client.useProxy(before);
        throw error;
      }
      if (held !== undefined) {
        held.proxyId = proxyId;
        held.network = networkOf(proxy);
        held.hasProxy = proxy !== undefined;
      }
    });
  }

  override async stop(id: string): Promise<LiveState> {
    return this.locks.run(id, async () => {
      const row = await this.existing(id);
      const held = this.held.get(id);
      if (held === undefined) {
        if (row.status !== 'authorized' && row.status !== 'stopped') {
          throw new SessionNotReadyError(row.status);
        }
        const taken = await this.taken(id);
        taken.status = 'stopped';
        taken.since = new Date();
        await this.repository.report(this.leaseOf(taken), { ...reportOfRow(taken), release: true });
        return stateOfRow(taken);
      }
      if (held.session.status !== 'authorized') {
        throw new SessionNotReadyError(held.session.status);
      }
      await this.close(held);
      held.session.fail('stopped', new Error('stopped by its operator'));
      await this.giveUp(held);
      return this.stateOf(held);
    });
  }

  override async start(id: string): Promise<LiveState> {
    this.requireRoom(id);
    return this.locks.run(id, async () => {
      const held = this.held.get(id);
      if (held !== undefined) {
        return this.stateOf(held);
      }
      const row = await this.existing(id);
      if (row.status !== 'stopped' && row.status !== 'authorized') {
        throw new SessionNotReadyError(row.status);
      }
      const taken = await this.taken(id);
      try {
        await this.requireDatabase(id);
      } catch (error) {
        await this.repository.releaseUnopened(this.leaseOf(taken), messageOf(error));
        throw error;
      }
      taken.status = 'authorized';
      taken.since = new Date();
      const opened = await this.open(taken, this.resumption(taken), true);
      await opened.session.waitFor(() => opened.session.isReady || ENDED.has(opened.session.status), READY_TIMEOUT_MS);
      await opened.writing;
      return this.stateOf(opened);
    });
  }

  override async remove(id: string, logout: boolean): Promise<boolean> {
    // A login may hold the lock for as long as Telegram takes: ending it first lets the removal come at once.
    const login = this.held.get(id);
    if (login !== undefined && PENDING.has(login.session.status)) {
      login.session.fail('error', new LoginCancelledError());
    }
    return this.locks.run(id, async () => {
      if (login !== undefined && !this.held.has(id) && (await this.repository.find(id)) === null) {
        // Its creation was still under way and has taken everything back itself.
        return false;
      }
      let loggedOut = false;
      const held = this.held.get(id) ?? (await this.openToRemove(id, logout));
      if (held !== undefined) {
        held.writes = false;
        held.session.expectEnd();
        loggedOut = logout && (await this.logOut(held));
        await this.close(held);
      }
      const existed = await this.repository.delete(id);
      await this.removeDirectory(id);
      if (!existed && held === undefined) {
        throw new NotFoundError('session', id);
      }
      return loggedOut;
    });
  }

  /**
   * Opens a session that this worker has claimed.
   * @throws SessionDirectoryMissingError when its database is not here
   * @throws Error when it does not open now; it stays claimed, for another try
   */
  async adopt(row: SessionEntity): Promise<void> {
    await this.locks.run(row.id, async () => {
      if (!this.stopping && !this.held.has(row.id)) {
        await this.requireDatabase(row.id);
        await this.open(row, this.resumption(row), true);
      }
    });
  }

  /** A proxy's address or credentials were changed: whoever uses it gets them now. @param proxyId undefined for any proxy */
  async refreshProxies(proxyId: string | undefined): Promise<void> {
    const users = [...this.held.values()].filter(
      (held) => held.proxyId !== null && (proxyId ?? held.proxyId) === held.proxyId,
    );
    await Promise.all(
      users.map(async (held) => {
        const proxy = await this.effectiveProxy(held.proxyId);
        await held.client.useProxy(proxy);
        held.network = networkOf(proxy);
        held.hasProxy = proxy !== undefined;
      }),
    );
  }

  /** Closes sessions that another worker has claimed or that were deleted; nothing is written for them. */
  async drop(ids: readonly string[]): Promise<void> {
    await Promise.all(
      ids.map((id) =>
        this.locks.run(id, async () => {
          const held = this.held.get(id);
          if (held !== undefined) {
            this.logger.warn('the session is no longer ours', { sessionId: id });
            held.writes = false;
            await this.close(held);
          }
        }),
      ),
    );
  }

  /**
   * Hands every session over: closed first, so that the next opener finds the database free, then released. New calls are
   * refused meanwhile; those in flight get a few seconds.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    const deadline = Date.now() + DRAIN_TIMEOUT_MS;
    const handOver = (): Promise<(Lease | undefined)[]> =>
      Promise.all([...this.held.values()].map((held) => this.handOver(held, deadline)));
    const closed = await handOver();
    // What is still being opened fails now, or is closed like the others.
    await Promise.allSettled(this.opening);
    closed.push(...(await handOver()));
    const leases = closed.filter((lease) => lease !== undefined);
    try {
      await this.repository.release(leases);
      await this.notifications.publish('session_released', this.lease.workerId);
    } catch (error) {
      this.logger.failure('sessions were not released; they can be claimed when the lease ends', error);
    }
    await this.engine.closeAll();
  }

  /** @returns the lease to give back, undefined when there is none or the database may still be open */
  private async handOver(held: Held, deadline: number): Promise<Lease | undefined> {
    while (held.client.callsInFlight > 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    if (PENDING.has(held.session.status)) {
      held.session.fail('expired', new Error('the worker was stopped during the login: log in again'));
    }
    const isReleased = await this.close(held);
    await held.writing;
    return held.writes && isReleased ? held.lease : undefined;
  }

  /** Not awaited before the lock of the session is taken: from then on it counts. @throws WorkerFullError */
  private requireRoom(id: string): void {
    const { capacity } = this.config.worker;
    const busy = new Set(this.busyIds);
    if (!busy.has(id) && busy.size >= capacity) {
      throw new WorkerFullError(capacity);
    }
  }

  private async newRow(
    kind: SessionKind,
    wish: { readonly app_id: string; readonly proxy_id?: string; readonly label?: string },
  ): Promise<SessionEntity> {
    if (this.stopping) {
      throw new ShuttingDownError();
    }
    // Unknown ones are told before anything is made.
    const appId = existingId('app', wish.app_id);
    await this.apps.credentials(appId);
    // Empty and null both mean none.
    const proxyId = wish.proxy_id ? existingId('proxy', wish.proxy_id) : null;
    if (proxyId !== null) {
      await this.proxies.settings(proxyId);
    }
    const row = new SessionEntity();
    row.id = randomUUID();
    row.kind = kind;
    row.appId = appId;
    row.proxyId = proxyId;
    row.label = wish.label === undefined || wish.label === '' ? null : wish.label;
    row.dbKeySealed = this.box.seal(randomBytes(32), { table: 'sessions', column: 'db_key_sealed', id: row.id });
    row.status = 'connecting';
    row.since = new Date();
    row.workerId = this.lease.workerId;
    row.epoch = 1;
    return row;
  }

  /** Runs a creation; when it fails nothing of the session remains. */
  private async orNothing<T>(row: SessionEntity, create: () => Promise<T>): Promise<T> {
    try {
      return await create();
    } catch (error) {
      const held = this.held.get(row.id);
      if (held !== undefined) {
        await this.close(held);
      }
      await this.removeDirectory(row.id);
      await this.deleteRow(row.id);
      throw error;
    }
  }

  /** A row that stayed would block its number or its bot: with the database away the removal follows when it is back. */
  private async deleteRow(id: string): Promise<void> {
    try {
      await this.repository.delete(id);
    } catch (error) {
      this.logger.failure('the row of a failed login was not removed yet', error, { sessionId: id });
      if (!this.stopping) {
        setTimeout(() => void this.deleteRow(id), WRITE_RETRY_MS).unref();
      }
    }
  }

  /** From now on what happens to the session is written. */
  private async keep(held: Held): Promise<void> {
    held.writes = true;
    this.write(held);
    await held.writing;
  }

  private loginFailure({ session }: Held): Error {
    const { cause } = session.monitor.health;
    return (
      session.fatalError ?? new ConnectionFailedError(session.lastError ?? cause ?? 'Telegram did not answer in time')
    );
  }

  private limitConnecting(held: Held): void {
    const timer = setTimeout(() => {
      const { session } = held;
      if (session.status === 'connecting') {
        session.fail('error', new ConnectionFailedError(session.monitor.health.cause ?? 'Telegram did not answer'));
      }
    }, CONNECTING_TIMEOUT_MS);
    timer.unref();
  }

  private open(row: SessionEntity, plan: LoginPlan, writes: boolean): Promise<Held> {
    const opened = this.opens(async () => {
      if (this.stopping) {
        throw new ShuttingDownError();
      }
      const { apiId, apiHash } = await this.apps.credentials(row.appId);
      const proxy = await this.effectiveProxy(row.proxyId);
      const directory = this.directoryOf(row.id);
      await mkdir(join(directory, 'db'), { recursive: true, mode: 0o700 });
      await mkdir(join(directory, 'files'), { recursive: true, mode: 0o700 });
      const key = this.box.open(row.dbKeySealed, { table: 'sessions', column: 'db_key_sealed', id: row.id });
      const session = new LiveSession(
        row.id,
        row.kind,
        plan,
        { changed: () => this.onChanged(row.id), closed: () => this.onClosed(row.id) },
        () => this.held.get(row.id)?.network ?? networkOf(proxy),
        row,
      );
      const lease = this.leaseOf(row);
      const sends = this.sends.begin(row.kind, lease, row.status !== 'connecting');
      const client = await this.engine.open({
        onUpdate: (type, update) => {
          session.receive(type, update);
          sends.receive(type, update);
        },
        onBanned: session.noteBan,
        proxy,
        maxCallsInFlight: MAX_CALLS_IN_FLIGHT,
        parameters: {
          use_test_dc: this.config.telegram.testDc,
          database_directory: join(directory, 'db'),
          files_directory: join(directory, 'files'),
          database_encryption_key: key.toString('base64'),
          use_file_database: true,
          use_chat_info_database: true,
          use_message_database: true,
          use_secret_chats: false,
          api_id: apiId,
          api_hash: apiHash,
          system_language_code: 'en',
          device_model: 'tgcontrol',
          system_version: '1',
          application_version: '0.1',
        },
      });
      session.attach(client);
      const held: Held = {
        session,
        client,
        sends,
        lease,
        resolver: new ChatResolver(),
        proxyId: row.proxyId,
        network: networkOf(proxy),
        hasProxy: proxy !== undefined,
        writes,
        writing: undefined,
        dirty: false,
      };
      this.held.set(row.id, held);
      try {
        await client.start();
        await this.sends.load(sends, directory, whenReady(held));
      } catch (error) {
        await this.close(held);
        throw error;
      }
      return held;
    });
    this.opening.add(opened);
    const forget = (): boolean => this.opening.delete(opened);
    opened.then(forget, forget);
    return opened;
  }

  /**
   * How a session goes on from its database. Should the database have lost the authorization, a bot can log in by itself; a
   * user cannot.
   */
  private resumption({ id, botTokenSealed }: SessionEntity): LoginPlan {
    if (botTokenSealed === null) {
      return { kind: 'resume' };
    }
    const token = this.box.open(botTokenSealed, { table: 'sessions', column: 'bot_token_sealed', id });
    return { kind: 'bot', token: token.toString('utf8') };
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
      await this.requireDatabase(id);
    } catch (error) {
      // Without its key nobody can end the authorization from here; the removal itself needs no database.
      this.logger.failure('Telegram was not told that the session ends', error, { sessionId: id });
      return undefined;
    }
    const held = await this.open(row, { kind: 'resume' }, false);
    await held.session.waitFor(() => held.session.isReady || ENDED.has(held.session.status), READY_TIMEOUT_MS);
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

  /** @returns whether TDLib has released the database; if not, it may still be open */
  private async close(held: Held): Promise<boolean> {
    held.session.expectEnd();
    try {
      await this.closes(() => held.client.close());
      return true;
    } catch (error) {
      this.logger.failure('a session did not close', error, { sessionId: held.session.id });
      return false;
    } finally {
      await this.sends.close(held.sends, ENDED.has(held.session.status));
      if (this.held.get(held.session.id) === held) {
        this.held.delete(held.session.id);
      }
    }
  }

  private onChanged(id: string): void {
    const held = this.held.get(id);
    if (held === undefined) {
      return;
    }
    this.write(held);
    if (held.writes && ENDED.has(held.session.status) && !this.stopping) {
      void this.retire(held).catch((error: unknown) => {
        this.logger.failure('an ended session did not close', error, { sessionId: held.session.id });
      });
    }
  }

  private onClosed(id: string): void {
    const held = this.held.get(id);
    if (held?.writes === true && !this.stopping && !this.locks.has(id)) {
      void this.giveUp(held);
    }
  }

  /** The end of a session that was not asked for: TDLib closes by itself after a logout, otherwise we close it. */
  private async retire(held: Held): Promise<void> {
    await this.locks.run(held.session.id, async () => {
      if (!held.writes) {
        return;
      }
      const { status } = held.session;
      if (status === 'logged_out' || status === 'banned') {
        const patience = new Promise((resolve) => setTimeout(resolve, LOGOUT_TIMEOUT_MS).unref());
        await Promise.race([held.client.closed, patience]);
      }
      await this.close(held);
      await this.giveUp(held);
    });
  }

  /** Writes the last state and leaves the session to the registry. */
  private async giveUp(held: Held): Promise<void> {
    await this.sends.close(held.sends, ENDED.has(held.session.status));
    this.write(held, true);
    await held.writing;
    held.writes = false;
    if (this.held.get(held.session.id) === held) {
      this.held.delete(held.session.id);
    }
  }

  private write(held: Held, release = false): void {
    if (!held.writes) {
      return;
    }
    held.dirty = true;
    if (held.writing === undefined || release) {
      held.writing = this.writeAll(held, held.writing, release).finally(() => {
        held.writing = undefined;
      });
    }
  }

  private async writeAll(held: Held, before: Promise<void> | undefined, release: boolean): Promise<void> {
    await before;
    while (held.dirty || release) {
      held.dirty = false;
      try {
        const isOurs = await this.repository.report(held.lease, { ...this.reportOf(held.session), release });
        if (!isOurs && held.writes) {
          held.writes = false;
          void this.drop([held.session.id]);
        }
        return;
      } catch (error) {
        this.logger.failure('the state of a session was not written', error, { sessionId: held.session.id });
        held.dirty = true;
        if (this.stopping) {
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, WRITE_RETRY_MS).unref());
      }
    }
  }

  private reportOf(session: LiveSession): Omit<SessionReport, 'release'> {
    const { me, freeze, monitor } = session;
    return {
      status: session.status,
      since: session.since,
      lastError: session.lastError,
      health: monitor.health.level,
      healthCause: monitor.health.cause,
      username: usernameOf(me),
      phone: session.kind === 'user' && me !== undefined ? stringMember(me, 'phone_number') || undefined : undefined,
      isPremium: session.isPremium,
      frozen: freeze.frozen,
      frozenSince: freeze.since,
      deletionDate: freeze.deletionDate,
      appealLink: freeze.appealLink,
    };
  }

  private stateOf({ session, hasProxy }: Held): LiveState {
    const { lastError, monitor, awaitedCode, passwordHint, qrLink, me, isPremium } = session;
    const { level, cause } = monitor.health;
    return {
      id: session.id,
      kind: session.kind,
      status: session.status,
      since: session.since.toISOString(),
      health: level,
      ...(cause !== undefined && { health_cause: cause }),
      ...(lastError !== undefined && { last_error: lastError }),
      ...(awaitedCode && { code_info: awaitedCode }),
      ...(passwordHint !== undefined && { password_hint: passwordHint }),
      ...(qrLink !== undefined && { qr: { link: qrLink } }),
      ...(me && { me }),
      ...(isPremium !== undefined && { is_premium: isPremium }),
      frozen: session.freeze.frozen,
      spam_limited: false,
      ...(hasProxy && !this.engine.isProxyOnly && { warnings: [LEAKS] }),
    };
  }

  private async existing(id: string): Promise<SessionEntity> {
    const row = await this.repository.find(id);
    if (row === null) {
      throw new NotFoundError('session', id);
    }
    return row;
  }

  private async taken(id: string): Promise<SessionEntity> {
    const row = await this.repository.takeOver(id, this.lease.workerId);
    if (row === undefined) {
      throw new NoLiveWorkerError('the session is held by another worker');
    }
    return row;
  }

  /** Why a session that was asked for is not open here. */
  private async absence(id: string, kind: SessionKind): Promise<Error> {
    const route = await this.repository.route(id);
    if (route === undefined) {
      return new NotFoundError('session', id);
    }
    if (route.kind !== kind) {
      return new KindMismatchError(kind, route.kind);
    }
    if (route.status !== 'authorized') {
      return new SessionNotReadyError(route.status);
    }
    if (route.owner?.id === this.lease.workerId) {
      return new SessionNotReadyError(route.status, 'the session is being opened');
    }
    return new NoLiveWorkerError('the session is not held by a live worker');
  }

  private async effectiveProxy(proxyId: string | null): Promise<ProxySettings | undefined> {
    return proxyId === null ? this.config.telegram.defaultProxy : this.proxies.settings(proxyId);
  }

  private leaseOf(row: SessionEntity): Lease {
    return { sessionId: row.id, workerId: this.lease.workerId, epoch: row.epoch };
  }

  /**
   * A session that exists has a database; TDLib would make an empty one in its place and ask for a login.
   * @throws SessionDirectoryMissingError
   */
  private async requireDatabase(id: string): Promise<void> {
    const directory = join(this.directoryOf(id), 'db');
    const files = await readdir(directory).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') {
        return [];
      }
      throw error;
    });
    // td.binlog, or td_test.binlog in the test DC, has the authorization key. A crash while TDLib rewrites it (Binlog::do_reindex)
    // may leave the new one only, which TDLib takes then.
    if (!files.some((name) => /^td(_test)?\.binlog(\.new)?$/.test(name))) {
      throw new SessionDirectoryMissingError(directory);
    }
  }

  private directoryOf(id: string): string {
    return join(this.config.dataDir, 'sessions', id);
  }

  private async removeDirectory(id: string): Promise<void> {
    try {
      await rm(this.directoryOf(id), { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      this.logger.failure('the directory of a removed session stays', error, { sessionId: id });
    }
  }
}

/** @returns undefined when the session ends before it takes calls */
async function whenReady({ session, client }: Held): Promise<TdClient | undefined> {
  await session.waitFor(() => session.isReady || session.hasEnded, RECOVERY_TIMEOUT_MS);
  return session.isReady ? client : undefined;
}

function loginPlanOf(user: CreateUserDto): LoginPlan & { kind: 'phone' | 'qr' } {
  if (user.method === 'qr') {
    return { kind: 'qr' };
  }
  if (user.phone === undefined || user.phone === '') {
    throw new ValidationFailedError([{ path: 'phone', message: 'phone is required' }]);
  }
  return { kind: 'phone', phone: normalizePhone(user.phone) };
}

function answerOf(step: LoginStep): LoginAnswer {
  switch (step.step) {
    case 'code':
      return { status: 'awaiting_code', query: { '@type': 'checkAuthenticationCode', code: step.code } };
    case 'password':
      return {
        status: 'awaiting_password',
        query: { '@type': 'checkAuthenticationPassword', password: step.password },
      };
    case 'resend':
      return { status: 'awaiting_code', query: { '@type': 'resendAuthenticationCode' } };
    case 'email':
      return {
        status: 'awaiting_email',
        query: { '@type': 'setAuthenticationEmailAddress', email_address: step.email },
      };
    case 'email-code':
      return {
        status: 'awaiting_email_code',
        query: {
          '@type': 'checkAuthenticationEmailCode',
          code: { '@type': 'emailAddressAuthenticationCode', code: step.code },
        },
      };
    case 'register':
      return {
        status: 'awaiting_registration',
        query: { '@type': 'registerUser', first_name: step.firstName, last_name: step.lastName },
      };
  }
}

function networkOf(proxy: ProxySettings | undefined): string {
  return proxy === undefined ? 'the direct connection' : `the proxy ${proxy.type} ${proxy.host}:${proxy.port}`;
}

function usernameOf(me: TdObject | undefined): string | undefined {
  const usernames = me && objectMember(me, 'usernames');
  return usernames && (stringMember(usernames, 'editable_username') || undefined);
}

function reportOfRow(row: SessionEntity): Omit<SessionReport, 'release'> {
  return {
    status: row.status,
    since: row.since,
    lastError: row.lastError ?? undefined,
    health: row.health,
    healthCause: row.healthCause ?? undefined,
    username: undefined,
    phone: undefined,
    isPremium: undefined,
    frozen: row.frozen,
    frozenSince: row.frozenSince ?? undefined,
    deletionDate: row.deletionDate ?? undefined,
    appealLink: row.appealLink ?? undefined,
  };
}
