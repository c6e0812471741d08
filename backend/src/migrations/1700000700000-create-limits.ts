import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What sessions must not do for a while, how often they may do what, and what Telegram has refused them for it. */
export class CreateLimits1700000700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "limit_cooldowns" (
        "session_id" uuid NOT NULL,
        "scope" text NOT NULL,
        "started_at" timestamp with time zone NOT NULL DEFAULT now(),
        "until" timestamp with time zone NOT NULL,
        "ends_at" timestamp with time zone NOT NULL,
        "reason" text NOT NULL,
        CONSTRAINT "limit_cooldowns_pk" PRIMARY KEY ("session_id", "scope"),
        CONSTRAINT "limit_cooldowns_session_fk" FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`
      INSERT INTO "limit_cooldowns" ("session_id", "scope", "started_at", "until", "ends_at", "reason")
      SELECT "id", 'spam_limit', "spam_limited_until" - interval '24 hours', "spam_limited_until", "spam_limited_until",
             'PEER_FLOOD'
        FROM "sessions" WHERE "kind" = 'user' AND "spam_limited_until" > now()`);
    await runner.query(`
      CREATE TABLE "limit_floods" (
        "id" uuid NOT NULL,
        "session_id" uuid NOT NULL,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        "origin" text NOT NULL,
        "method" text,
        "scope" text NOT NULL,
        "chat_id" bigint,
        "code" integer NOT NULL,
        "message" text NOT NULL,
        "retry_after" bigint,
        CONSTRAINT "limit_floods_pk" PRIMARY KEY ("id"),
        CONSTRAINT "limit_floods_session_fk" FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE,
        CONSTRAINT "limit_floods_origin_known" CHECK ("origin" IN ('call', 'send'))
      )`);
    await runner.query(`CREATE INDEX "limit_floods_session_idx" ON "limit_floods" ("session_id", "created_at", "id")`);
    await runner.query(`CREATE INDEX "limit_floods_age_idx" ON "limit_floods" ("created_at")`);
    await this.createQuotas(runner);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }

  private async createQuotas(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "limit_rules" (
        "id" uuid NOT NULL,
        "kind" text,
        "session_id" uuid,
        "token_id" uuid,
        "methods" text[] NOT NULL,
        "max" bigint NOT NULL,
        "per" text NOT NULL,
        "timezone" text NOT NULL,
        "label" text,
        "enabled" boolean NOT NULL DEFAULT true,
        "created_at" timestamp(3) with time zone NOT NULL DEFAULT now(),
        "updated_at" timestamp with time zone NOT NULL DEFAULT now(),
        CONSTRAINT "limit_rules_pk" PRIMARY KEY ("id"),
        CONSTRAINT "limit_rules_session_fk" FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE,
        CONSTRAINT "limit_rules_token_fk" FOREIGN KEY ("token_id") REFERENCES "api_tokens" ("id") ON DELETE CASCADE,
        CONSTRAINT "limit_rules_kind_known" CHECK ("kind" IN ('bot', 'user')),
        CONSTRAINT "limit_rules_per_known" CHECK ("per" IN ('minute', 'hour', 'day', 'week')),
        CONSTRAINT "limit_rules_has_one_target" CHECK (num_nonnulls("kind", "session_id", "token_id") = 1),
        CONSTRAINT "limit_rules_max_positive" CHECK ("max" >= 1)
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX "limit_rules_place_key" ON "limit_rules"
        (coalesce("kind", "session_id"::text, "token_id"::text), "per", "methods")`);
    await runner.query(`CREATE INDEX "limit_rules_session_idx" ON "limit_rules" ("session_id")`);
    await runner.query(`CREATE INDEX "limit_rules_token_idx" ON "limit_rules" ("token_id")`);
    // No foreign keys: a call must not fail for a rule or a session that was removed just now. What is left goes with its window.
    await runner.query(`
      CREATE TABLE "limit_counters" (
        "session_id" uuid NOT NULL,
        "rule_id" uuid NOT NULL,
        "starts_at" timestamp with time zone NOT NULL,
        "ends_at" timestamp with time zone NOT NULL,
        "used" bigint NOT NULL,
        CONSTRAINT "limit_counters_pk" PRIMARY KEY ("session_id", "rule_id", "starts_at", "ends_at")
      ) WITH (fillfactor = 50)`);
    await runner.query(`CREATE INDEX "limit_counters_rule_idx" ON "limit_counters" ("rule_id", "ends_at")`);
    await runner.query(`CREATE INDEX "limit_counters_age_idx" ON "limit_counters" ("ends_at")`);
    // For each call, in the order of the parts, 0 when all of it was counted, else the number of the part that had no room.
    // The lock makes the calls of a session wait for each other, also those of a worker that has lost it without knowing.
    // A crash of PostgreSQL may lose what was counted in its last moments; waiting for its disk would cost each call more.
    await runner.query(`
      CREATE FUNCTION "limit_charge"(
        of_session uuid,
        window_rules uuid[], window_starts timestamp with time zone[], window_ends timestamp with time zone[],
        part_calls integer[], part_windows integer[], part_weights bigint[], part_maxes bigint[]
      ) RETURNS integer[] LANGUAGE plpgsql AS $$
      DECLARE
        counts bigint[];
        before bigint[];
        answers integer[] := '{}';
        refusing integer;
        part integer := 1;
        next_part integer;
        parts integer := coalesce(array_length(part_calls, 1), 0);
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        PERFORM pg_advisory_xact_lock(7404020, hashtext(of_session::text));
        SELECT array_agg(coalesce(c."used", 0) ORDER BY w.place) INTO counts
          FROM unnest(window_rules, window_starts, window_ends) WITH ORDINALITY AS w (rule_id, starts_at, ends_at, place)
          LEFT JOIN "limit_counters" c ON c."session_id" = of_session AND c."rule_id" = w.rule_id
                AND c."starts_at" = w.starts_at AND c."ends_at" = w.ends_at;
        before := counts;
        WHILE part <= parts LOOP
          refusing := 0;
          next_part := part;
          WHILE next_part <= parts AND part_calls[next_part] = part_calls[part] LOOP
            IF refusing = 0 AND part_weights[next_part] > 0
               AND counts[part_windows[next_part]] + part_weights[next_part] > part_maxes[next_part] THEN
              refusing := next_part;
            END IF;
            next_part := next_part + 1;
          END LOOP;
          IF refusing = 0 THEN
            FOR taken IN part .. next_part - 1 LOOP
              counts[part_windows[taken]] := greatest(0, counts[part_windows[taken]] + part_weights[taken]);
            END LOOP;
          END IF;
          answers := answers || refusing;
          part := next_part;
        END LOOP;
        INSERT INTO "limit_counters" AS c ("session_id", "rule_id", "starts_at", "ends_at", "used")
          SELECT of_session, w.rule_id, w.starts_at, w.ends_at, w.used
            FROM unnest(window_rules, window_starts, window_ends, counts, before) AS w (rule_id, starts_at, ends_at, used, former)
           WHERE w.used <> w.former
          ON CONFLICT ("session_id", "rule_id", "starts_at", "ends_at") DO UPDATE SET "used" = excluded."used";
        RETURN answers;
      END $$`);
  }
}
