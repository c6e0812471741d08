import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The attempts of each subscription by the hour: what went well within a day, without looking at its deliveries. */
export class CountByHour1700000500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // `hour` is Unix time in hours.
    await runner.query(`
      CREATE TABLE "subscription_hours" (
        "subscription_id" uuid NOT NULL,
        "hour" integer NOT NULL,
        "attempts" integer NOT NULL,
        "delivered" integer NOT NULL,
        CONSTRAINT "subscription_hours_pk" PRIMARY KEY ("subscription_id", "hour"),
        CONSTRAINT "subscription_hours_subscription_fk" FOREIGN KEY ("subscription_id")
          REFERENCES "subscriptions" ("id") ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX "subscription_hours_hour_idx" ON "subscription_hours" ("hour")`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
