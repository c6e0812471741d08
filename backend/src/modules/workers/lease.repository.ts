import { Injectable } from '@nestjs/common';
import { OwnConnection } from '../../common/db/own-connection.js';
import { AppConfig } from '../../config/index.js';
import type { Vitals } from './process-vitals.js';

/** What a worker says about itself. */
export interface WorkerSelf {
  readonly id: string;
  readonly instance: string;
  readonly addr: string;
  readonly pid: number;
  readonly capacity: number;
  readonly version: string;
  readonly volume: string;
  /** Resident memory above which it opens no more sessions, in bytes. */
  readonly memoryLimit: number;
}

/** Several fit into what is left of a lease once one heartbeat has failed. */
const STATEMENT_TIMEOUT_MS = 1_000;

/**
 * This worker's lease; every time in here is the database's. On a connection of its own: a heartbeat that waits behind other
 * statements, or for a connection that died without a word, would cost the lease.
 */
@Injectable()
export class LeaseRepository {
  private readonly connection: OwnConnection;

  constructor({ databaseUrl = '' }: AppConfig) {
    this.connection = new OwnConnection(databaseUrl, STATEMENT_TIMEOUT_MS);
  }

  /** Takes the id unless a live process holds it; false when one does. A new process is not drained. */
  async claim(self: WorkerSelf, leaseMs: number): Promise<boolean> {
    const rows = await this.connection.rows(
      `INSERT INTO workers (id, instance, addr, pid, capacity, version, volume, memory_limit, started_at, last_seen_at, expires_at,
                            backend_pid)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now(), now(), now() + make_interval(secs => $9), pg_backend_pid())
       ON CONFLICT (id) DO UPDATE
         SET instance = excluded.instance, addr = excluded.addr, pid = excluded.pid, capacity = excluded.capacity,
             version = excluded.version, volume = excluded.volume, memory_limit = excluded.memory_limit,
             draining = workers.draining AND workers.instance = excluded.instance,
             started_at = excluded.started_at, last_seen_at = excluded.last_seen_at, expires_at = excluded.expires_at,
             backend_pid = excluded.backend_pid
         WHERE workers.expires_at <= now() OR workers.instance = excluded.instance
       RETURNING id`,
      [
        self.id,
        self.instance,
        self.addr,
        self.pid,
        self.capacity,
        self.version,
        self.volume,
        self.memoryLimit,
        leaseMs / 1000,
      ],
    );
    return rows.length === 1;
  }

  /** Extends the lease; false when another process has taken the id meanwhile. */
  async renew(self: WorkerSelf, leaseMs: number, { memoryBytes, load }: Vitals): Promise<boolean> {
    const rows = await this.connection.rows(
      `UPDATE workers SET last_seen_at = now(), expires_at = now() + make_interval(secs => $3), memory_bytes = $4, load = $5,
              backend_pid = pg_backend_pid()
        WHERE id = $1 AND instance = $2 RETURNING id`,
      [self.id, self.instance, leaseMs / 1000, memoryBytes, load],
    );
    return rows.length === 1;
  }

  /** Gives the id up, so that its sessions can be claimed at once. */
  async release(self: Pick<WorkerSelf, 'id' | 'instance'>): Promise<void> {
    await this.connection.rows('DELETE FROM workers WHERE id = $1 AND instance = $2', [self.id, self.instance]);
  }

  /** Nothing is asked any more. */
  end(): Promise<void> {
    return this.connection.end();
  }
}
