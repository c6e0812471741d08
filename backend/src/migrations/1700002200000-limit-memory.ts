import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How much memory a worker may take before it opens no more sessions, so that others know that it has no room. */
export class LimitMemory1700002200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // 0 for workers that still run an older version: they have no limit.
    await runner.query('ALTER TABLE "workers" ADD COLUMN "memory_limit" bigint NOT NULL DEFAULT 0');
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
