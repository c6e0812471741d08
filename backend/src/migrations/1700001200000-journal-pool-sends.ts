import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What pools send at the moment, who reads what, and messages that are gone from their chats. */
export class JournalPoolSends1700001200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One row for each send until it is known what came of it. The file's name is random, and tells the message.
    await runner.query(`
      CREATE TABLE "pool_sends" (
        "id" uuid NOT NULL,
        "pool_id" uuid NOT NULL,
        "bot_id" uuid NOT NULL,
        "chat_id" bigint NOT NULL,
        "file_name" text NOT NULL,
        "size_bytes" bigint NOT NULL,
        "after_message_id" bigint NOT NULL,
        "started_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "pool_sends_pk" PRIMARY KEY ("id"),
        CONSTRAINT "pool_sends_pool_fk" FOREIGN KEY ("pool_id") REFERENCES "pools" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX "pool_sends_pool_idx" ON "pool_sends" ("pool_id", "started_at")`);
    await runner.query(`ALTER TABLE "pool_chats" ADD COLUMN "newest_message_id" bigint NOT NULL DEFAULT 0`);
    await runner.query(`CREATE INDEX "pool_blobs_message_idx" ON "pool_blobs" ("chat_id", "message_id")`);
    await runner.query(`
      ALTER TABLE "pool_blobs"
        DROP CONSTRAINT "pool_blobs_state_known",
        ADD CONSTRAINT "pool_blobs_state_known" CHECK ("state" IN ('stored', 'orphan', 'unlinked', 'lost'))`);
    // Messages that somebody reads stay until the reading ends, or its process has died and renews the row no more.
    await runner.query(`
      CREATE TABLE "pool_reads" (
        "id" uuid NOT NULL,
        "blob_id" uuid NOT NULL,
        "expires_at" timestamp with time zone NOT NULL,
        CONSTRAINT "pool_reads_pk" PRIMARY KEY ("id", "blob_id"),
        CONSTRAINT "pool_reads_blob_fk" FOREIGN KEY ("blob_id") REFERENCES "pool_blobs" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX "pool_reads_blob_idx" ON "pool_reads" ("blob_id")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
