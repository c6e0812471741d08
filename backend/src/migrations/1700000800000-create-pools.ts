import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pools of bots, and the objects that they keep in chats. */
export class CreatePools1700000800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "pools" (
        "id" uuid NOT NULL,
        "name" text NOT NULL,
        "chunk_bytes" integer NOT NULL,
        "budget_max" integer NOT NULL,
        "budget_window_ms" integer NOT NULL,
        "budget_gap_ms" integer NOT NULL,
        "is_paused" boolean NOT NULL DEFAULT false,
        "owner_worker" text,
        "owner_epoch" integer NOT NULL DEFAULT 0,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "pools_pk" PRIMARY KEY ("id"),
        CONSTRAINT "pools_name_unique" UNIQUE ("name")
      )`);
    await runner.query(`
      CREATE TABLE "pool_chats" (
        "pool_id" uuid NOT NULL,
        "chat_id" bigint NOT NULL,
        "seq" bigint GENERATED ALWAYS AS IDENTITY,
        CONSTRAINT "pool_chats_pk" PRIMARY KEY ("pool_id", "chat_id"),
        CONSTRAINT "pool_chats_pool_fk" FOREIGN KEY ("pool_id") REFERENCES "pools" ("id") ON DELETE CASCADE
      )`);
    // A bot's limits are its own, so that it can be in one pool only: the session is the key.
    await runner.query(`
      CREATE TABLE "pool_bots" (
        "session_id" uuid NOT NULL,
        "pool_id" uuid NOT NULL,
        "state" text NOT NULL DEFAULT 'active',
        "reason" text,
        "cooldown_until" timestamp with time zone,
        "revision" integer NOT NULL DEFAULT 0,
        "added_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "pool_bots_pk" PRIMARY KEY ("session_id"),
        CONSTRAINT "pool_bots_pool_fk" FOREIGN KEY ("pool_id") REFERENCES "pools" ("id") ON DELETE CASCADE,
        CONSTRAINT "pool_bots_session_fk" FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE,
        CONSTRAINT "pool_bots_state_known" CHECK ("state" IN ('active', 'paused', 'quarantined'))
      )`);
    await runner.query(`CREATE INDEX "pool_bots_pool_idx" ON "pool_bots" ("pool_id", "added_at")`);
    // A message in a chat of the pool. No foreign key to its bot, which may go before it.
    await runner.query(`
      CREATE TABLE "pool_blobs" (
        "id" uuid NOT NULL,
        "pool_id" uuid NOT NULL,
        "chat_id" bigint NOT NULL,
        "message_id" bigint,
        "size_bytes" bigint NOT NULL,
        "sha256" text,
        "uploader_id" uuid NOT NULL,
        "refs" integer NOT NULL DEFAULT 0,
        "state" text NOT NULL DEFAULT 'stored',
        "reason" text,
        "stored_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "pool_blobs_pk" PRIMARY KEY ("id"),
        CONSTRAINT "pool_blobs_pool_fk" FOREIGN KEY ("pool_id") REFERENCES "pools" ("id") ON DELETE CASCADE,
        CONSTRAINT "pool_blobs_refs_known" CHECK ("refs" >= 0),
        CONSTRAINT "pool_blobs_state_known" CHECK ("state" IN ('stored', 'orphan', 'unlinked'))
      )`);
    await runner.query(`CREATE INDEX "pool_blobs_free_idx" ON "pool_blobs" ("stored_at") WHERE "refs" = 0`);
    await runner.query(`
      CREATE TABLE "pool_objects" (
        "id" uuid NOT NULL,
        "pool_id" uuid NOT NULL,
        "key" text COLLATE "C" NOT NULL,
        "size_bytes" bigint NOT NULL,
        "etag" text NOT NULL,
        "sha256" text NOT NULL,
        "content_type" text NOT NULL,
        "metadata" jsonb NOT NULL,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "pool_objects_pk" PRIMARY KEY ("id"),
        CONSTRAINT "pool_objects_key_unique" UNIQUE ("pool_id", "key"),
        CONSTRAINT "pool_objects_pool_fk" FOREIGN KEY ("pool_id") REFERENCES "pools" ("id") ON DELETE RESTRICT
      )`);
    await runner.query(`
      CREATE TABLE "pool_extents" (
        "object_id" uuid NOT NULL,
        "seq" integer NOT NULL,
        "blob_id" uuid NOT NULL,
        "length_bytes" bigint NOT NULL,
        CONSTRAINT "pool_extents_pk" PRIMARY KEY ("object_id", "seq"),
        CONSTRAINT "pool_extents_object_fk" FOREIGN KEY ("object_id") REFERENCES "pool_objects" ("id") ON DELETE CASCADE,
        CONSTRAINT "pool_extents_blob_fk" FOREIGN KEY ("blob_id") REFERENCES "pool_blobs" ("id")
      )`);
    await runner.query(`CREATE INDEX "pool_extents_blob_idx" ON "pool_extents" ("blob_id")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
