import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a session that logs in again has to keep, and until when Telegram limits an account. */
export class KeepAccounts1700000300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE "sessions"
        ADD COLUMN "account_id" bigint,
        ADD COLUMN "former_status" text,
        ADD COLUMN "former_since" timestamp with time zone,
        ADD COLUMN "login_again_at" timestamp with time zone,
        ADD COLUMN "health_since" timestamp with time zone NOT NULL DEFAULT now(),
        ADD COLUMN "spam_limited_until" timestamp with time zone,
        DROP COLUMN "spam_limited"`);
    await runner.query(`
      UPDATE "sessions" SET "health_since" = "updated_at",
             "login_again_at" = CASE WHEN "kind" = 'bot' AND "status" = 'expired' THEN now() END`);
    // A session that logs in again by QR code has a number too: while it waits for the scan it holds its number like the others.
    await runner.query(`DROP INDEX "sessions_pending_phone_key"`);
    await runner.query(`
      CREATE UNIQUE INDEX "sessions_pending_phone_key" ON "sessions" ("phone") WHERE "status" IN (
        'connecting', 'awaiting_code', 'awaiting_password', 'awaiting_qr', 'awaiting_email', 'awaiting_email_code',
        'awaiting_registration')`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
