import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each table of these has as many parts, of four hours each; what is older than a day is removed by emptying a part. */
const PARTS = 8;

/** Who wants which updates, the updates themselves, and what has to be delivered of them. */
export class CreateSubscriptions1700000400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "subscriptions" (
        "id" uuid NOT NULL,
        "session_id" uuid NOT NULL,
        "token_id" uuid,
        "kind" text NOT NULL,
        "url" text,
        "secret_sealed" text,
        "former_secret_sealed" text,
        "former_secret_until" timestamp with time zone,
        "filters" jsonb NOT NULL,
        "delivery_order" text NOT NULL,
        "max_connections" integer NOT NULL,
        "enabled" boolean NOT NULL DEFAULT true,
        "disabled_reason" text,
        "lane_worker" text,
        "lane_epoch" integer NOT NULL DEFAULT 0,
        "delivered" bigint NOT NULL DEFAULT 0,
        "attempts" bigint NOT NULL DEFAULT 0,
        "dropped" bigint NOT NULL DEFAULT 0,
        "last_delivered_at" timestamp with time zone,
        "last_error" text,
        "last_error_at" timestamp with time zone,
        "failing_since" timestamp with time zone,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        "updated_at" timestamp with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "subscriptions_pk" PRIMARY KEY ("id"),
        CONSTRAINT "subscriptions_session_fk" FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE,
        CONSTRAINT "subscriptions_token_fk" FOREIGN KEY ("token_id") REFERENCES "api_tokens" ("id") ON DELETE CASCADE,
        CONSTRAINT "subscriptions_kind_known" CHECK ("kind" IN ('webhook', 'stream')),
        CONSTRAINT "subscriptions_order_known" CHECK ("delivery_order" IN ('none', 'chat')),
        CONSTRAINT "subscriptions_webhook_has_target" CHECK
          (("kind" = 'webhook') = ("url" IS NOT NULL) AND ("url" IS NULL) = ("secret_sealed" IS NULL))
      )`);
    await runner.query(
      `CREATE INDEX "subscriptions_session_idx" ON "subscriptions" ("session_id", "created_at", "id")`,
    );
    await runner.query(`CREATE INDEX "subscriptions_token_idx" ON "subscriptions" ("token_id")`);
    await runner.query(`
      CREATE TABLE "event_tickets" (
        "hash" bytea NOT NULL,
        "token_id" uuid,
        "expires_at" timestamp with time zone NOT NULL,
        CONSTRAINT "event_tickets_pk" PRIMARY KEY ("hash"),
        CONSTRAINT "event_tickets_token_fk" FOREIGN KEY ("token_id") REFERENCES "api_tokens" ("id") ON DELETE CASCADE
      )`);
    await this.createUpdates(runner);
    await this.createDeliveries(runner);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }

  private async createUpdates(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION "update_part"(at timestamp with time zone) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
        AS $$ SELECT (floor(extract(epoch FROM at) / 14400)::bigint % ${PARTS})::smallint $$`);
    // No foreign key: what a removed session leaves is unreachable at once, and gone with its part.
    await runner.query(`
      CREATE TABLE "updates" (
        "part" smallint NOT NULL,
        "id" uuid NOT NULL,
        "session_id" uuid NOT NULL,
        "type" text NOT NULL,
        "at" timestamp(3) with time zone NOT NULL,
        "payload" text NOT NULL,
        CONSTRAINT "updates_pk" PRIMARY KEY ("part", "id")
      ) PARTITION BY LIST ("part")`);
    await runner.query(`CREATE INDEX "updates_session_idx" ON "updates" ("session_id", "at")`);
    await this.createParts(runner, 'updates');
  }

  private async createDeliveries(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE SEQUENCE "deliveries_seq" AS bigint`);
    await runner.query(`
      CREATE TABLE "deliveries" (
        "part" smallint NOT NULL,
        "id" uuid NOT NULL,
        "seq" bigint NOT NULL DEFAULT nextval('deliveries_seq'),
        "subscription_id" uuid NOT NULL,
        "update_id" uuid NOT NULL,
        "chat_id" bigint,
        "status" text NOT NULL,
        "attempts" integer NOT NULL DEFAULT 0,
        "due_at" timestamp with time zone,
        "claim_epoch" integer,
        "was_probe" boolean NOT NULL DEFAULT false,
        "log" jsonb NOT NULL DEFAULT '[]',
        "decided_at" timestamp(3) with time zone,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "deliveries_pk" PRIMARY KEY ("part", "id"),
        CONSTRAINT "deliveries_subscription_fk" FOREIGN KEY ("subscription_id")
          REFERENCES "subscriptions" ("id") ON DELETE CASCADE,
        CONSTRAINT "deliveries_status_known" CHECK ("status" IN ('pending', 'delivered', 'failed', 'stored'))
      ) PARTITION BY LIST ("part")`);
    await runner.query(`CREATE INDEX "deliveries_order_idx" ON "deliveries" ("subscription_id", "seq")`);
    await runner.query(
      `CREATE INDEX "deliveries_open_idx" ON "deliveries" ("subscription_id", "status", "seq")
        WHERE "status" IN ('pending', 'failed')`,
    );
    await this.createParts(runner, 'deliveries');
  }

  private async createParts(runner: QueryRunner, table: string): Promise<void> {
    for (let part = 0; part < PARTS; part += 1) {
      await runner.query(`CREATE TABLE "${table}_${part}" PARTITION OF "${table}" FOR VALUES IN (${part})`);
    }
  }
}
