import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../common/errors/index.js';

/** The id of a DATA_DIR, made when it is first asked for; who shares the folder shares the id. */
export async function homeOf(dataDir: string): Promise<string> {
  const path = join(dataDir, 'state-home');
  const half = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(half, randomUUID(), { mode: 0o600, flush: true });
  try {
    await link(half, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(half, { force: true });
  }
  return readFile(path, 'utf8');
}
