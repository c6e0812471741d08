import { randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../common/crypto/secret-box.js';
import { violates } from '../../common/db/database-failure.js';
import {
  AppError,
  KindMismatchError,
  NoLiveWorkerError,
  SessionNotReadyError,
  ShuttingDownError,
  ValidationFailedError,
} from '../../common/errors/index.js';
import { existingId } from '../../common/http/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { LocalAppVault } from '../apps/index.js';
import { LocalProxyVault } from '../proxies/index.js';
import { WorkerLease } from '../workers/index.js';
import { ENDED, type Held } from './held-session.js';
import { HeldSessions } from './held-sessions.js';
import { answerOf, loginPlanOf } from './login-answers.js';
import { describeThrown, type LoginPlan } from './login-plan.js';
import { SessionDirectories } from './session-directories.js';
import { SessionLookup } from './session-lookup.js';
import type {
  BotCreatedDto,
  CreateBotDto,
  CreateUserDto,
  LiveState,
  SessionKind,
  UserCreatedDto,
} from './session.dto.js';
import { SessionEntity } from './session.entity.js';
import type { LoginStep, Relogin } from './session-host.js';
import { BotExistsError, ConnectionFailedError, LoginInProgressError, OtherAccountError } from './sessions.errors.js';
import { SessionsRepository } from './sessions.repository.js';

const BOT_LOGIN_TIMEOUT_MS = 25_000;
const USER_LOGIN_TIMEOUT_MS = 20_000;
/** A login that nobody could even start for so long is given up: it blocks its number. */
const CONNECTING_TIMEOUT_MS = 120_000;
const DELETE_RETRY_MS = 1_000;

/** Logins of this process, from the wish to the authorization. */
@Injectable()
export class LocalLogins {
  private readonly logger: AppLogger;

  constructor(
    private readonly sessions: HeldSessions,
    private readonly lookup: SessionLookup,
    private readonly repository: SessionsRepository,
    private readonly directories: SessionDirectories,
    private readonly apps: LocalAppVault,
    private readonly proxies: LocalProxyVault,
    private readonly box: SecretBox,
    private readonly lease: WorkerLease,
    logger: AppLogger,
  ) {
    this.logger = logger.for(LocalLogins.name);
  }

  /** As SessionHost.createBot. */
  async createBot(bot: CreateBotDto): Promise<BotCreatedDto> {
    const token = bot.token.trim();
    const row = await this.newRow('bot', bot);
    row.botId = botIdOf(token);
    row.botTokenSealed = this.sealToken(row.id, token);
    row.allowDuplicate = bot.allow_duplicate ?? false;
    this.sessions.requireRoom(row.id);
    return this.sessions.locks.run(row.id, async () => {
      try {
        await this.repository.insert(row);
      } catch (error) {
        if (violates(error, 'sessions_bot_id_key')) {
          throw new BotExistsError(row.botId === null ? undefined : await this.repository.sessionOfBot(row.botId));
        }
        throw error;
      }
      return this.orNothing(row, async () => {
        const held = await this.sessions.open(row, { kind: 'bot', token }, false);
        const { session } = held;
        await session.waitFor(() => session.status !== 'connecting', BOT_LOGIN_TIMEOUT_MS);
        if (session.status !== 'authorized' || session.me === undefined) {
          throw loginFailure(held);
        }
        await this.sessions.keep(held);
        return { id: row.id, status: session.status, me: session.me };
      });
    });
  }

  /** As SessionHost.createUser. */
  async createUser(user: CreateUserDto): Promise<UserCreatedDto> {
    const plan = loginPlanOf(user);
    const row = await this.newRow('user', user);
    row.phone = plan.kind === 'phone' ? plan.phone : null;
    const other = plan.kind === 'phone' ? await this.repository.authorizedSessionOf(plan.phone) : undefined;
    this.sessions.requireRoom(row.id);
    return this.sessions.locks.run(row.id, async () => {
      try {
        await this.repository.insert(row);
      } catch (error) {
        if (violates(error, 'sessions_pending_phone_key') && plan.kind === 'phone') {
          throw new LoginInProgressError(await this.repository.pendingLoginOf(plan.phone));
        }
        throw error;
      }
      return this.orNothing(row, async () => {
        const held = await this.sessions.open(row, plan, false);
        const { session } = held;
        await session.waitFor(() => session.status !== 'connecting', USER_LOGIN_TIMEOUT_MS);
        if (!hasBegun(held)) {
          throw loginFailure(held);
        }
        await this.sessions.keep(held);
        limitConnecting(held);
        return withWarning(this.sessions.stateOf(held), other);
      });
    });
  }

  /** As SessionHost.login. */
  async login(id: string, how: Relogin): Promise<LiveState> {
    this.sessions.requireRoom(id);
    return this.sessions.locks.run(id, async () => {
      const ended = this.sessions.get(id);
      if (ended !== undefined) {
        if (!ENDED.has(ended.session.status)) {
          throw new SessionNotReadyError(ended.session.status);
        }
        await this.sessions.close(ended);
        await this.sessions.giveUp(ended);
      }
      const row = await this.lookup.existing(id);
      if (row.kind !== how.kind) {
        throw new KindMismatchError(how.kind, row.kind);
      }
      const plan = this.reloginPlan(row, how);
      const other = row.phone === null ? undefined : await this.repository.authorizedSessionOf(row.phone);
      const begun = await this.beginLogin(row);
      return this.orFormer(begun, async () => {
        if (begun.formerStatus !== 'expired') {
          // Its authorization was ended at Telegram, so that nothing in the database is of use.
          await this.directories.remove(id);
        }
        const held = await this.sessions.open(begun, plan, false);
        const { session } = held;
        await session.waitFor(() => session.status !== 'connecting', BOT_LOGIN_TIMEOUT_MS);
        if (!hasBegun(held) || (plan.kind === 'bot' && session.status !== 'authorized')) {
          throw loginFailure(held);
        }
        if (how.kind === 'bot' && how.token !== undefined) {
          await this.repository.patch(id, { botTokenSealed: this.sealToken(id, how.token.trim()) });
        }
        await this.sessions.keep(held);
        limitConnecting(held);
        return withWarning(this.sessions.stateOf(held), other);
      });
    });
  }

  /** As SessionHost.answer. */
  async answer(id: string, step: LoginStep): Promise<LiveState> {
    const held = this.sessions.get(id);
    if (held === undefined) {
      throw await this.lookup.absence(id, 'user');
    }
    try {
      await held.session.answer(answerOf(step));
    } finally {
      await held.writing;
    }
    await this.sessions.secure(held);
    return this.sessions.stateOf(held);
  }

  private reloginPlan(row: SessionEntity, how: Relogin): Exclude<LoginPlan, { kind: 'resume' }> {
    if (how.kind === 'bot') {
      const token = how.token?.trim();
      if (token === undefined) {
        return { kind: 'bot', token: this.storedToken(row) };
      }
      if (botIdOf(token) !== row.botId) {
        throw new OtherAccountError('the token is of another bot');
      }
      return { kind: 'bot', token };
    }
    const method = how.method ?? (row.phone === null ? 'qr' : 'phone');
    if (method === 'qr') {
      return { kind: 'qr' };
    }
    if (row.phone === null) {
      throw new ValidationFailedError([{ path: 'method', message: 'the number of the session is not known: use qr' }]);
    }
    return { kind: 'phone', phone: row.phone };
  }

  private async beginLogin(row: SessionEntity): Promise<SessionEntity> {
    let begun: SessionEntity | undefined;
    try {
      begun = await this.repository.beginLogin(row.id, this.lease.workerId, [...ENDED]);
    } catch (error) {
      if (violates(error, 'sessions_pending_phone_key') && row.phone !== null) {
        throw new LoginInProgressError(await this.repository.pendingLoginOf(row.phone));
      }
      throw error;
    }
    if (begun === undefined) {
      const { status } = await this.lookup.existing(row.id);
      throw ENDED.has(status)
        ? new NoLiveWorkerError('the session is held by another worker')
        : new SessionNotReadyError(status);
    }
    return begun;
  }

  /** Runs a login of a session that was logged in before; when it fails the session is what it was, and says why. */
  private async orFormer<T>(row: SessionEntity, login: () => Promise<T>): Promise<T> {
    try {
      return await login();
    } catch (error) {
      const held = this.sessions.get(row.id);
      if (held === undefined) {
        await this.endLogin(row, describeThrown(error));
      } else {
        await this.sessions.close(held);
        if (!ENDED.has(held.session.status)) {
          held.session.failLogin(error instanceof AppError ? error : new Error(describeThrown(error)));
        }
        held.writes = true;
        await this.sessions.giveUp(held);
      }
      if (row.formerStatus !== 'expired') {
        await this.directories.remove(row.id);
      }
      throw error;
    }
  }

  /** With the database away it follows when that is back: until then the number is blocked. */
  private async endLogin(row: SessionEntity, cause: string): Promise<void> {
    try {
      await this.repository.endLogin(this.lookup.leaseOf(row), cause);
    } catch (error) {
      this.logger.failure('the end of a failed login was not written yet', error, { sessionId: row.id });
      if (!this.sessions.isStopping) {
        setTimeout(() => void this.endLogin(row, cause), DELETE_RETRY_MS).unref();
      }
    }
  }

  private sealToken(id: string, token: string): string {
    return this.box.seal(token, { table: 'sessions', column: 'bot_token_sealed', id });
  }

  private storedToken({ id, botTokenSealed }: SessionEntity): string {
    if (botTokenSealed === null) {
      throw new ValidationFailedError([{ path: 'token', message: 'no token is stored: give one' }]);
    }
    return this.box.open(botTokenSealed, { table: 'sessions', column: 'bot_token_sealed', id }).toString('utf8');
  }

  private async newRow(
    kind: SessionKind,
    wish: { readonly app_id: string; readonly proxy_id?: string | null; readonly label?: string },
  ): Promise<SessionEntity> {
    if (this.sessions.isStopping) {
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
    row.formerStatus = null;
    row.formerSince = null;
    row.accountId = null;
    row.spamLimitedUntil = null;
    row.workerId = this.lease.workerId;
    row.epoch = 1;
    return row;
  }

  /** Runs a creation; when it fails nothing of the session remains. */
  private async orNothing<T>(row: SessionEntity, create: () => Promise<T>): Promise<T> {
    try {
      return await create();
    } catch (error) {
      const held = this.sessions.get(row.id);
      if (held !== undefined) {
        await this.sessions.close(held);
      }
      await this.directories.remove(row.id);
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
      if (!this.sessions.isStopping) {
        setTimeout(() => void this.deleteRow(id), DELETE_RETRY_MS).unref();
      }
    }
  }
}

/** Whether the login waits for somebody, or still may come so far. */
function hasBegun({ session }: Held): boolean {
  return !ENDED.has(session.status) && (session.status !== 'connecting' || session.monitor.health.level !== 'down');
}

function withWarning(state: LiveState, other: string | undefined): LiveState {
  const shared = other === undefined ? [] : [`session ${other} is logged in with this number as well`];
  const warnings = [...(state.warnings ?? []), ...shared];
  return { ...state, ...(warnings.length > 0 && { warnings }) };
}

function botIdOf(token: string): string | null {
  return /^(\d{1,18}):/.exec(token)?.[1] ?? null;
}

function loginFailure({ session }: Held): Error {
  const { cause } = session.monitor.health;
  return (
    session.fatalError ?? new ConnectionFailedError(session.lastError ?? cause ?? 'Telegram did not answer in time')
  );
}

function limitConnecting({ session }: Held): void {
  const timer = setTimeout(() => {
    if (session.status === 'connecting') {
      session.failLogin(new ConnectionFailedError(session.monitor.health.cause ?? 'Telegram did not answer'));
    }
  }, CONNECTING_TIMEOUT_MS);
  timer.unref();
}
