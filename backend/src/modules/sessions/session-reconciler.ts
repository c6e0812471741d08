import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { Notifications } from '../../common/db/notifications.js';
import { messageOf, TdlibError } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import { GoneWorkers, WorkerLease } from '../workers/index.js';
import { HeldSessions } from './held-sessions.js';
import { describeThrown } from './login-plan.js';
import { SessionDirectories } from './session-directories.js';
import { SessionMoves } from './session-moves.js';
import type { SessionEntity } from './session.entity.js';
import { StartBudget } from './start-budget.js';
import { SessionDirectoryMissingError } from './sessions.errors.js';
import { type Lease, SessionsRepository } from './sessions.repository.js';

/** Peers that lose their worker wait at most this much longer than its lease. */
const EVERY_MS = 1_000;
/** A session that did not open, because its former holder still has the database or a network is away, is tried again. */
const RETRY_AFTER_MS = 5_000;
/** One whose directory is not here is given back; this worker looks for it again so much later. */
const LOOK_AGAIN_AFTER_MS = 30_000;
/** A bot whose directory no worker has found for so long logs in anew. */
const LOST_AFTER_MS = 120_000;
/** A session whose former worker still has its database: stopped processes keep it until they go on or are killed. */
const LOCK_RETRY_AFTER_MS = 1_000;
/** One that is open and not connected yet keeps its place so long; with its network away it must not delay the others. */
const SETTLES_WITHIN_MS = 1_000;
/** So often it is looked whether the registry names this worker for a session that it knows nothing of. */
const FORGOTTEN_EVERY_MS = 5_000;
/** Leases are not taken for ended so soon after the database was away. */
const CALM_MS = 5_000;

/**
 * Keeps what this worker holds and what the registry says together: opens its own sessions after a restart and those of workers
 * that are gone, lets go of what others have taken, and ends logins that nobody holds any more.
 */
