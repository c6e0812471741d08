import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What became of messages that were sent, and which requests with an Idempotency-Key have been answered with what. */
export class CreateSends1700000200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "idempotency_keys" (
        "id" uuid NOT NULL,
        "owner" text NOT NULL,
        "method" text NOT NULL,
        "path" text NOT NULL,
        "key" text NOT NULL,
        "body_hash" text NOT NULL,
        "state" text NOT NULL,
        "running_until" timestamp with time zone NOT NULL,
        "status" integer,
        "answer" text,
        "answer_hash" text,
        "answer_bytes" integer,
        "created_at" timestamp with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "idempotency_keys_pk" PRIMARY KEY ("id"),
        CONSTRAINT "idempotency_keys_state_known" CHECK ("state" IN ('running', 'answered')),
        CONSTRAINT "idempotency_keys_answered" CHECK (("state" = 'answered') = ("status" IS NOT NULL))
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX "idempotency_keys_key" ON "idempotency_keys" ("owner", "method", "path", "key")`,
    );
    await runner.query(`CREATE INDEX "idempotency_keys_created_idx" ON "idempotency_keys" ("created_at")`);
    await runner.query(`
      CREATE TABLE "sends" (
        "id" uuid NOT NULL,
        "session_id" uuid NOT NULL,
        "epoch" integer NOT NULL,
        "chat_id" bigint NOT NULL,
        "temporary_id" bigint NOT NULL,
        "told" boolean NOT NULL,
        "status" text NOT NULL,
        "message_id" bigint,
        "error" jsonb,
        "fingerprint" integer NOT NULL,
        "key_id" uuid,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        "decided_at" timestamp(3) with time zone,
        CONSTRAINT "sends_pk" PRIMARY KEY ("id"),
        CONSTRAINT "sends_session_fk" FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE,
        CONSTRAINT "sends_key_fk" FOREIGN KEY ("key_id") REFERENCES "idempotency_keys" ("id") ON DELETE SET NULL,
        CONSTRAINT "sends_status_known" CHECK ("status" IN ('pending', 'sent', 'failed', 'unknown')),
        CONSTRAINT "sends_sent_has_message" CHECK (("status" = 'sent') = ("message_id" IS NOT NULL)),
        CONSTRAINT "sends_failed_has_error" CHECK (("status" = 'failed') = ("error" IS NOT NULL))
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX "sends_temporary_key" ON "sends" ("session_id", "chat_id", "temporary_id", "epoch")`,
    );
    await runner.query(
      `CREATE INDEX "sends_message_idx" ON "sends" ("session_id", "chat_id", "message_id") WHERE "message_id" IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX "sends_newest_idx" ON "sends" ("session_id", "created_at", "id")`);
    await runner.query(
      `CREATE INDEX "sends_undecided_idx" ON "sends" ("session_id") WHERE "status" IN ('pending', 'unknown')`,
    );
    await runner.query(`CREATE INDEX "sends_key_idx" ON "sends" ("key_id") WHERE "key_id" IS NOT NULL`);
    await runner.query(`CREATE INDEX "sends_created_idx" ON "sends" ("created_at")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
