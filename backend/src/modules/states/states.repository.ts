import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';

/** A worker's right to a session; what is written under one that is over changes nothing. */
export interface StateLease {
  readonly sessionId: string;
  readonly workerId: string;
  readonly epoch: number;
}

/** Where the newest state of a session is. */
export interface StatePointer {
  /** The DATA_DIR, by its own id, whose folder is the newest; null for one that was never noted. */
  readonly home: string | null;
  /** Of the newest snapshot; null while there is none. */
  readonly key: string | null;
}

/** A snapshot that is in the store. */
export interface StoredSnapshot {
  readonly key: string;
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** The rows that say where the states of sessions are. */
@Injectable()
export class StatesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async find(sessionId: string): Promise<StatePointer | undefined> {
    const [row] = await this.unitOfWork.rows<StatePointer>(
      `SELECT home, key FROM session_states WHERE session_id = $1`,
      [sessionId],
    );
    return row;
  }

  /** The worker's DATA_DIR has the newest state from now on. @returns false when the lease is over */
  async settle({ sessionId, workerId, epoch }: StateLease, home: string): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `INSERT INTO session_states (session_id, home, epoch)
       SELECT id, $4, epoch FROM sessions WHERE id = $1 AND worker_id = $2 AND epoch = $3 FOR SHARE
       ON CONFLICT (session_id) DO UPDATE SET home = excluded.home, epoch = excluded.epoch
         WHERE session_states.epoch <= excluded.epoch
       RETURNING session_id`,
      [sessionId, workerId, epoch, home],
    );
    return rows.length === 1;
  }

  /** A snapshot is the newest from now on. @returns false when the lease is over: then it is not */
  async point({ sessionId, workerId, epoch }: StateLease, home: string, snapshot: StoredSnapshot): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `INSERT INTO session_states (session_id, home, epoch, key, bytes, is_whole, saved_at)
       SELECT id, $4, epoch, $5, $6, $7, now() FROM sessions
        WHERE id = $1 AND worker_id = $2 AND epoch = $3 FOR SHARE
       ON CONFLICT (session_id) DO UPDATE SET home = excluded.home, epoch = excluded.epoch, key = excluded.key,
              bytes = excluded.bytes, is_whole = excluded.is_whole, saved_at = excluded.saved_at
         WHERE session_states.epoch <= excluded.epoch
       RETURNING session_id`,
      [sessionId, workerId, epoch, home, snapshot.key, snapshot.bytes, snapshot.isWhole],
    );
    return rows.length === 1;
  }
}
