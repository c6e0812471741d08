import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { Notifications } from '../../common/db/notifications.js';
import { DeadlineError, ShuttingDownError } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import { TelegramEngine } from '../../telegram/index.js';
import { InstanceGuard } from '../instance/index.js';
import { WorkerLease } from '../workers/index.js';
import { DOWN_CALL_MS, ENDED, type Held, PENDING } from './held-session.js';
import { KeyedLock } from './keyed-lock.js';
import type { LoginPlan } from './login-plan.js';
import { SendTracker } from './sends/send-tracker.js';
import { SessionDirectories } from './session-directories.js';
import { SessionLookup } from './session-lookup.js';
import { SessionOpener } from './session-opener.js';
import { stateOf } from './session-state.js';
import type { LiveState } from './session.dto.js';
import type { SessionEntity } from './session.entity.js';
import { WorkerFullError } from './sessions.errors.js';
import { type Lease, SessionsRepository } from './sessions.repository.js';
import { StateWriter } from './state-writer.js';

/** How many clients are opened, and how many closed, at the same time. */
const OPENS_AT_ONCE = 8;
const CLOSES_AT_ONCE = 8;
/** How long Telegram may take to end an authorization. */
export const LOGOUT_TIMEOUT_MS = 15_000;
/** Calls that TDLib answers within this time still finish when the process is stopped. */
const DRAIN_TIMEOUT_MS = 5_000;

/** For so long a session that moves is kept for the worker that it moves to. */
const MOVE_TIMEOUT_MS = 30_000;

/** A pause while the database is away. */
const RELEASE_AGAIN_MS = 500;

/** For a proxy with the library as it is published, which asks DNS and configuration servers when Telegram is silent. */
const LEAKS =
  'the session has a proxy, but TDLIB_PROXY_ONLY is off on its worker: TDLib may ask public servers around it';

