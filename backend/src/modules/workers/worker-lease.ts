import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../config/index.js';
import { Readiness } from '../../common/health/readiness.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { StartupError, messageOf } from '../../common/errors/index.js';
import { WorkersRepository, type WorkerSelf } from './workers.repository.js';

const CLAIM_RETRY_MS = 250;

/** Called once when the lease is lost for good: another process has this worker's id. */
export type LeaseLostHandler = () => void;

/**
 * This process's right to hold sessions: a row in the database that it renews every second on the database's clock.
 * It is taken before the modules that hold sessions start, and given up after they have stopped.
 */
@Injectable()
export class WorkerLease implements OnModuleInit, OnApplicationShutdown {
  private readonly self: WorkerSelf;
  private readonly lostHandlers: LeaseLostHandler[] = [];
  private readonly stopping = new AbortController();
  private beating: Promise<void> = Promise.resolve();
  private renewedAt = 0;
  private isHeld = false;

  constructor(
    private readonly config: AppConfig,
    private readonly repository: WorkersRepository,
    private readonly logger: AppLogger,
    readiness: Readiness,
  ) {
    const { id, advertise, capacity } = config.worker;
    this.self = { id, instance: randomUUID(), addr: advertise, pid: process.pid, capacity };
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

  onLost(handler: LeaseLostHandler): void {
    this.lostHandlers.push(handler);
  }

  /** @throws StartupError when another live process has the id */
  async onModuleInit(): Promise<void> {
    const { leaseMs } = this.config.worker;
    // A predecessor that was killed keeps its lease for some seconds: wait for its end before calling it alive.
    const deadline = performance.now() + leaseMs + 1000;
    for (;;) {
      const asked = performance.now();
      if (await this.repository.claim(this.self, leaseMs)) {
        this.renewedAt = asked;
        break;
      }
      if (asked >= deadline) {
        throw new StartupError(`another live process is worker ${this.self.id}: give this one a WORKER_ID of its own`);
      }
      await sleep(CLAIM_RETRY_MS);
    }
    this.isHeld = true;
    this.beating = this.beat();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.beating;
    if (!this.isHeld) return;
    this.isHeld = false;
    await this.repository.release(this.self).catch((error: unknown) => {
      this.logger.failure('the lease was not released; it runs out by itself', error, { worker: this.self.id });
    });
  }

  private async beat(): Promise<void> {
    const { heartbeatMs, leaseMs } = this.config.worker;
    for (;;) {
      try {
        await sleep(heartbeatMs, undefined, { signal: this.stopping.signal });
      } catch {
        return;
      }
      const asked = performance.now();
      try {
        if (!(await this.repository.renew(this.self, leaseMs)) && !(await this.repository.claim(this.self, leaseMs))) {
          this.lose();
          return;
        }
        this.renewedAt = asked;
      } catch (error) {
        this.logger.warn(`heartbeat failed: ${messageOf(error)}`);
      }
    }
  }

  private lose(): void {
    this.isHeld = false;
    this.logger.error(`another process has taken the id ${this.self.id}`);
    for (const handler of this.lostHandlers) handler();
  }
}
