import { rmSync } from 'node:fs';
import { dirname } from 'node:path';

export default async function globalTeardown() {
  const { postgres, dir } = globalThis.testPostgres;
  await postgres.stop();
  rmSync(dirname(dir), { recursive: true, force: true });
}
