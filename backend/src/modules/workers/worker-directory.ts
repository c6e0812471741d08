import { Injectable } from '@nestjs/common';
import type { LiveWorkers } from '../../common/cluster/index.js';
import { databaseFailure } from '../../common/db/database-failure.js';
import { NoLiveWorkerError } from '../../common/errors/index.js';
import { type WorkerRow, WorkersRepository } from './workers.repository.js';

/** How old an answer of the directory may be, in milliseconds. */
const FRESH_MS = 1000;
/** With the database away the last answer serves so long, in milliseconds. */
const USABLE_MS = 60_000;

interface Snapshot {
  readonly at: number;
  readonly workers: readonly WorkerRow[];
}

/** Whether a worker would open one more session. */
export function hasRoom({
  sessions,
  capacity,
  memory_bytes,
  memory_limit,
}: Pick<WorkerRow, 'sessions' | 'capacity' | 'memory_bytes' | 'memory_limit'>): boolean {
  return sessions < capacity && (memory_limit === 0 || memory_bytes < memory_limit);
}

/** Which workers live, and where. Kept for a second, so that calls do no database work. */
@Injectable()
export class WorkerDirectory implements LiveWorkers {
  private snapshot: Snapshot | undefined;
  private refreshing: Promise<readonly WorkerRow[]> | undefined;

  constructor(private readonly repository: WorkersRepository) {}

  /** Every worker that is known, also dead ones. */
  async all(): Promise<readonly WorkerRow[]> {
    const { snapshot } = this;
    if (snapshot && Date.now() - snapshot.at < FRESH_MS) return snapshot.workers;
    this.refreshing ??= this.refresh().finally(() => (this.refreshing = undefined));
    try {
      return await this.refreshing;
    } catch (error) {
      if (snapshot && databaseFailure(error) && Date.now() - snapshot.at < USABLE_MS) return snapshot.workers;
      throw error;
    }
  }

  /** The worker of this id while it is alive. */
  async find(id: string): Promise<WorkerRow | undefined> {
    return (await this.all()).find((worker) => worker.id === id && worker.alive);
  }

  /**
   * All live workers, those with room first and the least busy before the others, for what any worker can do. One that is
   * drained comes last: it takes nothing new as long as there is another.
   * @throws NoLiveWorkerError
   */
  async candidates(): Promise<readonly WorkerRow[]> {
    let alive = await this.alive();
    if (alive.length === 0) {
      this.expire();
      alive = await this.alive();
    }
    if (alive.length === 0) throw new NoLiveWorkerError();
    const isFull = (worker: WorkerRow): number => (worker.draining ? 2 : hasRoom(worker) ? 0 : 1);
    return alive.toSorted((a, b) => isFull(a) - isFull(b) || a.sessions - b.sessions);
  }

  /** The next question is answered by the database. */
  expire(): void {
    this.snapshot = undefined;
  }

  private async alive(): Promise<WorkerRow[]> {
    return (await this.all()).filter((worker) => worker.alive);
  }

  private async refresh(): Promise<readonly WorkerRow[]> {
    const at = Date.now();
    const workers = await this.repository.list();
    this.snapshot = { at, workers };
    return workers;
  }
}
