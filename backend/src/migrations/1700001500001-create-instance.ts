import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which installation this database is of, and whether it may open sessions: a restored one may not until it is activated. */
export class CreateInstance1700001500001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "instance" (
        "only" boolean NOT NULL DEFAULT true,
        "id" uuid NOT NULL,
        "restored_from" uuid,
        "backup" text,
        "activated_at" timestamp with time zone,
        CONSTRAINT "instance_pk" PRIMARY KEY ("only"),
        CONSTRAINT "instance_single" CHECK ("only")
      )`);
    await runner.query(`INSERT INTO "instance" ("id", "activated_at") VALUES (gen_random_uuid(), now())`);
    // Those that were authorized in the backup, and are stopped until the activation.
    await runner.query(`
      CREATE TABLE "restored_sessions" (
        "session_id" uuid NOT NULL,
        CONSTRAINT "restored_sessions_pk" PRIMARY KEY ("session_id"),
        CONSTRAINT "restored_sessions_session_fk" FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE
      )`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
