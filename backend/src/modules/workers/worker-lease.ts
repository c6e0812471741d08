import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../config/index.js';
import { Readiness } from '../../common/health/readiness.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { StartupError, messageOf } from '../../common/errors/index.js';
import { LeaseClock } from './lease-clock.js';
import { LeaseRepository, type WorkerSelf } from './lease.repository.js';
import { startLeaseWatchdog } from './lease-watchdog.js';
import { ProcessVitals } from './process-vitals.js';
import { GoneWorkers } from './gone-workers.js';
import { volumeFor } from './worker-volume.js';

const CLAIM_RETRY_MS = 250;
/** After a heartbeat that failed the next one comes sooner. */
const BEAT_AGAIN_MS = 250;
/** A worker that cannot reach the database serves on for so long; TDLib's own lock keeps others off its sessions meanwhile. */
const SERVES_WITHOUT_DATABASE_MS = 60_000;
const TICK_MS = 250;
/** An event loop that stood still for longer cannot tell whether it was the database that did not answer. */
const STOOD_STILL_MS = 2_000;

/** Called once when the lease is lost for good: another process has this worker's id. */
export type LeaseLostHandler = () => void;

/**
 * This process's right to hold sessions: a row in the database that it renews every second on the database's clock.
 * It is taken before the modules that hold sessions start, and given up after they have stopped.
 */
@Injectable()
export class WorkerLease implements OnModuleInit, OnApplicationShutdown {
  private readonly self: Omit<WorkerSelf, 'volume'>;
  private readonly lostHandlers: LeaseLostHandler[] = [];
  private readonly stopping = new AbortController();
  private readonly clock = new LeaseClock();
  private readonly vitals = new ProcessVitals();
  private beating: Promise<void> = Promise.resolve();
  private renewedAt = 0;
  private isHeld = false;
  private ticker: NodeJS.Timeout | undefined;
  private tickedAt = performance.now();
  private stoodStillAt = 0;
  private doubt = 0;
  private doubtSettled = 0;

  constructor(
    private readonly config: AppConfig,
    private readonly repository: LeaseRepository,
    private readonly gone: GoneWorkers,
    private readonly logger: AppLogger,
    readiness: Readiness,
  ) {
    const { id, advertise, capacity, memoryBytes: memoryLimit } = config.worker;
    const version = productVersion();
    this.self = { id, instance: randomUUID(), addr: advertise, pid: process.pid, capacity, memoryLimit, version };
    readiness.check('lease', () => {
      if (!this.isHeld) throw new Error('the lease is not held');
      if (this.remainingMs <= 0) throw new Error('the lease could not be renewed');
    });
  }

  /** The id under which this process owns sessions. */
  get workerId(): string {
    return this.self.id;
  }

  /** How long the lease still holds if nothing renews it, in milliseconds by this process's own clock; never too long. */
  get remainingMs(): number {
    return this.isHeld ? Math.max(0, this.renewedAt + this.config.worker.leaseMs - performance.now()) : 0;
  }

  /**
   * Whether this process may answer for its sessions: its lease holds, or has ended only because the database did not answer, which
   * keeps others from claiming as well, or leaves them waiting for TDLib's lock. Not after the process itself has stood still:
   * then others have claimed, and what it would tell is theirs to tell.
   */
  get mayServe(): boolean {
    if (!this.isHeld || this.doubt > this.doubtSettled) return false;
    if (this.remainingMs > 0) return true;
    return !this.stoodStill && !this.isOutOfReach;
  }

  /** Whether the database has not answered for so long that the sessions are left to whoever can reach it. */
  get isOutOfReach(): boolean {
    return performance.now() - this.renewedAt >= SERVES_WITHOUT_DATABASE_MS;
  }

  /**
   * Grows each time that this process got its lease back after it had stood still. Until somebody has asked the registry what it still
   * owns it serves nothing.
   */
  get doubts(): number {
    return this.doubt;
  }

