import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireUnlocked } from './database-lock.js';

describe('requireUnlocked', () => {
  it('lets pass a database that nobody has open, and one that is not there yet', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tgcontrol-lock-'));
    await requireUnlocked(directory);
    writeFileSync(join(directory, 'td.binlog'), '');
    await requireUnlocked(directory);
    rmSync(directory, { recursive: true });
  });
});
