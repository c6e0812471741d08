import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which cooldowns were ended early, and why: the last time of each. */
export class KeepLifts1700001100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "limit_lifts" (
        "session_id" uuid NOT NULL,
        "scope" text NOT NULL,
        "lifted_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        "reason" text,
        CONSTRAINT "limit_lifts_pk" PRIMARY KEY ("session_id", "scope"),
        CONSTRAINT "limit_lifts_session_fk" FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX "limit_lifts_age_idx" ON "limit_lifts" ("lifted_at")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
