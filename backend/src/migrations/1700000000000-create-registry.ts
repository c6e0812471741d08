import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The registry: what may be used (apps, proxies), what runs (sessions) and who runs it (workers). */
export class CreateRegistry1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "key_check" (
        "id" smallint NOT NULL,
        "sealed" text NOT NULL,
        CONSTRAINT "key_check_pk" PRIMARY KEY ("id"),
        CONSTRAINT "key_check_single_row" CHECK ("id" = 1)
      )`);
    await runner.query(`
      CREATE TABLE "apps" (
        "id" uuid NOT NULL,
        "api_id" integer NOT NULL,
        "api_hash_sealed" text NOT NULL,
        "label" text,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        "updated_at" timestamp with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "apps_pk" PRIMARY KEY ("id"),
        CONSTRAINT "apps_api_id_positive" CHECK ("api_id" > 0)
      )`);
    await runner.query(`CREATE INDEX "apps_created_idx" ON "apps" ("created_at", "id")`);
    await runner.query(`
      CREATE TABLE "proxies" (
        "id" uuid NOT NULL,
        "type" text NOT NULL,
        "host" text NOT NULL,
        "port" integer NOT NULL,
        "username" text,
        "secret_sealed" text,
        "label" text,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        "updated_at" timestamp with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "proxies_pk" PRIMARY KEY ("id"),
        CONSTRAINT "proxies_type_known" CHECK ("type" IN ('socks5', 'http', 'mtproto')),
        CONSTRAINT "proxies_port_valid" CHECK ("port" BETWEEN 1 AND 65535)
      )`);
    await runner.query(`CREATE INDEX "proxies_created_idx" ON "proxies" ("created_at", "id")`);
    await runner.query(`
      CREATE TABLE "workers" (
        "id" text NOT NULL,
        "instance" uuid NOT NULL,
        "addr" text NOT NULL,
        "pid" integer NOT NULL,
        "capacity" integer NOT NULL,
        "started_at" timestamp with time zone NOT NULL,
        "last_seen_at" timestamp with time zone NOT NULL,
        "expires_at" timestamp with time zone NOT NULL,
        CONSTRAINT "workers_pk" PRIMARY KEY ("id")
      )`);
    await runner.query(`
      CREATE TABLE "sessions" (
        "id" uuid NOT NULL,
        "kind" text NOT NULL,
        "app_id" uuid NOT NULL,
        "proxy_id" uuid,
        "phone" text,
        "bot_id" bigint,
        "username" text,
        "bot_token_sealed" text,
        "db_key_sealed" text NOT NULL,
        "label" text,
        "allow_duplicate" boolean NOT NULL DEFAULT false,
        "status" text NOT NULL,
        "since" timestamp with time zone NOT NULL DEFAULT now(),
        "last_error" text,
        "health" text NOT NULL DEFAULT 'ok',
        "health_cause" text,
        "worker_id" text,
        "epoch" integer NOT NULL DEFAULT 0,
        "is_premium" boolean,
        "frozen" boolean NOT NULL DEFAULT false,
        "frozen_since" timestamp with time zone,
        "deletion_date" timestamp with time zone,
        "appeal_link" text,
        "spam_limited" boolean NOT NULL DEFAULT false,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        "updated_at" timestamp with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "sessions_pk" PRIMARY KEY ("id"),
        CONSTRAINT "sessions_app_fk" FOREIGN KEY ("app_id") REFERENCES "apps" ("id"),
        CONSTRAINT "sessions_proxy_fk" FOREIGN KEY ("proxy_id") REFERENCES "proxies" ("id"),
        CONSTRAINT "sessions_kind_known" CHECK ("kind" IN ('bot', 'user')),
        CONSTRAINT "sessions_health_known" CHECK ("health" IN ('ok', 'degraded', 'down')),
        CONSTRAINT "sessions_status_known" CHECK ("status" IN (
          'connecting', 'awaiting_code', 'awaiting_password', 'awaiting_qr', 'awaiting_email', 'awaiting_email_code',
          'awaiting_registration', 'authorized', 'stopped', 'logged_out', 'banned', 'expired', 'error'))
      )`);
    await runner.query(`CREATE INDEX "sessions_created_idx" ON "sessions" ("created_at", "id")`);
    await runner.query(`CREATE INDEX "sessions_app_idx" ON "sessions" ("app_id")`);
    await runner.query(`CREATE INDEX "sessions_proxy_idx" ON "sessions" ("proxy_id")`);
    await runner.query(`CREATE INDEX "sessions_worker_idx" ON "sessions" ("worker_id", "status")`);
    await runner.query(
      `CREATE UNIQUE INDEX "sessions_bot_id_key" ON "sessions" ("bot_id") WHERE NOT "allow_duplicate"`,
    );
    await runner.query(`
      CREATE UNIQUE INDEX "sessions_pending_phone_key" ON "sessions" ("phone") WHERE "status" IN (
        'connecting', 'awaiting_code', 'awaiting_password', 'awaiting_email', 'awaiting_email_code',
        'awaiting_registration')`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
