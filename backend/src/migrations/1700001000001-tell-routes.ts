import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Gateways remember where sessions are. Whatever changes that tells them, whoever has changed it. */
export class TellRoutes1700001000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION "tell_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_notify('tgcontrol', TG_ARGV[0] || ' ' || coalesce(NEW.id, OLD.id));
          RETURN NULL;
        END $$`);
    await runner.query(`
      CREATE TRIGGER "sessions_routed" AFTER INSERT OR DELETE ON "sessions"
        FOR EACH ROW EXECUTE FUNCTION "tell_changed"('session_routed')`);
    await runner.query(`
      CREATE TRIGGER "sessions_rerouted" AFTER UPDATE OF "worker_id", "epoch", "status" ON "sessions" FOR EACH ROW
        WHEN (OLD.worker_id IS DISTINCT FROM NEW.worker_id OR OLD.epoch <> NEW.epoch OR OLD.status <> NEW.status)
        EXECUTE FUNCTION "tell_changed"('session_routed')`);
    await runner.query(`
      CREATE TRIGGER "workers_rerouted" AFTER UPDATE OF "addr" OR DELETE ON "workers"
        FOR EACH ROW EXECUTE FUNCTION "tell_changed"('worker_routed')`);
  }

  /** Migrations only go forward: an older version is restored with its database, from a backup. */
  down(): Promise<void> {
    return Promise.reject(new Error('migrations only go forward'));
  }
}