@Injectable()
export class SessionReconciler implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger: AppLogger;
  private readonly stopping = new AbortController();
  private readonly retryAt = new Map<string, number>();
  private readonly missingSince = new Map<string, number>();
  /** Whose the sessions were that this worker has claimed and not opened yet. */
  private readonly formerOwners = new Map<string, string>();
  /** Of these it was logged that another process has their database. */
  private readonly waiting = new Set<string>();
  private running: Promise<void> = Promise.resolve();
  private pause = new AbortController();
  /** Calls of {@link wake}, so that one that comes during a comparison is not missed. */
  private wakes = 0;
  private readonly budget: StartBudget;
  private isShort = false;
  private calmFrom = 0;
  /** Sessions that the registry said were this worker's at the last look, and that it neither held nor was about to open. */
  private unheld: ReadonlySet<string> = new Set();
  private lookAt = 0;

  constructor(
    private readonly sessions: HeldSessions,
    private readonly repository: SessionsRepository,
    private readonly lease: WorkerLease,
    private readonly gone: GoneWorkers,
    private readonly notifications: Notifications,
    private readonly directories: SessionDirectories,
    private readonly moves: SessionMoves,
    config: AppConfig,
    logger: AppLogger,
  ) {
    this.logger = logger.for(SessionReconciler.name);
    this.budget = new StartBudget(config.worker, {
      memoryBytes: () => process.memoryUsage.rss(),
      now: () => performance.now(),
    });
  }

  onModuleInit(): void {
    this.notifications.subscribe('proxy_changed', (id) => {
      this.sessions.refreshProxies(id).catch((error: unknown) => {
        this.logger.failure('a changed proxy was not applied', error, { proxyId: id });
      });
    });
    // A worker that hands its sessions over says so: they need not wait for the next round.
    this.notifications.subscribe('session_released', () => this.wake());
  }

  async onApplicationBootstrap(): Promise<void> {
    this.lease.onLost(() => void this.sessions.drop(this.sessions.busyIds));
    // Before the first request: a login of this worker's predecessor must not block its number any longer.
    await this.repository.expireLostLogins(this.lease.workerId, true);
    for (const id of await this.repository.ownedBy(this.lease.workerId)) {
      this.retryAt.set(id, 0);
    }
    this.running = this.loop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private wake(): void {
    this.wakes += 1;
    this.pause.abort();
  }

  private async loop(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const { wakes } = this;
      try {
        await this.reconcile();
        if (this.wakes !== wakes) continue;
      } catch (error) {
        // Everybody's lease ran out meanwhile. The others get the time to renew theirs before anything is taken from them.
        this.calmFrom = Date.now() + CALM_MS;
        this.logger.failure('the registry could not be compared with what is held', error);
      }
      const { signal } = (this.pause = new AbortController());
      await sleep(EVERY_MS, undefined, { signal: AbortSignal.any([signal, this.stopping.signal]) }).catch(
        () => undefined,
      );
    }
  }

  private async reconcile(): Promise<void> {
    const { workerId } = this.lease;
    if (this.lease.remainingMs === 0) {
      await this.letGo();
      throw new Error('the lease of this worker has run out');
    }
    const { leases } = this.sessions;
    const { doubts } = this.lease;
    const lost = leases.length > 0 ? await this.repository.lost(leases) : [];
    // They refuse calls from now on; closing them takes its time.
    const dropping = this.sessions.drop(lost);
    this.lease.settle(doubts);
    await dropping;
    const isCalm = Date.now() >= this.calmFrom;
    if (isCalm) {
      await this.gone.endLeases(workerId);
      await this.repository.expireLostLogins(workerId, false);
    }
    await this.lookForForgotten();
    if (await this.moves.isGivingUp()) {
      return;
    }
    const limit = Math.min(this.budget.places, this.sessions.freeCapacity);
    if (limit <= 0) {
      await this.yieldForMemory();
      return;
    }
    this.isShort = false;
    const due = this.due();
    const logins = Math.min(limit, this.budget.loginsNow);
    const claimed = await this.repository.claim(workerId, { limit, logins }, due, this.postponed(), isCalm);
    // With room to spare, what was not claimed is no longer ours to open.
    for (const id of claimed.length < limit ? due : claimed.map(({ row }) => row.id)) {
      this.retryAt.delete(id);
    }
    for (const { row, formerOwner } of claimed) {
      if (formerOwner !== undefined && formerOwner !== workerId) this.formerOwners.set(row.id, formerOwner);
      this.budget.begin(row.status === 'connecting');
      // Not awaited: one that is stuck delays nobody. How many open at once is bounded.
      void this.adopt(row);
    }
  }

  /**
   * A claim, or the beginning of a login, whose answer was lost leaves sessions that are this worker's, which it does not know. What
   * is about to be opened, closed or written looks the same for a moment, and is something else at the next look.
   */
  private async lookForForgotten(): Promise<void> {
    if (Date.now() < this.lookAt) return;
    this.lookAt = Date.now() + FORGOTTEN_EVERY_MS;
    const { workerId } = this.lease;
    const owned = await this.repository.ownedBy(workerId);
    const logins = await this.repository.loginsOf(workerId);
    const busy = new Set(this.sessions.busyIds);
    const isUnheld = (id: string): boolean => !busy.has(id) && !this.retryAt.has(id);
    const forgotten = owned.filter((id) => isUnheld(id) && this.unheld.has(id));
    const forgottenLogins = logins.filter(({ sessionId: id }) => isUnheld(id) && this.unheld.has(id));
    this.unheld = new Set([...owned, ...logins.map(({ sessionId }) => sessionId)].filter(isUnheld));
    for (const id of forgotten) this.retryAt.set(id, 0);
    // The epoch keeps out a login that has begun since.
    for (const login of forgottenLogins) await this.repository.expireForgottenLogin(login);
  }

  private async adopt(row: SessionEntity): Promise<void> {
    try {
      await this.sessions.adopt(row);
      await this.sessions.settled(row.id, SETTLES_WITHIN_MS);
      this.formerOwners.delete(row.id);
      this.waiting.delete(row.id);
    } catch (error) {
      this.postpone(row, error);
    } finally {
      if (this.budget.end()) this.wake();
    }
  }

  /** Leaves what this worker has no memory for to others, and has it said wherever somebody looks. */
  private async yieldForMemory(): Promise<void> {
    const { shortage } = this.budget;
    if (shortage === undefined) return;
    const { workerId } = this.lease;
    const due = this.due();
    const left = await this.repository.releaseUnbegun(
      workerId,
      due,
      `waiting for memory: worker ${workerId} has ${shortage}`,
    );
    for (const id of due) this.retryAt.delete(id);
    if (left.length > 0) await this.notifications.publish('session_released', workerId);
    if (!this.isShort) this.logger.warn(`no more sessions are opened: ${shortage}`, { left: left.length });
    this.isShort = true;
  }

  /** Without the database for too long: whoever can reach it shall have what this worker holds. */
  private async letGo(): Promise<void> {
    if (!this.lease.isOutOfReach) {
      return;
    }
    const ids = this.sessions.leases.map(({ sessionId }) => sessionId);
    await this.sessions.drop(ids);
    // Should nobody have taken them, they are opened again with the lease.
    for (const id of ids) this.retryAt.set(id, 0);
  }

  private postpone(row: SessionEntity, error: unknown): void {
    const { id, epoch } = row;
    this.retryAt.set(id, Date.now() + retryAfterMs(error));
    if (!isLocked(error) || !this.waiting.has(id)) {
      this.logger.failure('a session did not open', error, { sessionId: id });
    }
    if (isLocked(error)) this.waiting.add(id);
    const lease = { sessionId: id, workerId: this.lease.workerId, epoch };
    this.noteUnopened(row, lease, error).catch((failure: unknown) =>
      this.logger.failure('why a session did not open was not written', failure, { sessionId: id }),
    );
  }

  private async noteUnopened(row: SessionEntity, lease: Lease, error: unknown): Promise<void> {
    if (row.status === 'connecting') {
      await this.repository.endLogin(lease, describeThrown(error));
      this.retryAt.delete(row.id);
    } else if (!(error instanceof SessionDirectoryMissingError)) {
      const former = this.formerOwners.get(row.id) ?? 'another process';
      await this.repository.reportUnopened(
        lease,
        isLocked(error)
          ? `waiting for ${former}, which stopped answering but still has the session's database open; it goes on when that process is ended`
          : `the session could not be opened: ${messageOf(error)}`,
      );
    } else if (row.kind === 'bot' && this.isLost(row.id)) {
      await this.repository.expireBot(lease);
      this.retryAt.delete(row.id);
    } else {
      await this.repository.releaseUnopened(lease, error.message);
    }
  }

  /** Whether a directory that is missing here is nowhere: a worker has to give its peers the time to find it. */
  private isLost(id: string): boolean {
    const missingSince = this.missingSince.get(id) ?? Date.now();
    this.missingSince.set(id, missingSince);
    const isLost = this.directories.isAlone || Date.now() - missingSince >= LOST_AFTER_MS;
    if (isLost) {
      this.missingSince.delete(id);
    }
    return isLost;
  }

  /** Sessions that did not open here a moment ago, whoever they belong to now. */
  private postponed(): readonly string[] {
    const now = Date.now();
    return [...this.retryAt].filter(([, at]) => at > now).map(([id]) => id);
  }

  /** Sessions of this worker that it does not hold: its predecessor's, and those that did not open and may be tried again. */
  private due(): readonly string[] {
    const now = Date.now();
    const busy = new Set(this.sessions.busyIds);
    return [...this.retryAt].filter(([id, at]) => at <= now && !busy.has(id)).map(([id]) => id);
  }
}

/** TDLib's refusal of a database that another client has locked (Binlog::init, FileLog: "Can't lock file"). */
function isLocked(error: unknown): boolean {
  return error instanceof TdlibError && /can't lock file/i.test(error.message);
}

function retryAfterMs(error: unknown): number {
  if (error instanceof SessionDirectoryMissingError) return LOOK_AGAIN_AFTER_MS;
  return isLocked(error) ? LOCK_RETRY_AFTER_MS : RETRY_AFTER_MS;
}
