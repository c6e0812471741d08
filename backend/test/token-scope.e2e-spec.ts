import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type DataSource } from 'typeorm';
import type { TokenScope } from '../src/common/http/index.js';
import { SessionEntity } from '../src/modules/sessions/index.js';
import { coverageSql, covers } from '../src/modules/tokens/token-scope.js';
import { createDataSource } from '../src/common/db/database.js';
import { type TestDatabase, SCHEMA, createDatabase } from './support/database.js';

describe('the scope of a token', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  const apps = Array.from({ length: 4 }, () => randomUUID());
  const sessions = Array.from({ length: 12 }, (_, index) => ({ id: randomUUID(), appId: apps[index % 3] ?? '' }));

  beforeAll(async () => {
    database = await createDatabase();
    dataSource = await createDataSource(database.url, SCHEMA).initialize();
    for (const id of apps) {
      await database.query(`INSERT INTO apps (id, api_id, api_hash_sealed) VALUES ($1, 1, 'x')`, [id]);
    }
    for (const { id, appId } of sessions) {
      await database.query(
        `INSERT INTO sessions (id, kind, app_id, db_key_sealed, status) VALUES ($1, 'bot', $2, 'x', 'stopped')`,
        [id, appId],
      );
    }
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const strangers = [randomUUID(), randomUUID()];
  const someOf = (ids: readonly string[]): fc.Arbitrary<ReadonlySet<string>> =>
    fc.subarray([...ids, ...strangers]).map((chosen) => new Set(chosen));
  const scopes: fc.Arbitrary<TokenScope> = fc.record({
    allSessions: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
    sessionIds: someOf(sessions.map(({ id }) => id)),
    appIds: someOf(apps),
  });

  it('covers in a list exactly what it covers in a grant, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(scopes, async (scope) => {
        const { sql, parameters } = coverageSql(scope, 'session');
        const listed = await dataSource.createQueryBuilder(SessionEntity, 'session').where(sql, parameters).getMany();
        const granted = sessions.filter((session) => covers(scope, session));
        expect(listed.map(({ id }) => id).sort()).toEqual(granted.map(({ id }) => id).sort());
      }),
      { numRuns: 300 },
    );
  });

  it('is the union of its parts, and nothing when it is empty', () => {
    const [session] = sessions;
    if (!session) throw new Error('there is no session');
    const nothing = { allSessions: false, sessionIds: new Set<string>(), appIds: new Set<string>() };
    expect(covers(nothing, session)).toBe(false);
    expect(covers({ ...nothing, allSessions: true }, session)).toBe(true);
    expect(covers({ ...nothing, sessionIds: new Set([session.id]) }, session)).toBe(true);
    expect(covers({ ...nothing, appIds: new Set([session.appId]) }, session)).toBe(true);
    expect(covers({ ...nothing, appIds: new Set([session.appId]) }, { id: session.id, appId: undefined })).toBe(false);
  });
});