  /** What the process holds was compared with the registry. @param doubts as they were before */
  settle(doubts: number): void {
    this.doubtSettled = doubts;
  }

  onLost(handler: LeaseLostHandler): void {
    this.lostHandlers.push(handler);
  }

  /**
   * From now on this process is ended on the spot rather than outlive its lease (`lease-watchdog.ts`).
   * @returns what ends the watch
   */
  guard(): () => Promise<void> {
    // Without a common folder there is no lock of TDLib's that would keep two from opening a session.
    const isAlwaysFatal = this.config.states.store !== undefined && this.config.role === 'worker';
    return startLeaseWatchdog(this.clock, this.config.databaseUrl ?? '', this.workerId, isAlwaysFatal);
  }

  /** @throws StartupError when another live process has the id */
  async onModuleInit(): Promise<void> {
    const { leaseMs } = this.config.worker;
    const self = { ...this.self, volume: volumeFor(this.config) };
    // A predecessor that was killed may keep its lease for some seconds: wait for its end before calling it alive.
    const deadline = performance.now() + leaseMs + 1000;
    for (;;) {
      const asked = performance.now();
      const askedAt = LeaseClock.now();
      if (await this.repository.claim(self, leaseMs)) {
        this.renewed(asked, askedAt);
        break;
      }
      if (asked >= deadline) {
        await this.repository.end();
        throw new StartupError(`another live process is worker ${self.id}: give this one a WORKER_ID of its own`);
      }
      await this.gone.endLeases();
      await sleep(CLAIM_RETRY_MS);
    }
    this.isHeld = true;
    this.tickedAt = performance.now();
    this.ticker = setInterval(() => this.tick(), TICK_MS).unref();
    this.beating = this.beat(self);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.ticker);
    await this.beating;
    this.clock.released();
    if (this.isHeld) {
      this.isHeld = false;
      await this.repository.release(this.self).catch((error: unknown) => {
        this.logger.failure('the lease was not released; it runs out by itself', error, { worker: this.self.id });
      });
    }
    await this.repository.end();
  }

  /** Whether the event loop has done so since the last renewal, or is just waking up. */
  private get stoodStill(): boolean {
    return performance.now() - this.tickedAt > STOOD_STILL_MS || this.stoodStillAt > this.renewedAt;
  }

  private tick(): void {
    const now = performance.now();
    if (now - this.tickedAt > STOOD_STILL_MS) {
      this.stoodStillAt = now;
    }
    this.tickedAt = now;
  }

  private renewed(at: number, clockAt: bigint): void {
    if (this.isHeld && this.remainingMs === 0 && this.stoodStill) {
      this.doubt += 1;
    }
    this.renewedAt = at;
    this.clock.renewed(clockAt, this.config.worker.leaseMs);
  }

  private async beat(self: WorkerSelf): Promise<void> {
    const { heartbeatMs, leaseMs } = this.config.worker;
    let pauseMs = heartbeatMs;
    for (;;) {
      try {
        await sleep(pauseMs, undefined, { signal: this.stopping.signal });
      } catch {
        return;
      }
      const asked = performance.now();
      const askedAt = LeaseClock.now();
      try {
        const isRenewed =
          (await this.repository.renew(self, leaseMs, this.vitals.take())) ||
          (await this.repository.claim(self, leaseMs));
        if (!isRenewed) {
          this.lose();
          return;
        }
        this.renewed(asked, askedAt);
        pauseMs = heartbeatMs;
      } catch (error) {
        this.logger.warn(`heartbeat failed: ${messageOf(error)}`);
        pauseMs = BEAT_AGAIN_MS;
      }
    }
  }

  private lose(): void {
    this.isHeld = false;
    this.clock.released();
    this.logger.error(`another process has taken the id ${this.self.id}`);
    for (const handler of this.lostHandlers) handler();
  }
}

/** As the package says; the same in sources and built. */
function productVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
