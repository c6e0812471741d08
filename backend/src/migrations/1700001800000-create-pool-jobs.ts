import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Long work on what pools keep, and the users that delete for them what bots may not. */
export class CreatePoolJobs1700001800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE "pools"
        ADD "janitor_id" uuid,
        ADD "scrub_every_hours" integer,
        ADD "scrub_sample" integer NOT NULL DEFAULT 100,
        ADD CONSTRAINT "pools_janitor_fk" FOREIGN KEY ("janitor_id") REFERENCES "sessions" ("id") ON DELETE SET NULL`);
    // Whoever does a job holds it by a lease; when that has run out another process goes on behind what was written down.
    await runner.query(`
      CREATE TABLE "pool_jobs" (
        "id" uuid NOT NULL,
        "pool_id" uuid NOT NULL,
        "kind" text NOT NULL,
        "params" jsonb NOT NULL,
        "state" text NOT NULL DEFAULT 'waiting',
        "cursor" uuid,
        "done" bigint NOT NULL DEFAULT 0,
        "total" bigint,
        "counts" jsonb NOT NULL DEFAULT '{}',
        "findings" jsonb NOT NULL DEFAULT '[]',
        "error" text,
        "runner" uuid,
        "lease_until" timestamp with time zone,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        "started_at" timestamp(3) with time zone,
        "ended_at" timestamp(3) with time zone,
        CONSTRAINT "pool_jobs_pk" PRIMARY KEY ("id"),
        CONSTRAINT "pool_jobs_pool_fk" FOREIGN KEY ("pool_id") REFERENCES "pools" ("id") ON DELETE CASCADE,
        CONSTRAINT "pool_jobs_kind_known" CHECK ("kind" IN ('scrub', 'gc', 'purge')),
        CONSTRAINT "pool_jobs_state_known" CHECK ("state" IN ('waiting', 'running', 'done', 'failed', 'cancelled'))
      )`);
    // One at a time for each pool.
    await runner.query(
      `CREATE UNIQUE INDEX "pool_jobs_open_unique" ON "pool_jobs" ("pool_id") WHERE "state" IN ('waiting', 'running')`,
    );
    await runner.query(`CREATE INDEX "pool_jobs_pool_idx" ON "pool_jobs" ("pool_id", "created_at")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
