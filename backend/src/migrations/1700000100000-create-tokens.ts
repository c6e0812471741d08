import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Scoped tokens, and the apps and sessions that they are for. */
export class CreateTokens1700000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "api_tokens" (
        "id" uuid NOT NULL,
        "name" text,
        "secret_hash" bytea NOT NULL,
        "prefix" text NOT NULL,
        "enabled" boolean NOT NULL DEFAULT true,
        "all_sessions" boolean NOT NULL DEFAULT false,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        "updated_at" timestamp with time zone NOT NULL DEFAULT now(),
        "last_used_at" timestamp with time zone,
        CONSTRAINT "api_tokens_pk" PRIMARY KEY ("id")
      )`);
    await runner.query(`CREATE INDEX "api_tokens_created_idx" ON "api_tokens" ("created_at", "id")`);
    await runner.query(`CREATE UNIQUE INDEX "api_tokens_secret_hash_key" ON "api_tokens" ("secret_hash")`);
    await runner.query(`
      CREATE TABLE "api_token_apps" (
        "token_id" uuid NOT NULL,
        "app_id" uuid NOT NULL,
        CONSTRAINT "api_token_apps_pk" PRIMARY KEY ("token_id", "app_id"),
        CONSTRAINT "api_token_apps_token_fk" FOREIGN KEY ("token_id") REFERENCES "api_tokens" ("id") ON DELETE CASCADE,
        CONSTRAINT "api_token_apps_app_fk" FOREIGN KEY ("app_id") REFERENCES "apps" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX "api_token_apps_app_idx" ON "api_token_apps" ("app_id")`);
    await runner.query(`
      CREATE TABLE "api_token_sessions" (
        "token_id" uuid NOT NULL,
        "session_id" uuid NOT NULL,
        CONSTRAINT "api_token_sessions_pk" PRIMARY KEY ("token_id", "session_id"),
        CONSTRAINT "api_token_sessions_token_fk"
          FOREIGN KEY ("token_id") REFERENCES "api_tokens" ("id") ON DELETE CASCADE,
        CONSTRAINT "api_token_sessions_session_fk"
          FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX "api_token_sessions_session_idx" ON "api_token_sessions" ("session_id")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
