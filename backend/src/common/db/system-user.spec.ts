import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canReach, unprivilegedUser } from './system-user.js';

const asRoot = process.getuid?.() === 0 ? it : it.skip;

describe('the user of PostgreSQL', () => {
  let dir: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-user-'));
  });

  afterEach(() => rmSync(dir, { recursive: true }));

  function users(...lines: string[]): string {
    const file = join(dir, 'passwd');
    writeFileSync(file, lines.join('\n'));
    return file;
  }

  const nobody = { name: 'nobody', uid: 65_534, gid: 65_533 };

  asRoot('is postgres, else nobody, else a number', () => {
    const root = 'root:x:0:0::/root:/bin/sh';
    const listed = ['nobody:x:65534:65533::/:/bin/false', 'postgres:x:101:104::/:/bin/sh'];
    expect(unprivilegedUser(users(root, ...listed))).toEqual({ name: 'postgres', uid: 101, gid: 104 });
    expect(unprivilegedUser(users(root, ...listed.slice(0, 1)))).toEqual(nobody);
    expect(unprivilegedUser(users(root))).toMatchObject({ uid: 65_534 });
  });

  it('reaches a path only when it may pass through everything above', () => {
    mkdirSync(join(dir, 'a/b'), { recursive: true });
    chmodSync(dir, 0o755);
    chmodSync(join(dir, 'a'), 0o711);
    expect(canReach(nobody, join(dir, 'a/b/c'))).toBe(true);
    chmodSync(join(dir, 'a'), 0o700);
    expect(canReach(nobody, join(dir, 'a/b/c'))).toBe(false);
    const owner = { name: 'me', uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    expect(canReach(owner, join(dir, 'a/b/c'))).toBe(true);
  });
});
