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
  /** How long ago it renewed its lease, in milliseconds. */
  readonly lease_age_ms: number;
  readonly version: string;
  /** Tells workers with the same DATA_DIR from others; null for one of an older version. */
  readonly volume: string | null;
  readonly memory_bytes: number;
  /** Above so much it opens no more sessions; 0 for no limit. */
  readonly memory_limit: number;
  /** Processors that it kept busy lately. */
  readonly load: number;
  /** It hands its sessions over and takes no others. */
  readonly draining: boolean;
  /** How long it has been running, in milliseconds. */
  readonly age_ms: number;
  /** Authorized sessions that it owns. */
  readonly sessions: number;
}

/** Its lease holds, and the connection that renews it is gone; not right after PostgreSQL has started, when all are. */
const DISCONNECTED = `w.expires_at > clock_timestamp() AND w.backend_pid IS NOT NULL
  AND pg_postmaster_start_time() < clock_timestamp() - interval '5 seconds'
  AND NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = w.backend_pid)`;

/** Any number that is ours: one process at a time purges. */
const PURGE_LOCK = 7_404_012_018;

/** What all processes know of the workers; every time in here is the database's. */
@Injectable()
export class WorkersRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Has a live worker hand its sessions over and take no others, or ends that.
   * @returns false when there is no such worker
   */
  async setDraining(id: string, draining: boolean): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      'UPDATE workers SET draining = $2 WHERE id = $1 AND expires_at > clock_timestamp() RETURNING id',
      [id, draining],
    );
    return rows.length === 1;
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

  /** Workers of a volume whose lease holds although PostgreSQL has lost the connection on which they renew it. */
  disconnected(volume: string): Promise<Pick<WorkerRow, 'id' | 'instance' | 'addr'>[]> {
    return this.unitOfWork.rows(`SELECT id, instance, addr FROM workers w WHERE volume = $1 AND ${DISCONNECTED}`, [
      volume,
    ]);
  }

  /**
   * Ends the lease of one that {@link disconnected} tells of. Should it live after all, it has it back with its next renewal.
   * @returns false when it has connected again, or its lease has ended
   */
  async endLease(id: string, instance: string): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `UPDATE workers w SET expires_at = clock_timestamp() WHERE id = $1 AND instance = $2 AND ${DISCONNECTED} RETURNING id`,
      [id, instance],
    );
    return rows.length === 1;
  }

  /** All workers by id. */
  list(): Promise<WorkerRow[]> {
    return this.unitOfWork.rows<WorkerRow>(
      `SELECT w.id, w.instance, w.addr, w.capacity, w.started_at, w.last_seen_at, w.expires_at > now() AS alive,
              (extract(epoch FROM now() - w.last_seen_at) * 1000)::int AS lease_age_ms,
              (extract(epoch FROM now() - w.started_at) * 1000)::float AS age_ms,
              w.version, w.volume, w.memory_bytes::float AS memory_bytes, w.memory_limit::float AS memory_limit, w.load, w.draining,
              (SELECT count(*)::int FROM sessions s WHERE s.worker_id = w.id AND s.status = 'authorized') AS sessions
         FROM workers w ORDER BY w.id`,
    );
  }
}
