import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the newest state of each session is: in which DATA_DIR, and under which key in STATE_STORE. */
export class CreateSessionStates1700001500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "session_states" (
        "session_id" uuid NOT NULL,
        "home" text,
        "epoch" integer NOT NULL,
        "key" text,
        "bytes" bigint,
        "is_whole" boolean,
        "saved_at" timestamp with time zone,
        CONSTRAINT "session_states_pk" PRIMARY KEY ("session_id"),
        CONSTRAINT "session_states_session_fk" FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE
      )`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
