import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What workers tell of themselves, which of them is drained, and which session is on its way to another. */
export class DescribeFleet1700001400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The defaults are for rows of workers that still run an older version.
    await runner.query(`
      ALTER TABLE "workers"
        ADD COLUMN "version" text NOT NULL DEFAULT '',
        ADD COLUMN "volume" text,
        ADD COLUMN "memory_bytes" bigint NOT NULL DEFAULT 0,
        ADD COLUMN "load" real NOT NULL DEFAULT 0,
        ADD COLUMN "draining" boolean NOT NULL DEFAULT false`);
    await runner.query(`
      ALTER TABLE "sessions"
        ADD COLUMN "moving_to" text,
        ADD COLUMN "moving_until" timestamp with time zone`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
