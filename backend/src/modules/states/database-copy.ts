import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../common/errors/index.js';

/** A copy of the database of a session. */
export interface DatabaseCopy {
  /** Whether all of it was copied; else it is the binlog alone. */
  readonly isWhole: boolean;
  /** Tells whether a later state of the folder is another one. */
  readonly mark: string;
}

/** How a database is copied. */
export interface CopyOptions {
  /** What to do when SQLite never leaves its database alone for long enough: take the binlog alone, or nothing. */
  readonly orBinlog: boolean;
  /** How long to try, in milliseconds. */
  readonly patienceMs: number;
}

/** Clocks of file systems tick every few milliseconds: a later write than so long after the last one has another time. */
const TICK_MS = 100;
const POLL_MS = 50;
/** Of the header of SQLite's log, which has its salts. */
const HEADER_BYTES = 32;

const BINLOG = /^td(_test)?\.binlog$/;
/** Shared memory of the processes that have a SQLite database open: made anew from the log by who opens it. */
const NOT_COPIED = /-shm$/;

/**
 * Copies the database of a session into a new folder, also while TDLib has it open.
 *
 * TDLib appends to its binlog, and puts a new one in its place when it has grown; one that is cut in its last entry opens without
 * that entry (Binlog.cpp). The rest is SQLite with a write-ahead log (TdDb.cpp): the log is only appended to, and what is cut of it
 * after its last commit is ignored, until a checkpoint writes its pages to the database and it begins anew with other salts
 * (https://www.sqlite.org/fileformat2.html#walformat). So a copy of both is whole if the database was not written and the log has
 * the same header before and after. The binlog is copied first: TDLib takes an entry out of it when SQLite has its effect, and does
 * again what it finds there.
 *
 * The binlog has the authorization and what is still to be sent. The rest a user account can fetch from Telegram again; a bot knows
 * chats only from there until they write to it.
 * @returns undefined when SQLite did not leave its database alone, or there is none
 */
export async function copyDatabase(from: string, to: string, options: CopyOptions): Promise<DatabaseCopy | undefined> {
  const deadline = performance.now() + options.patienceMs;
  for (;;) {
    const before = await look(from);
    if (!before.hasBinlog) return undefined;
    if (before.isSettled && (await copyAll(from, to, before.names))) {
      const { anchor } = await look(from);
      if (anchor === before.anchor) return { isWhole: true, mark: before.mark };
    }
    if (performance.now() >= deadline) {
      const binlogs = before.names.filter((name) => BINLOG.test(name));
      return options.orBinlog && (await copyAll(from, to, binlogs)) ? { isWhole: false, mark: '' } : undefined;
    }
    await sleep(POLL_MS);
  }
}

/** What {@link DatabaseCopy.mark} would be of a copy made now. */
export async function markOf(database: string): Promise<string> {
  return (await look(database)).mark;
}

interface Look {
  /** The binlog first. */
  readonly names: readonly string[];
  readonly hasBinlog: boolean;
  /** What must be the same before and after a copy. */
  readonly anchor: string;
  /** Whether a write from now on would change the anchor. */
  readonly isSettled: boolean;
  /** Changes with everything that is written. */
  readonly mark: string;
}

async function look(dir: string): Promise<Look> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries
    .flatMap((entry) => (entry.isFile() && !NOT_COPIED.test(entry.name) ? [entry.name] : []))
    .sort((a, b) => Number(BINLOG.test(b)) - Number(BINLOG.test(a)) || (a < b ? -1 : 1));
  const files = await Promise.all(
    names.map(async (name) => {
      const stat = await lstat(join(dir, name)).catch(nothingIfAbsent(undefined));
      const header = name.endsWith('-wal') ? await headerOf(join(dir, name)) : '';
      const changedAt = stat?.mtimeMs ?? 0;
      return { name, changedAt, header, text: `${name} ${stat?.ino ?? 0} ${stat?.size ?? 0} ${changedAt} ${header}` };
    }),
  );
  const databases = files.filter(({ name }) => name.endsWith('.sqlite'));
  const logs = files.filter(({ name }) => name.endsWith('-wal'));
  return {
    names,
    hasBinlog: names.some((name) => BINLOG.test(name)),
    anchor: [...databases.map(({ text }) => text), ...logs.map(({ name, header }) => `${name} ${header}`)].join('\n'),
    isSettled: databases.every(({ changedAt }) => Date.now() - changedAt >= TICK_MS),
    mark: files.map(({ text }) => text).join('\n'),
  };
}

async function headerOf(log: string): Promise<string> {
  const file = await open(log, 'r').catch(nothingIfAbsent(undefined));
  try {
    const read = await file?.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return read?.buffer.toString('hex', 0, read.bytesRead) ?? '';
  } finally {
    await file?.close();
  }
}

/** @returns false when a file has gone meanwhile: TDLib replaces its binlog by removing and renaming */
async function copyAll(from: string, to: string, names: readonly string[]): Promise<boolean> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true, mode: 0o700 });
  try {
    for (const name of names) await copyFile(join(from, name), join(to, name), constants.COPYFILE_FICLONE);
    return names.length > 0;
  } catch (error) {
    return nothingIfAbsent(false)(error);
  }
}

function nothingIfAbsent<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (codeOf(error) === 'ENOENT') return otherwise;
    throw error;
  };
}
