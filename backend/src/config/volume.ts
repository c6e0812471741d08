import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../common/errors/thrown.js';

/**
 * What tells this DATA_DIR from every other one: a file in it, made by the first worker that uses it. Without STATE_STORE sessions can go
 * from one worker to another only where both have it.
 */
export function volumeOf(dataDir: string): string {
  const path = join(dataDir, 'volume');
  try {
    // Whole or not at all, as far as another worker that starts now can see: it is shorter than a block.
    writeFileSync(path, randomUUID(), { flag: 'wx', mode: 0o644 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8').trim();
}
