import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tokens of less than everything: classes, methods, chats, an end, pools; and secrets that were replaced. */
export class LimitTokens1700000600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Tokens that there are keep what they could.
    await runner.query(`
      ALTER TABLE "api_tokens"
        ADD COLUMN "classes" text[] NOT NULL DEFAULT '{read,send,manage}',
        ADD COLUMN "methods" text[],
        ADD COLUMN "chats" bigint[],
        ADD COLUMN "expires_at" timestamp with time zone,
        ADD COLUMN "pool_ids" uuid[] NOT NULL DEFAULT '{}',
        ADD COLUMN "pool_access" text NOT NULL DEFAULT 'read',
        ADD CONSTRAINT "api_tokens_pool_access_known" CHECK ("pool_access" IN ('read', 'write'))`);
    await runner.query(`
      ALTER TABLE "api_tokens"
        ALTER COLUMN "classes" DROP DEFAULT,
        ALTER COLUMN "pool_ids" DROP DEFAULT,
        ALTER COLUMN "pool_access" DROP DEFAULT`);
    await runner.query(`
      CREATE TABLE "api_token_former_secrets" (
        "secret_hash" bytea NOT NULL,
        "token_id" uuid NOT NULL,
        "expires_at" timestamp with time zone NOT NULL,
        CONSTRAINT "api_token_former_secrets_pk" PRIMARY KEY ("secret_hash"),
        CONSTRAINT "api_token_former_secrets_token_fk"
          FOREIGN KEY ("token_id") REFERENCES "api_tokens" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX "api_token_former_secrets_token_idx" ON "api_token_former_secrets" ("token_id")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
