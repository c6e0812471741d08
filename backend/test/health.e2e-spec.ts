import { type TestApp, startApp } from './support/app.js';
import { until } from './support/until.js';

describe.each(['gateway', 'worker', 'all'] as const)('health of the role %s', (role) => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ role });
  });

  afterAll(() => app.stop());

  it('is alive as plain text, without a token', async () => {
    const answer = await app.http().get('/healthz').expect(200);
    expect(answer.text).toBe('ok\n');
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
  });

  it('is ready and says what it looked at', async () => {
    const answer = await app.http().get('/readyz').expect(200);
    const { checks } = (answer.body as { result: { checks: string[] } }).result;
    expect(checks).toEqual(expect.arrayContaining(['database', 'clock', 'migrations']));
    if (role !== 'gateway') expect(checks).toEqual(expect.arrayContaining(['lease', 'disk', 'tdlib']));
  });

  it('is not ready while migrations are missing, names the cause, and recovers', async () => {
    const rows = await app.database.query<{ id: number; timestamp: string; name: string }>(
      'DELETE FROM migrations RETURNING *',
    );
    const answer = await app.http().get('/readyz').expect(503);
    expect(answer.body).toMatchObject({
      ok: false,
      error: { code: 'not_ready', details: { causes: { migrations: 'migrations are pending' } } },
    });
    await app.database.query('INSERT INTO migrations SELECT * FROM jsonb_populate_recordset(NULL::migrations, $1)', [
      JSON.stringify(rows),
    ]);
    await until('readiness', async () => (await app.http().get('/readyz')).status === 200);
  });
});
