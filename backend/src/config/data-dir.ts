import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf, messageOf } from '../common/errors/thrown.js';
import { ConfigError } from './config-error.js';

/** This process's right to a DATA_DIR. */
export interface DataDirLock {
  release(): void;
}

/** What tells a process from a later one with the same number: its number and the moment it started, as Linux counts. */
function identityOf(pid: number): string | undefined {
  try {
    // After the name in parentheses, which may hold anything, the 20th field is the start time.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return `${pid} ${fields[19] ?? ''}`;
  } catch {
    return undefined;
  }
}

function isHeld(holder: string): boolean {
  const pid = Number(holder.split(' ')[0]);
  if (!Number.isInteger(pid) || pid < 1 || pid === process.pid) return false;
  if (existsSync('/proc/self/stat')) return identityOf(pid) === holder;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes the directory when it is missing.
 * @throws ConfigError when it cannot be made or written
 */
export function prepareDataDir(dataDir: string): void {
  try {
    makeDirectory(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    tryRename(dataDir);
  } catch (error) {
    throw notWritable(dataDir, error);
  }
}

/** TDLib replaces its databases by renaming; some network file systems and full disks let nobody do that. */
function tryRename(dataDir: string): void {
  const from = join(dataDir, `.rename-test-${process.pid}`);
  const to = `${from}-done`;
  try {
    writeFileSync(from, 'tgcontrol', { mode: 0o600 });
    renameSync(from, to);
  } finally {
    rmSync(from, { force: true });
    rmSync(to, { force: true });
  }
}

/**
 * Not mkdir's own `recursive`: where a file system answers ENOENT to the making of a directory, as /proc does, Node
 * tries the parent and the directory by turns for ever.
 */
function makeDirectory(dir: string, mode: number): void {
  if (isDirectory(dir)) return;
  const parent = dirname(dir);
  if (parent !== dir) makeDirectory(parent, mode);
  try {
    mkdirSync(dir, { mode });
  } catch (error) {
    // Another process that starts at the same time may have been the first.
    if (!isDirectory(dir)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function notWritable(dataDir: string, error: unknown): ConfigError {
  return new ConfigError([`DATA_DIR ${dataDir} is not writable: ${messageOf(error)}${remedyFor(dataDir, error)}`]);
}

/** The command that helps, where one is known. */
function remedyFor(dataDir: string, error: unknown): string {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return `. This process is user ${process.getuid?.() ?? 'unknown'}: chown -R ${process.getuid?.() ?? 'USER'} ${dataDir}`;
    case 'ENOSPC':
      return `. Its disk is full: df -h ${dataDir}`;
    case 'EROFS':
      return `. It is mounted read-only: mount | grep ${dataDir}`;
    default:
      return '';
  }
}

/**
 * Keeps every other process out of a directory that is there: two would run one PostgreSQL twice.
 * @throws ConfigError when it is not writable or held by a living process
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const path = join(dataDir, 'tgcontrol.pid');
  for (let attempt = 1; ; attempt++) {
    try {
      const file = openSync(path, 'wx', 0o644);
      writeSync(file, identityOf(process.pid) ?? String(process.pid));
      closeSync(file);
      return { release: () => rmSync(path, { force: true }) };
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw notWritable(dataDir, error);
    }
    const holder = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
    if (isHeld(holder) || attempt > 5) {
      throw new ConfigError([`DATA_DIR ${dataDir} is used by the running process ${holder.split(' ')[0] ?? ''}`]);
    }
    rmSync(path, { force: true });
  }
}
