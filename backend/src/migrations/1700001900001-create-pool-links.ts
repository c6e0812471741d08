import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links to objects of pools, for whoever has them. */
export class CreatePoolLinks1700001900001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Only the hash of what is in the link: who reads the table can open none.
    await runner.query(`
      CREATE TABLE "pool_links" (
        "id" uuid NOT NULL,
        "hash" bytea NOT NULL,
        "pool_id" uuid NOT NULL,
        "key" text NOT NULL,
        "filename" text,
        "token_id" uuid,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        "expires_at" timestamp(3) with time zone NOT NULL,
        CONSTRAINT "pool_links_pk" PRIMARY KEY ("id"),
        CONSTRAINT "pool_links_hash_unique" UNIQUE ("hash"),
        CONSTRAINT "pool_links_pool_fk" FOREIGN KEY ("pool_id") REFERENCES "pools" ("id") ON DELETE CASCADE,
        CONSTRAINT "pool_links_token_fk" FOREIGN KEY ("token_id") REFERENCES "api_tokens" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX "pool_links_pool_idx" ON "pool_links" ("pool_id", "created_at", "id")`);
    await runner.query(`CREATE INDEX "pool_links_expiry_idx" ON "pool_links" ("expires_at")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
