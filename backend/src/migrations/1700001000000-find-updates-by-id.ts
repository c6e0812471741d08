import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rows of updates and deliveries are looked up by their ids. With the part first, the planner took an index on it for a
 * way to the ids and read whole parts, of rows that are all of one part.
 */
export class FindUpdatesById1700001000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['updates', 'deliveries']) {
      await runner.query(
        `ALTER TABLE "${table}" DROP CONSTRAINT "${table}_pk", ADD CONSTRAINT "${table}_pk" PRIMARY KEY ("id", "part")`,
      );
    }
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
