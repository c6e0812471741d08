import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Buckets within pools, what is said of objects, and uploads in parts. */
export class CreateBuckets1700001300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Each pool has one of its own id and name; names are unique over all pools, as S3 finds buckets by them.
    await runner.query(`
      CREATE TABLE "pool_buckets" (
        "id" uuid NOT NULL,
        "pool_id" uuid NOT NULL,
        "name" text NOT NULL,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "pool_buckets_pk" PRIMARY KEY ("id"),
        CONSTRAINT "pool_buckets_name_unique" UNIQUE ("name"),
        CONSTRAINT "pool_buckets_pool_fk" FOREIGN KEY ("pool_id") REFERENCES "pools" ("id") ON DELETE CASCADE
      )`);
    await runner.query(
      `INSERT INTO "pool_buckets" ("id", "pool_id", "name", "created_at") SELECT "id", "id", "name", "created_at" FROM "pools"`,
    );
    await runner.query(`CREATE INDEX "pool_buckets_pool_idx" ON "pool_buckets" ("pool_id")`);
    await runner.query(`ALTER TABLE "pool_objects" ADD "bucket_id" uuid`);
    await runner.query(`UPDATE "pool_objects" SET "bucket_id" = "pool_id"`);
    // Of an object that was made of parts nobody has seen the bytes one after the other: it has no SHA-256.
    await runner.query(`
      ALTER TABLE "pool_objects"
        ALTER "bucket_id" SET NOT NULL,
        ALTER "sha256" DROP NOT NULL,
        ADD "headers" jsonb NOT NULL DEFAULT '{}',
        ADD "upload_id" uuid,
        DROP CONSTRAINT "pool_objects_key_unique",
        ADD CONSTRAINT "pool_objects_key_unique" UNIQUE ("bucket_id", "key"),
        ADD CONSTRAINT "pool_objects_bucket_fk" FOREIGN KEY ("bucket_id") REFERENCES "pool_buckets" ("id")`);
    await runner.query(`CREATE INDEX "pool_objects_pool_idx" ON "pool_objects" ("pool_id")`);
    await runner.query(`ALTER TABLE "pool_extents" ADD "offset_bytes" bigint NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE TABLE "pool_uploads" (
        "id" uuid NOT NULL,
        "pool_id" uuid NOT NULL,
        "bucket_id" uuid NOT NULL,
        "key" text COLLATE "C" NOT NULL,
        "content_type" text NOT NULL,
        "headers" jsonb NOT NULL,
        "metadata" jsonb NOT NULL,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "pool_uploads_pk" PRIMARY KEY ("id"),
        CONSTRAINT "pool_uploads_pool_fk" FOREIGN KEY ("pool_id") REFERENCES "pools" ("id") ON DELETE CASCADE,
        CONSTRAINT "pool_uploads_bucket_fk" FOREIGN KEY ("bucket_id") REFERENCES "pool_buckets" ("id")
      )`);
    await runner.query(
      `CREATE INDEX "pool_uploads_key_idx" ON "pool_uploads" ("bucket_id", "key", "created_at", "id")`,
    );
    await runner.query(`
      CREATE TABLE "pool_parts" (
        "id" uuid NOT NULL,
        "upload_id" uuid NOT NULL,
        "number" integer NOT NULL,
        "size_bytes" bigint NOT NULL,
        "etag" text NOT NULL,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "pool_parts_pk" PRIMARY KEY ("id"),
        CONSTRAINT "pool_parts_number_unique" UNIQUE ("upload_id", "number"),
        CONSTRAINT "pool_parts_upload_fk" FOREIGN KEY ("upload_id") REFERENCES "pool_uploads" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE TABLE "pool_part_extents" (
        "part_id" uuid NOT NULL,
        "seq" integer NOT NULL,
        "blob_id" uuid NOT NULL,
        "offset_bytes" bigint NOT NULL,
        "length_bytes" bigint NOT NULL,
        CONSTRAINT "pool_part_extents_pk" PRIMARY KEY ("part_id", "seq"),
        CONSTRAINT "pool_part_extents_part_fk" FOREIGN KEY ("part_id") REFERENCES "pool_parts" ("id") ON DELETE CASCADE,
        CONSTRAINT "pool_part_extents_blob_fk" FOREIGN KEY ("blob_id") REFERENCES "pool_blobs" ("id")
      )`);
    await runner.query(`CREATE INDEX "pool_part_extents_blob_idx" ON "pool_part_extents" ("blob_id")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
