import { chmodSync, existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locateBinaries } from './postgres-binaries.js';

describe('the programs of PostgreSQL', () => {
  let dir: string;
  let native: string;
  let copies: string;
  const somebody = { name: 'somebody', uid: 4242, gid: 4242 };

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-binaries-'));
    chmodSync(dir, 0o755);
    native = join(dir, 'package', 'native');
    copies = join(dir, 'copies');
    for (const folder of ['bin', 'lib']) mkdirSync(join(native, folder), { recursive: true });
    for (const program of ['initdb', 'postgres']) writeFileSync(join(native, 'bin', program), '', { mode: 0o755 });
    writeFileSync(join(native, 'lib', 'libx.so.1.2'), '');
    writeFileSync(join(dir, 'package', 'package.json'), '{"version":"18.4.0"}');
    const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
    writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links));
  });

  afterEach(() => rmSync(dir, { recursive: true }));

  it('get the links that a skipped install script did not make, and run where they are', () => {
    expect(locateBinaries(undefined, copies, native).postgres).toBe(join(native, 'bin/postgres'));
    expect(readlinkSync(join(native, 'lib/libx.so.1'))).toBe('libx.so.1.2');
    expect(locateBinaries(somebody, copies, native).initdb).toBe(join(native, 'bin/initdb'));
    expect(existsSync(copies)).toBe(false);
  });

  it('are copied once, with their links, for a user who cannot reach them', () => {
    chmodSync(join(dir, 'package'), 0o700);
    const { postgres } = locateBinaries(somebody, copies, native);
    expect(postgres).toBe(join(copies, 'postgresql-18.4.0/native/bin/postgres'));
    expect(readlinkSync(join(copies, 'postgresql-18.4.0/native/lib/libx.so.1'))).toBe('libx.so.1.2');
    writeFileSync(join(copies, 'postgresql-18.4.0/mark'), '');
    locateBinaries(somebody, copies, native);
    expect(existsSync(join(copies, 'postgresql-18.4.0/mark'))).toBe(true);
  });
});