/** The sessions that are open in this process: from opening over what their clients tell to giving them back. */
@Injectable()
export class HeldSessions implements BeforeApplicationShutdown {
  /** Whoever opens, closes or removes a session holds its lock. */
  readonly locks = new KeyedLock();
  private readonly logger: AppLogger;
  private readonly writer: StateWriter;
  private readonly held = new Map<string, Held>();
  private readonly opens = pLimit(OPENS_AT_ONCE);
  private readonly closes = pLimit(CLOSES_AT_ONCE);
  private readonly opening = new Set<Promise<Held>>();
  private unreleased: Lease[] = [];
  private releasing: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly config: AppConfig,
    private readonly engine: TelegramEngine,
    private readonly opener: SessionOpener,
    private readonly directories: SessionDirectories,
    private readonly lookup: SessionLookup,
    private readonly repository: SessionsRepository,
    private readonly lease: WorkerLease,
    private readonly notifications: Notifications,
    private readonly sends: SendTracker,
    private readonly instance: InstanceGuard,
    logger: AppLogger,
  ) {
    this.logger = logger.for(HeldSessions.name);
    this.writer = new StateWriter(repository, this.logger, {
      lost: (held) => void this.drop([held.session.id]),
      isStopping: () => this.stopping,
    });
  }

  get(id: string): Held | undefined {
    return this.held.get(id);
  }

  get all(): readonly Held[] {
    return [...this.held.values()];
  }

  /** What the session's client shows, and what its operator should know. */
  stateOf(held: Held): LiveState {
    const leaks = held.hasProxy && !this.engine.isProxyOnly;
    return { ...stateOf(held), ...(leaks && { warnings: [LEAKS] }) };
  }

  /** Whether the process ends and takes nothing new. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /** Whether the session's calls are for another worker, now or in a moment: this one hands it over, or may have lost it. */
  isLeaving({ leaving }: Held): boolean {
    return this.stopping || leaving || !this.lease.mayServe;
  }

  /** Whether this process may answer for what it holds, see {@link WorkerLease.mayServe}. */
  get mayServe(): boolean {
    return this.lease.mayServe;
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

  /** Not awaited before the lock of the session is taken: from then on it counts. @throws WorkerFullError */
  requireRoom(id: string): void {
    const { capacity } = this.config.worker;
    const busy = new Set(this.busyIds);
    if (!busy.has(id) && busy.size >= capacity) {
      throw new WorkerFullError(capacity);
    }
  }

  /**
   * Opens a session that this worker has claimed.
   * @throws SessionDirectoryMissingError when its database is not here
   * @throws Error when it does not open now; it stays claimed, for another try
   */
  async adopt(row: SessionEntity): Promise<void> {
    await this.locks.run(row.id, async () => {
      if (!this.stopping && !this.held.has(row.id)) {
        // A bot that logs in again needs none.
        if (row.status !== 'connecting') {
          await this.directories.requireDatabase(this.lookup.leaseOf(row));
        }
        await this.open(row, this.opener.resumption(row), true);
      }
    });
  }

  /** Settles when a session is connected, or has ended, or the time is over: with its network away nobody waits for it. */
  async settled(id: string, timeoutMs: number): Promise<void> {
    const session = this.held.get(id)?.session;
    await session?.waitFor(
      () => session.hasEnded || ENDED.has(session.status) || (session.isReady && session.monitor.isConnected),
      timeoutMs,
    );
  }

  /** Opens a client under the session's lock. @param writes whether what happens to it is written from the start */
  open(row: SessionEntity, plan: LoginPlan, writes: boolean): Promise<Held> {
    const opened = this.opens(async () => {
      if (this.stopping) {
        throw new ShuttingDownError();
      }
      await this.instance.requireActive();
      let begun: Held | undefined;
      try {
        return await this.opener.open({
          row,
          plan,
          writes,
          lease: this.lookup.leaseOf(row),
          opened: (held) => {
            begun = held;
            this.held.set(row.id, held);
          },
          changed: (held) => this.onChanged(held),
          closed: (held) => this.onClosed(held),
        });
      } catch (error) {
        if (begun !== undefined) {
          await this.close(begun);
        }
        throw error;
      }
    });
    this.opening.add(opened);
    const forget = (): boolean => this.opening.delete(opened);
    opened.then(forget, forget);
    return opened;
  }

  /** From now on what happens to the session is written. */
  async keep(held: Held): Promise<void> {
    held.writes = true;
    this.writer.write(held);
    await held.writing;
    await this.secure(held);
  }

  /** Who is told that a login has succeeded may count on it, whatever becomes of this worker's disk. */
  async secure(held: Held): Promise<void> {
    if (held.session.status === 'authorized') {
      await this.directories.save(held.lease, 'login');
    }
  }

  /**
   * @param isLast whether nothing more is told of it; false when `giveUp` follows with the status that it ends with
   * @returns whether TDLib has released the database; if not, it may still be open
   */
  async close(held: Held, isLast = true): Promise<boolean> {
    held.session.expectEnd();
    held.silence.end();
    held.limits.end();
    try {
      await this.closes(() => held.client.close());
      // Before anybody may claim it.
      if (held.writes && held.session.status === 'authorized') await this.directories.save(held.lease, 'closed');
      return true;
    } catch (error) {
      this.logger.failure('a session did not close', error, { sessionId: held.session.id });
      return false;
    } finally {
      await Promise.all([this.sends.close(held.sends, ENDED.has(held.session.status)), held.limits.close()]);
      if (isLast) await held.tap.close();
      this.forget(held);
    }
  }

  /** Writes the last state and leaves the session to the registry. */
  async giveUp(held: Held): Promise<void> {
    await Promise.all([
      this.sends.close(held.sends, ENDED.has(held.session.status)),
      held.limits.close(),
      held.tap.close(),
    ]);
    this.writer.write(held, true);
    await held.writing;
    held.writes = false;
    this.forget(held);
  }

  /** A proxy's address or credentials were changed: whoever uses it gets them now. @param proxyId undefined for any proxy */
  async refreshProxies(proxyId: string | undefined): Promise<void> {
    const users = [...this.held.values()].filter(
      (held) => held.proxyId !== null && (proxyId ?? held.proxyId) === held.proxyId,
    );
    await Promise.all(users.map((held) => this.opener.useProxy(held, held.proxyId)));
  }

  /** Closes sessions that another worker has claimed or that were deleted; nothing is written for them. */
  async drop(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const held = this.held.get(id);
      if (held !== undefined) held.leaving = true;
    }
    await Promise.all(
      ids.map((id) =>
        this.locks.run(id, async () => {
          const held = this.held.get(id);
          if (held !== undefined) {
            this.logger.warn('the session is no longer ours', { sessionId: id });
            held.writes = false;
            held.tap.lose();
            await this.close(held);
          }
        }),
      ),
    );
  }

  /**
   * Hands every session over, each as soon as it is closed: closed first, so that the next opener finds the database free, then
   * released. New calls are refused meanwhile; those in flight get a few seconds.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    // Who waits for a turn can have it with the next worker.
    for (const { limits } of this.held.values()) limits.end();
    const deadline = Date.now() + DRAIN_TIMEOUT_MS;
    const handOver = async (): Promise<void> => {
      await Promise.all(
        [...this.held.values()].map((held) =>
          // One that is leaving already is only waited for.
          held.leaving ? this.locks.run(held.session.id, () => Promise.resolve()) : this.leave(held, deadline),
        ),
      );
    };
    await handOver();
    // What is still being opened fails now, or is closed like the others.
    await Promise.allSettled(this.opening);
    await handOver();
    await this.engine.closeAll();
  }

  /**
   * Hands one session over while the process goes on: to a certain worker, which claims it at once. Who calls it meanwhile is told
   * that it moves.
   * @returns false when it is not open here, or not ready
   */
  async handOver(id: string, to: string): Promise<boolean> {
    return this.locks.run(id, async () => {
      const held = this.held.get(id);
      if (held === undefined || this.stopping || !held.writes || !held.session.isReady) return false;
      if (!(await this.repository.beginMove(held.lease, to, MOVE_TIMEOUT_MS))) return false;
      held.leaving = true;
      held.limits.end();
      await this.leave(held, Date.now() + DRAIN_TIMEOUT_MS);
      return true;
    });
  }

  /** Closes a session that goes to another worker, and gives its row free. */
  private async leave(held: Held, deadline: number): Promise<void> {
    while (held.client.callsInFlight > 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    if (PENDING.has(held.session.status)) {
      held.session.failLogin(new Error('the worker was stopped during the login: log in again'), 'expired');
    }
    const isClosed = await this.close(held);
    await held.writing;
    // What is still open here keeps TDLib's lock: whoever gets the row waits for that. A process that ends needs nobody to wait.
    if (held.writes && (isClosed || !this.stopping)) {
      held.writes = false;
      this.unreleased.push(held.lease);
      await (this.releasing ??= this.release());
    }
  }

  /**
   * Gives rows free and tells the other workers; those that come meanwhile go together with the next statement. While the process goes
   * on, and its lease with it, nobody else would ever have what is not given free.
   */
  private async release(): Promise<void> {
    while (this.unreleased.length > 0) {
      const leases = this.unreleased;
      this.unreleased = [];
      try {
        await this.repository.release(leases);
        await this.notifications.publish('session_released', this.lease.workerId);
      } catch (error) {
        this.logger.failure('sessions were not released; they can be claimed when the lease ends', error);
        if (this.stopping) continue;
        this.unreleased.unshift(...leases);
        await sleep(RELEASE_AGAIN_MS);
      }
    }
    this.releasing = undefined;
  }

  private onChanged(held: Held): void {
    held.tap.changed(this.stateOf(held));
    if (this.held.get(held.session.id) !== held) {
      return;
    }
    this.limitCalls(held);
    if (held.session.isReady) {
      held.silence.begin();
    }
    this.writer.write(held);
    if (held.writes && ENDED.has(held.session.status) && !this.stopping) {
      void this.retire(held).catch((error: unknown) => {
        this.logger.failure('an ended session did not close', error, { sessionId: held.session.id });
      });
    }
  }

  /** Nobody can answer the calls of a session that is down: they are given up rather than left to their own deadlines. */
  private limitCalls(held: Held): void {
    if (held.session.monitor.health.level !== 'down') {
      clearTimeout(held.callsEnd);
      held.callsEnd = undefined;
    } else {
      held.callsEnd ??= setTimeout(
        () => held.client.giveUpCalls(new DeadlineError('the call', DOWN_CALL_MS)),
        DOWN_CALL_MS,
      ).unref();
    }
  }

  private onClosed(held: Held): void {
    const { id } = held.session;
    if (this.held.get(id) === held && held.writes && !this.stopping && !this.locks.has(id)) {
      void this.giveUp(held);
    }
  }

  /** The end of a session that was not asked for: TDLib closes by itself after a logout, otherwise we close it. */
  private async retire(held: Held): Promise<void> {
    await this.locks.run(held.session.id, async () => {
      if (!held.writes) {
        return;
      }
      if (held.session.isClosing) {
        const patience = new Promise((resolve) => setTimeout(resolve, LOGOUT_TIMEOUT_MS).unref());
        await Promise.race([held.client.closed, patience]);
      }
      await this.close(held, false);
      if (held.session.isUnauthorized) {
        // TDLib empties the database by itself when it closes after a logout, but not when we close it.
        await this.directories.remove(held.session.id);
      }
      await this.giveUp(held);
    });
  }

  private forget(held: Held): void {
    clearTimeout(held.callsEnd);
    held.silence.end();
    if (this.held.get(held.session.id) === held) {
      this.held.delete(held.session.id);
    }
  }
}
