import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../db/unit-of-work.js';

/** Whose key it is and what it was sent with. */
export interface KeyedRequest {
  readonly owner: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly bodyHash: string;
}

/** A key that was used before. */
export interface UsedKey {
  readonly id: string;
  readonly body_hash: string;
  readonly state: 'running' | 'answered';
  /** Of a running request: its process says so. */
  readonly alive: boolean;
  /** Older than keys are kept. */
  readonly expired: boolean;
  readonly status: number | null;
  readonly answer: string | null;
  readonly answer_hash: string | null;
  readonly answer_bytes: number | null;
}

/** An answer as it is kept. */
export interface KeptAnswer {
  readonly status: number;
  readonly answer: string | null;
  readonly hash: string;
  readonly bytes: number;
}

/** How long a key is good for. */
const KEY_TTL = `interval '24 hours'`;
/** Any number that is ours: one process at a time sweeps. */
const SWEEP_LOCK = 7_404_012_019;
/** How many keys one statement removes at most. */
export const KEYS_SWEPT_AT_ONCE = 5_000;

/** The keys of requests; every time in here is the database's. */
@Injectable()
export class IdempotencyRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @returns false when the key is in use, or was used */
  async insert(id: string, request: KeyedRequest, runningSeconds: number): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `INSERT INTO idempotency_keys (id, owner, method, path, key, body_hash, state, running_until)
       VALUES ($1, $2, $3, $4, $5, $6, 'running', now() + make_interval(secs => $7))
       ON CONFLICT (owner, method, path, key) DO NOTHING RETURNING id`,
      [id, request.owner, request.method, request.path, request.key, request.bodyHash, runningSeconds],
    );
    return rows.length === 1;
  }

  async find({ owner, method, path, key }: KeyedRequest): Promise<UsedKey | undefined> {
    const [row] = await this.unitOfWork.rows<UsedKey>(
      `SELECT id, body_hash, state, running_until > clock_timestamp() AS alive, created_at <= now() - ${KEY_TTL} AS expired,
              status, answer, answer_hash, answer_bytes
         FROM idempotency_keys WHERE owner = $1 AND method = $2 AND path = $3 AND key = $4`,
      [owner, method, path, key],
    );
    return row;
  }

  async delete(id: string): Promise<void> {
    await this.unitOfWork.rows('DELETE FROM idempotency_keys WHERE id = $1', [id]);
  }

  /** @returns false when there is no such key any more */
  async answer(id: string, { status, answer, hash, bytes }: KeptAnswer): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `UPDATE idempotency_keys SET state = 'answered', status = $2, answer = $3, answer_hash = $4, answer_bytes = $5
        WHERE id = $1 RETURNING id`,
      [id, status, answer, hash, bytes],
    );
    return rows.length === 1;
  }

  /** Says that these are still being served. */
  async keepRunning(ids: readonly string[], runningSeconds: number): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE idempotency_keys SET running_until = now() + make_interval(secs => $2)
        WHERE id = ANY($1::uuid[]) AND state = 'running'`,
      [ids, runningSeconds],
    );
  }

  /** Says that this one will not be answered. */
  async giveUp(id: string): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE idempotency_keys SET running_until = now() WHERE id = $1 AND state = 'running'`,
      [id],
    );
  }

  /** Removes some keys that are too old; how many, or undefined when another process is at it. */
  sweep(): Promise<number | undefined> {
    return this.unitOfWork.run(async () => {
      const [lock] = await this.unitOfWork.rows<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [
        SWEEP_LOCK,
      ]);
      if (lock?.got !== true) return undefined;
      const swept = await this.unitOfWork.rows(
        `DELETE FROM idempotency_keys WHERE id IN (
           SELECT id FROM idempotency_keys WHERE created_at <= now() - ${KEY_TTL} LIMIT ${KEYS_SWEPT_AT_ONCE})
         RETURNING id`,
      );
      return swept.length;
    });
  }
}
