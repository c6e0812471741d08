import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, TdlibError } from '../common/errors/index.js';

/**
 * Where TDLib keeps the authorization key, in the test DC under the other name. The new ones are to be put in the old ones' place: a
 * crash meanwhile may leave a new one only, which TDLib takes then (Binlog::do_reindex). It locks either.
 */
export const BINLOGS: readonly string[] = ['td.binlog', 'td.binlog.new', 'td_test.binlog', 'td_test.binlog.new'];
/** A process that is being ended gives its locks up within moments. */
const PATIENCE_MS = 500;
const PAUSE_MS = 50;
const READS = 5;

/**
 * Makes sure that no other process of this machine has TDLib's lock on a database, before TDLib is asked to open it: TDLib waits for
 * the lock for ten seconds with the file open, and when its holder puts a new binlog in the old one's place meanwhile, gets the lock of
 * the old one and runs beside the holder (FileFd::lock, Binlog::do_reindex). What the kernel does not show, locks of other machines
 * and of other namespaces of process ids, is left to TDLib.
 * @throws TdlibError as TDLib itself refuses a database that is in use
 */
export async function requireUnlocked(directory: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const locked = await lockedBinlog(directory);
    if (locked === undefined) return;
    if (performance.now() > deadline) {
      throw new TdlibError(
        400,
        `Can't lock file "${locked}", because it is already in use; check for another program instance running`,
      );
    }
    await sleep(PAUSE_MS);
  }
}

/** @returns the path of the one that another process has locked */
async function lockedBinlog(directory: string): Promise<string | undefined> {
  let before = await filesIn(directory);
  for (let read = 0; read < READS; read += 1) {
    const locked = await lockedByOthers();
    const held = [...before].find(([, file]) => locked.has(file));
    if (held !== undefined) return held[0];
    // Another file may have come in its place while the locks were read.
    const after = await filesIn(directory);
    if ([...after].every(([path, file]) => before.get(path) === file)) return undefined;
    before = after;
  }
  return join(directory, 'td.binlog');
}

/** By path, as {@link lockedByOthers} names files. */
async function filesIn(directory: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const name of BINLOGS) {
    const path = join(directory, name);
    try {
      const { dev, ino } = await stat(path, { bigint: true });
      found.set(path, `${majorOf(dev)}:${minorOf(dev)}:${ino}`);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  return found;
}

/** The files that other processes hold POSIX locks on, by device and inode (proc_locks(5)). */
async function lockedByOthers(): Promise<ReadonlySet<string>> {
  const text = await readFile('/proc/locks', 'utf8').catch(() => '');
  const files = new Set<string>();
  for (const line of text.split('\n')) {
    const [, owner, major, minor, inode] =
      /^\d+: POSIX +\S+ +WRITE +(\d+) +([0-9a-f]+):([0-9a-f]+):(\d+) /.exec(line) ?? [];
    if (owner === undefined || major === undefined || minor === undefined || Number(owner) === process.pid) continue;
    files.add(`${Number.parseInt(major, 16)}:${Number.parseInt(minor, 16)}:${inode}`);
  }
  return files;
}

/** Of a device number as glibc packs it (makedev(3)). */
function majorOf(dev: bigint): bigint {
  return ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & 0xfffff000n);
}

function minorOf(dev: bigint): bigint {
  return (dev & 0xffn) | ((dev >> 12n) & 0xffffff00n);
}
