import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which process of PostgreSQL serves the connection on which a worker renews its lease: it ends with the worker. */
export class NoteConnections1700002100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "workers" ADD COLUMN "backend_pid" integer`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
