import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { messageOf } from '../../../common/errors/index.js';
import { AppLogger } from '../../../common/log/app-logger.js';
import { GcWork } from './gc-work.js';
import type { JobKind, JobRow, JobWork } from './job.js';
import { JobsRepository } from './jobs.repository.js';
import { PurgeWork } from './purge-work.js';
import { ScrubWork } from './scrub-work.js';

/** How often jobs that nobody does are looked for. */
const LOOK_MS = 1_000;
/** How often it is looked what pools want by themselves. */
const SCHEDULE_MS = 60_000;
/** A third of a lease, less what the database may take. */
const RENEW_MS = 5_000;
/** Jobs that this process does at once. */
const AT_ONCE = 4;

/** A job that is done here. */
interface Run {
  readonly jobId: string;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** A job was taken away: cancelled, or another process has it. */
class JobTakenError extends Error {}

/**
 * Does the jobs of pools, each in one process at a time by a lease in the database. What a process has written down before it died the
 * next one does not do again.
 */
@Injectable()
export class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger: AppLogger;
  /** By what each has claimed its job as. */
  private readonly running = new Map<string, Run>();
  private readonly stopping = new AbortController();
  private readonly works: Readonly<Record<JobKind, JobWork>>;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly repository: JobsRepository,
    scrub: ScrubWork,
    gc: GcWork,
    purge: PurgeWork,
    logger: AppLogger,
  ) {
    this.works = { scrub, gc, purge };
    this.logger = logger.for(JobRunner.name);
  }

  onApplicationBootstrap(): void {
    this.looking = this.lookForever();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.looking;
    const runs = new Map(this.running);
    for (const { abort } of runs.values()) abort.abort(new JobTakenError());
    await Promise.all([...runs.values()].map(({ ended }) => ended));
    await this.repository.release([...runs.keys()]).catch((error: unknown) => {
      this.logger.warn(`jobs were not released; they go on when their lease has run out: ${messageOf(error)}`);
    });
  }

  /** Stops a job at once, if it is done here; elsewhere it stops when its lease is renewed. */
  stop(id: string): void {
    for (const { jobId, abort } of this.running.values()) if (jobId === id) abort.abort(new JobTakenError());
  }

  private async lookForever(): Promise<void> {
    const { signal } = this.stopping;
    let scheduledAt = -Infinity;
    while (!signal.aborted) {
      try {
        if (performance.now() - scheduledAt >= SCHEDULE_MS) {
          scheduledAt = performance.now();
          await this.repository.schedule();
        }
        while (this.running.size < AT_ONCE) {
          const runner = randomUUID();
          const job = await this.repository.claim(runner);
          if (job === undefined) break;
          this.begin(job, runner);
        }
      } catch (error) {
        this.logger.warn(`jobs of pools were not looked for: ${messageOf(error)}`);
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private begin(job: JobRow, runner: string): void {
    const abort = new AbortController();
    const ended = this.run(job, runner, abort).finally(() => this.running.delete(runner));
    this.running.set(runner, { jobId: job.id, abort, ended });
  }

  /** Never rejects. */
  private async run(claimed: JobRow, runner: string, abort: AbortController): Promise<void> {
    const { id } = claimed;
    const work = this.works[claimed.order.kind];
    const renewing = setInterval(() => void this.renew(id, runner, abort), RENEW_MS);
    try {
      if (claimed.total === undefined) {
        const total = await work.total(claimed);
        if (total !== undefined) await this.repository.setTotal(id, total);
      }
      let job: JobRow | undefined = claimed;
      while (job?.state === 'running') {
        abort.signal.throwIfAborted();
        job = await this.repository.advance(job, runner, await work.step(job, abort.signal));
      }
    } catch (error) {
      if (abort.signal.aborted) return;
      this.logger.warn(`a job failed: ${messageOf(error)}`, { poolId: claimed.poolId });
      await this.repository.fail(id, runner, messageOf(error)).catch(() => undefined);
    } finally {
      clearInterval(renewing);
    }
  }

  private async renew(id: string, runner: string, abort: AbortController): Promise<void> {
    // While the database is away nobody else can take it either.
    const isOurs = await this.repository.renew(id, runner).catch(() => true);
    if (!isOurs) abort.abort(new JobTakenError());
  }
}
