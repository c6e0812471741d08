import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who did what, when, from where, to which object. Nothing refers to it and it refers to nothing: it outlives what it tells of. */
export class CreateAudit1700000600001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "audit_events" (
        "id" uuid NOT NULL,
        "created_at" timestamp(3) with time zone NOT NULL,
        "actor" text NOT NULL,
        "token_id" uuid,
        "token_name" text,
        "address" text NOT NULL,
        "request_id" text NOT NULL,
        "action" text NOT NULL,
        "object_type" text,
        "object_id" text,
        "session_id" text,
        "status" integer NOT NULL,
        "code" text,
        "details" jsonb NOT NULL,
        "count" integer NOT NULL,
        CONSTRAINT "audit_events_pk" PRIMARY KEY ("id"),
        CONSTRAINT "audit_events_actor_known" CHECK ("actor" IN ('master', 'console', 'token', 'nobody', 'system'))
      )`);
    await runner.query(`CREATE INDEX "audit_events_created_idx" ON "audit_events" ("created_at", "id")`);
    await runner.query(`CREATE INDEX "audit_events_action_idx" ON "audit_events" ("action", "created_at")`);
    await runner.query(`CREATE INDEX "audit_events_object_idx" ON "audit_events" ("object_id", "created_at")`);
    await runner.query(`CREATE INDEX "audit_events_session_idx" ON "audit_events" ("session_id", "created_at")`);
    await runner.query(`CREATE INDEX "audit_events_request_idx" ON "audit_events" ("request_id")`);
    await runner.query(`CREATE INDEX "audit_events_token_idx" ON "audit_events" ("token_id", "created_at")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
