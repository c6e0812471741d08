import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Uploads into pools that go on after a cut: how far they are, and what of them waits on the disk for a bot. */
export class CreateResumables1700001900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE "pool_uploads"
        ADD "kind" text NOT NULL DEFAULT 's3',
        ADD CONSTRAINT "pool_uploads_kind_known" CHECK ("kind" IN ('s3', 'resumable'))`);
    // Beside the row of the upload. What is not a chunk yet is in a file of its own; the state of the hash is that before it.
    await runner.query(`
      CREATE TABLE "pool_resumables" (
        "upload_id" uuid NOT NULL,
        "owner_id" text NOT NULL,
        "chunk_bytes" integer NOT NULL,
        "length_bytes" bigint,
        "offset_bytes" bigint NOT NULL DEFAULT 0,
        "tail_name" text NOT NULL,
        "tail_bytes" integer NOT NULL DEFAULT 0,
        "next_number" integer NOT NULL DEFAULT 1,
        "hash_state" bytea NOT NULL,
        "writer" uuid,
        "writer_until" timestamp with time zone,
        "completion" jsonb,
        "error" jsonb,
        "touched_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "pool_resumables_pk" PRIMARY KEY ("upload_id"),
        CONSTRAINT "pool_resumables_upload_fk" FOREIGN KEY ("upload_id") REFERENCES "pool_uploads" ("id") ON DELETE CASCADE
      )`);
    // Chunks that lie on the disk until they are stored.
    await runner.query(`
      CREATE TABLE "pool_chunks" (
        "upload_id" uuid NOT NULL,
        "number" integer NOT NULL,
        "file_name" text NOT NULL,
        "size_bytes" integer NOT NULL,
        "sha256" text NOT NULL,
        "md5" text NOT NULL,
        "failures" integer NOT NULL DEFAULT 0,
        "sent_from" timestamp with time zone NOT NULL DEFAULT now(),
        "claimed_by" uuid,
        "claimed_until" timestamp with time zone,
        CONSTRAINT "pool_chunks_pk" PRIMARY KEY ("upload_id", "number"),
        CONSTRAINT "pool_chunks_upload_fk"
          FOREIGN KEY ("upload_id") REFERENCES "pool_resumables" ("upload_id") ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX "pool_chunks_next_idx" ON "pool_chunks" ("sent_from")`);
    await runner.query(
      `CREATE INDEX "pool_objects_upload_idx" ON "pool_objects" ("upload_id") WHERE "upload_id" IS NOT NULL`,
    );
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
