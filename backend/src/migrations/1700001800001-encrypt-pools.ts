import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pools whose messages only this installation can read. */
export class EncryptPools1700001800001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The key is made, and sealed with MASTER_KEY, by the worker that is first asked for it.
    await runner.query(`
      ALTER TABLE "pools" ADD "is_encrypted" boolean NOT NULL DEFAULT false, ADD "sealed_key" text`);
    // What an encrypted message begins with; of one that is not encrypted there is none.
    await runner.query(`ALTER TABLE "pool_blobs" ADD "seal_head" bytea`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
