import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What happens in pools, for whoever follows it. */
export class CreatePoolEvents1700001900002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The row of a pool is locked until what has taken a number commits: numbers appear in their order and without gaps.
    await runner.query(`
      CREATE TABLE "pool_event_heads" (
        "pool_id" uuid NOT NULL,
        "seq" bigint NOT NULL,
        CONSTRAINT "pool_event_heads_pk" PRIMARY KEY ("pool_id"),
        CONSTRAINT "pool_event_heads_pool_fk" FOREIGN KEY ("pool_id") REFERENCES "pools" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE TABLE "pool_events" (
        "pool_id" uuid NOT NULL,
        "seq" bigint NOT NULL,
        "type" text NOT NULL,
        "data" jsonb NOT NULL,
        "at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "pool_events_pk" PRIMARY KEY ("pool_id", "seq"),
        CONSTRAINT "pool_events_pool_fk" FOREIGN KEY ("pool_id") REFERENCES "pools" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX "pool_events_at_idx" ON "pool_events" ("at")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
