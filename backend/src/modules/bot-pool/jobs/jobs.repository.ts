import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { violates } from '../../../common/db/database-failure.js';
import { UnitOfWork } from '../../../common/db/unit-of-work.js';
import {
  type Finding,
  type JobCounts,
  type JobOrder,
  type JobRow,
  type JobState,
  type JobStep,
  MAX_FINDINGS,
} from './job.js';

interface RawJob {
  readonly id: string;
  readonly pool_id: string;
  readonly kind: string;
  readonly params: object;
  readonly state: JobState;
  readonly cursor: string | null;
  readonly done: string;
  readonly total: string | null;
  readonly counts: JobCounts;
  readonly findings: readonly Finding[];
  readonly error: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
}

/** How long a job stands whose process does not renew its lease. */
const LEASE = `interval '30 seconds'`;
/** Jobs of a pool that are remembered. */
const KEPT = 100;
/** What nothing refers to is deleted within hours: bots may not after two days. */
const COLLECTED_EVERY = `interval '6 hours'`;

/** The jobs of pools, and who does them. Every time in here is the database's. */
@Injectable()
export class JobsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @returns undefined while the pool has another one that has not ended */
  async create(poolId: string, { kind, ...params }: JobOrder): Promise<JobRow | undefined> {
    try {
      const [row] = await this.unitOfWork.rows<RawJob>(
        `WITH old AS (
           DELETE FROM pool_jobs WHERE id IN (
             SELECT id FROM pool_jobs WHERE pool_id = $2 AND ended_at IS NOT NULL ORDER BY created_at DESC OFFSET ${KEPT - 1}))
         INSERT INTO pool_jobs (id, pool_id, kind, params) VALUES ($1, $2, $3, $4) RETURNING *`,
        [randomUUID(), poolId, kind, JSON.stringify(params)],
      );
      return row && toJob(row);
    } catch (error) {
      if (violates(error, 'pool_jobs_open_unique')) return undefined;
      throw error;
    }
  }

  /** The one that has not ended. */
  async open(poolId: string): Promise<JobRow | undefined> {
    const [row] = await this.unitOfWork.rows<RawJob>(
      `SELECT * FROM pool_jobs WHERE pool_id = $1 AND state IN ('waiting', 'running')`,
      [poolId],
    );
    return row && toJob(row);
  }

  /** Newest first. */
  async list(poolId: string): Promise<JobRow[]> {
    const rows = await this.unitOfWork.rows<RawJob>(
      'SELECT * FROM pool_jobs WHERE pool_id = $1 ORDER BY created_at DESC, id LIMIT $2',
      [poolId, KEPT],
    );
    return rows.map(toJob);
  }

  async find(poolId: string, id: string): Promise<JobRow | undefined> {
    const [row] = await this.unitOfWork.rows<RawJob>('SELECT * FROM pool_jobs WHERE pool_id = $1 AND id = $2', [
      poolId,
      id,
    ]);
    return row && toJob(row);
  }

  /** Ends a job that has not ended; whoever does it stops at its next step. */
  async cancel(id: string): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE pool_jobs SET state = 'cancelled', ended_at = now(), runner = NULL
        WHERE id = $1 AND state IN ('waiting', 'running')`,
      [id],
    );
  }

  /** Takes the oldest job that nobody does. */
  async claim(runner: string): Promise<JobRow | undefined> {
    const [row] = await this.unitOfWork.rows<RawJob>(
      `UPDATE pool_jobs
          SET state = 'running', runner = $1, lease_until = now() + ${LEASE}, started_at = coalesce(started_at, now())
        WHERE id = (SELECT id FROM pool_jobs
                     WHERE state IN ('waiting', 'running') AND (lease_until IS NULL OR lease_until < now())
                     ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING *`,
      [runner],
    );
    return row && toJob(row);
  }

  /** @returns whether the job is still this one's */
  async renew(id: string, runner: string): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `UPDATE pool_jobs SET lease_until = now() + ${LEASE} WHERE id = $1 AND runner = $2 AND state = 'running' RETURNING id`,
      [id, runner],
    );
    return rows.length > 0;
  }

  async setTotal(id: string, total: number): Promise<void> {
    await this.unitOfWork.rows('UPDATE pool_jobs SET total = $2 WHERE id = $1', [id, total]);
  }

  /** Writes a portion down. @returns undefined when the job is not this one's any more, and nothing was written */
  async advance(job: JobRow, runner: string, step: JobStep): Promise<JobRow | undefined> {
    const counts = { ...job.counts };
    for (const [name, count] of Object.entries(step.counts)) counts[name] = (counts[name] ?? 0) + count;
    const findings = [...job.findings, ...(step.findings ?? [])].slice(0, MAX_FINDINGS);
    const [row] = await this.unitOfWork.rows<RawJob>(
      `UPDATE pool_jobs
          SET cursor = $3, done = done + $4, counts = $5, findings = $6, lease_until = now() + ${LEASE},
              state = CASE WHEN $7 THEN 'done' ELSE state END, ended_at = CASE WHEN $7 THEN now() END
        WHERE id = $1 AND runner = $2 AND state = 'running' RETURNING *`,
      [
        job.id,
        runner,
        step.cursor ?? job.cursor ?? null,
        step.done,
        JSON.stringify(counts),
        JSON.stringify(findings),
        step.isEnd,
      ],
    );
    return row && toJob(row);
  }

  async fail(id: string, runner: string, error: string): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE pool_jobs SET state = 'failed', ended_at = now(), error = $3
        WHERE id = $1 AND runner = $2 AND state = 'running'`,
      [id, runner, error],
    );
  }

  /** Another process may go on at once. */
  async release(runners: readonly string[]): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE pool_jobs SET runner = NULL, lease_until = NULL WHERE runner = ANY($1::uuid[]) AND state = 'running'`,
      [runners],
    );
  }

  /** Begins what pools want by themselves, where no job of them has to end first. */
  async schedule(): Promise<void> {
    await this.unitOfWork.rows(
      `INSERT INTO pool_jobs (id, pool_id, kind, params)
       SELECT gen_random_uuid(), p.id, w.kind, w.params
         FROM pools p CROSS JOIN LATERAL (
           SELECT 'gc' AS kind, '{}'::jsonb AS params, ${COLLECTED_EVERY} AS every
            WHERE EXISTS (SELECT 1 FROM pool_blobs b WHERE b.pool_id = p.id AND b.refs = 0
                             AND (b.state <> 'unlinked' OR p.janitor_id IS NOT NULL) AND b.message_id IS NOT NULL
                             AND b.stored_at < now() - interval '1 hour')
               OR EXISTS (SELECT 1 FROM pool_sends s WHERE s.pool_id = p.id AND s.started_at < now() - interval '1 hour')
           UNION ALL
           SELECT 'scrub', jsonb_build_object('sample', p.scrub_sample), make_interval(hours => p.scrub_every_hours)
            WHERE p.scrub_every_hours IS NOT NULL) AS w
        WHERE NOT EXISTS (SELECT 1 FROM pool_jobs j
                           WHERE j.pool_id = p.id AND j.kind = w.kind AND coalesce(j.ended_at, now()) > now() - w.every)
       ON CONFLICT (pool_id) WHERE state IN ('waiting', 'running') DO NOTHING`,
    );
  }
}

function toJob(row: RawJob): JobRow {
  return {
    id: row.id,
    poolId: row.pool_id,
    // As they were written by `create` and `schedule`.
    order: { kind: row.kind, ...row.params } as JobOrder,
    state: row.state,
    cursor: row.cursor ?? undefined,
    done: Number(row.done),
    total: row.total === null ? undefined : Number(row.total),
    counts: row.counts,
    findings: row.findings,
    error: row.error ?? undefined,
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
  };
}
