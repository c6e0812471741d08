import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';

/** A worker with what the database's clock says about it. */
export interface WorkerRow {
  readonly id: string;
  readonly instance: string;
  readonly addr: string;
  readonly capacity: number;
  readonly started_at: Date;
  readonly last_seen_at: Date;
  readonly alive: boolean;
  /** Authorized sessions that it owns. */
  readonly sessions: number;
}

/** What a worker says about itself. */
export interface WorkerSelf {
  readonly id: string;
  readonly instance: string;
  readonly addr: string;
  readonly pid: number;
  readonly capacity: number;
}

/** Any number that is ours: one process at a time purges. */
const PURGE_LOCK = 7_404_012_018;

/** Leases of workers; every time in here is the database's. */
@Injectable()
export class WorkersRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Takes the id unless a live process holds it; false when one does. */
  async claim(self: WorkerSelf, leaseMs: number): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `INSERT INTO workers (id, instance, addr, pid, capacity, started_at, last_seen_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, now(), now(), now() + make_interval(secs => $6))
       ON CONFLICT (id) DO UPDATE
         SET instance = excluded.instance, addr = excluded.addr, pid = excluded.pid, capacity = excluded.capacity,
             started_at = excluded.started_at, last_seen_at = excluded.last_seen_at, expires_at = excluded.expires_at
         WHERE workers.expires_at <= now() OR workers.instance = excluded.instance
       RETURNING id`,
      [self.id, self.instance, self.addr, self.pid, self.capacity, leaseMs / 1000],
    );
    return rows.length === 1;
  }

  /** Extends the lease; false when another process has taken the id meanwhile. */
  async renew(self: WorkerSelf, leaseMs: number): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `UPDATE workers SET last_seen_at = now(), expires_at = now() + make_interval(secs => $3)
        WHERE id = $1 AND instance = $2 RETURNING id`,
      [self.id, self.instance, leaseMs / 1000],
    );
    return rows.length === 1;
  }

  /** Gives the id up, so that its sessions can be claimed at once. */
  async release(self: WorkerSelf): Promise<void> {
    await this.unitOfWork.rows('DELETE FROM workers WHERE id = $1 AND instance = $2', [self.id, self.instance]);
  }

  /** Forgets workers that have been dead for an hour; how many, or undefined when another process is at it. */
  purge(): Promise<number | undefined> {
    return this.unitOfWork.run(async () => {
      const [lock] = await this.unitOfWork.rows<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [
        PURGE_LOCK,
      ]);
      if (!lock?.got) return undefined;
      const dead = await this.unitOfWork.rows(
        `DELETE FROM workers WHERE expires_at < now() - interval '1 hour' RETURNING id`,
      );
      return dead.length;
    });
  }

  /** All workers by id. */
  list(): Promise<WorkerRow[]> {
    return this.unitOfWork.rows<WorkerRow>(
      `SELECT w.id, w.instance, w.addr, w.capacity, w.started_at, w.last_seen_at, w.expires_at > now() AS alive,
              (SELECT count(*)::int FROM sessions s WHERE s.worker_id = w.id AND s.status = 'authorized') AS sessions
         FROM workers w ORDER BY w.id`,
    );
  }
}
