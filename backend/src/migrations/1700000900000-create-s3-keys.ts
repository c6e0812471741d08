import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The access keys of S3, each of a token; their secrets are nowhere. */
export class CreateS3Keys1700000900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "s3_keys" (
        "id" text NOT NULL,
        "token_id" uuid NOT NULL,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "s3_keys_pk" PRIMARY KEY ("id"),
        CONSTRAINT "s3_keys_token_fk" FOREIGN KEY ("token_id") REFERENCES "api_tokens" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX "s3_keys_token_idx" ON "s3_keys" ("token_id")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
