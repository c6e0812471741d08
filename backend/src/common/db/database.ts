import pg from 'pg';
import { DataSource, type EntitySchema, type MigrationInterface } from 'typeorm';
import { MasterKeyMismatchError } from '../errors/index.js';
import { DatabaseClient } from './database-client.js';
import type { SecretBox } from '../crypto/secret-box.js';

/** A class that TypeORM maps, or a migration. */
export type EntityClass = abstract new () => object;
export type MigrationClass = new () => MigrationInterface;

export interface Schema {
  readonly entities: readonly EntityClass[];
  readonly migrations: readonly MigrationClass[];
}

const KEY_CHECK = { table: 'key_check', column: 'sealed', id: '1' };
/** Any number that is ours: processes that start together migrate one after the other. */
const MIGRATION_LOCK = 7_404_012_017;
const MIGRATION_TIMEOUT_MS = 60_000;

/** A data source that is not connected yet. Statements are given up after 15 s, connections after 5 s. */
export function createDataSource(url: string, { entities, migrations }: Schema): DataSource {
  return new DataSource({
    type: 'postgres',
    // Not one that TypeORM finds by itself: the build has put ours into its bundle.
    driver: pg,
    url,
    entities: entities as (EntitySchema | EntityClass)[] as EntitySchema[],
    migrations: [...migrations],
    migrationsTableName: 'migrations',
    applicationName: 'tgcontrol',
    connectTimeoutMS: 5000,
    poolSize: 10,
    logging: false,
    // Also on this side, since a server that was frozen or cut off never says that it gave up.
    extra: {
      Client: DatabaseClient,
      query_timeout: 15_000,
      statement_timeout: 15_000,
      // A machine that is gone says no goodbye: what it had locked would stay so until TCP gives up, after hours.
      idle_in_transaction_session_timeout: 15_000,
      keepAlive: true,
      idleTimeoutMillis: 30_000,
    },
  });
}

/**
 * Makes the database ours: refuses a wrong MASTER_KEY before anything is changed, migrates, and notes the key of a new
 * database.
 * @param box absent in a gateway, which has no key
 * @throws MasterKeyMismatchError
 */
export async function prepareDatabase(dataSource: DataSource, box: SecretBox | undefined): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query(`SET statement_timeout = ${MIGRATION_TIMEOUT_MS}`);
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    try {
      const [table] = (await runner.query(`SELECT to_regclass('key_check') AS name`)) as { name: string | null }[];
      if (box && typeof table?.name === 'string') await checkKey(dataSource, box);
      await dataSource.runMigrations({ transaction: 'each' });
      if (box) {
        await runner.query('INSERT INTO key_check (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO NOTHING', [
          box.seal('tgcontrol', KEY_CHECK),
        ]);
      }
    } finally {
      await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    }
  } finally {
    await runner.query('RESET statement_timeout').catch(() => undefined);
    await runner.release();
  }
}

async function checkKey(dataSource: DataSource, box: SecretBox): Promise<void> {
  const [row] = await dataSource.query<{ sealed: string }[]>('SELECT sealed FROM key_check WHERE id = 1');
  if (row === undefined) return;
  try {
    box.open(row.sealed, KEY_CHECK);
  } catch (error) {
    throw error instanceof MasterKeyMismatchError ? new MasterKeyMismatchError() : error;
  }
}
