// One PostgreSQL for all suites of a run. Its supervisor is the product's own, from dist: test files are CommonJS and
// compiled by jest, and this file is neither.
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SUPERVISOR = new URL('../dist/common/db/embedded-postgres.js', import.meta.url);

export default async function globalSetup() {
  if (!existsSync(SUPERVISOR)) throw new Error('the backend is not built: run `npm run build -w @tgcontrol/backend`');
  const { EmbeddedPostgres } = await import(SUPERVISOR.href);
  const dir = join(mkdtempSync(join(tmpdir(), 'tgcontrol-test-')), 'postgres');
  const postgres = await EmbeddedPostgres.start({ dir, password: 'test', volatile: true, maxConnections: 300 });
  process.env.TEST_POSTGRES_URL = postgres.url;
  globalThis.testPostgres = { postgres, dir };
}
