import { randomBytes } from 'node:crypto';
import { SecretBox } from '../src/common/crypto/secret-box.js';
import { createDataSource, prepareDatabase } from '../src/common/db/database.js';
import { MasterKeyMismatchError } from '../src/common/errors/index.js';
import { SCHEMA, type TestDatabase, createDatabase } from './support/database.js';

describe('migrations', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createDatabase({ empty: true });
  });

  afterEach(() => database.drop());

  async function prepare(box?: SecretBox): Promise<void> {
    const dataSource = await createDataSource(database.url, SCHEMA).initialize();
    try {
      await prepareDatabase(dataSource, box);
    } finally {
      await dataSource.destroy();
    }
  }

  it('make exactly what the entities say', async () => {
    const dataSource = await createDataSource(database.url, SCHEMA).initialize();
    try {
      await prepareDatabase(dataSource, undefined);
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);
    } finally {
      await dataSource.destroy();
    }
  });

  it('are applied once by processes that start together', async () => {
    await Promise.all([prepare(), prepare(), prepare()]);
    const rows = await database.query<{ name: string }>('SELECT name FROM migrations');
    expect(rows).toHaveLength(SCHEMA.migrations.length);
  });

  it('leave an up-to-date database as it is', async () => {
    await prepare();
    await database.query("INSERT INTO apps (id, api_id, api_hash_sealed) VALUES (gen_random_uuid(), 1, 'x')");
    await prepare();
    expect(await database.query('SELECT 1 FROM apps')).toHaveLength(1);
  });

  it('never start on a database that another MASTER_KEY sealed, and change nothing there', async () => {
    await prepare(new SecretBox(Buffer.alloc(32, 1)));
    const before = await database.query('SELECT * FROM key_check');
    await database.query('DELETE FROM migrations');
    await expect(prepare(new SecretBox(randomBytes(32)))).rejects.toBeInstanceOf(MasterKeyMismatchError);
    expect(await database.query('SELECT * FROM key_check')).toEqual(before);
    expect(await database.query('SELECT * FROM migrations')).toEqual([]);
  });

  it('accept the key that sealed the database', async () => {
    const box = new SecretBox(randomBytes(32));
    await prepare(box);
    await expect(prepare(box)).resolves.toBeUndefined();
  });
});
