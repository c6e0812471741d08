import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createDataSource, prepareDatabase } from '../../src/common/db/database.js';
import { KeyCheckEntity } from '../../src/common/db/key-check.entity.js';
import { MIGRATIONS } from '../../src/migrations/index.js';
import { ENTITIES } from '../../src/roles/app.module.js';

/** What the product's data source has. */
export const SCHEMA = { entities: [KeyCheckEntity, ...ENTITIES], migrations: MIGRATIONS };

/** A database of its own for a test file. */
export interface TestDatabase {
  readonly url: string;
  query<Row extends object>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /** Cuts every connection to it and removes it. */
  drop(): Promise<void>;
}

const LOCK = 1;
const TEMPLATE = `template_${MIGRATIONS.length}`;

/** The server that the global set-up started. */
function serverUrl(database: string): string {
  const text = process.env['TEST_POSTGRES_URL'];
  if (text === undefined) throw new Error('there is no TEST_POSTGRES_URL: the global set-up has not run');
  const url = new URL(text);
  url.pathname = `/${database}`;
  return url.href;
}

async function withClient<T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl(database) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A new database: migrated, or empty for the tests of the migrations. */
export async function createDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await withClient('postgres', async (client) => {
    if (empty) {
      await client.query(`CREATE DATABASE ${name}`);
      return;
    }
    // Test files run side by side, and the first one migrates the template for all.
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [TEMPLATE]);
    if (rowCount === 0) await createTemplate(client);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  });
  const pool = new pg.Pool({ connectionString: serverUrl(name), max: 2 });
  // The database may be dropped, or its connections cut, under an idle client.
  pool.on('error', () => undefined);
  return {
    url: serverUrl(name),
    query: async <Row extends object>(sql: string, parameters: unknown[] = []) =>
      (await pool.query<Row & pg.QueryResultRow>(sql, parameters)).rows,
    drop: async () => {
      await pool.end();
      await withClient('postgres', (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}

async function createTemplate(client: pg.Client): Promise<void> {
  const half = `${TEMPLATE}_half`;
  await client.query(`DROP DATABASE IF EXISTS ${half}`);
  await client.query(`CREATE DATABASE ${half}`);
  const dataSource = await createDataSource(serverUrl(half), SCHEMA).initialize();
  try {
    await prepareDatabase(dataSource, undefined);
  } finally {
    await dataSource.destroy();
  }
  await client.query(`ALTER DATABASE ${half} RENAME TO ${TEMPLATE}`);
}
