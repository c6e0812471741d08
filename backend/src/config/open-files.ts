import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.js';

/** What a session has open: seven files of TDLib and ours, and its connections. */
const FILES_A_SESSION = 10;
/** What a process has open without sessions: connections of callers and to PostgreSQL, libraries, logs. */
const OTHER_FILES = 256;

/** How many files the sessions of a worker need open, with everything else. */
function filesFor(capacity: number): number {
  return OTHER_FILES + FILES_A_SESSION * capacity;
}

/**
 * TDLib cannot open a database, and its process no connection, when no more files may be open: the sessions that are open suffer with
 * the one that is too many. So a worker does not start that may not open as many as its sessions need.
 * @param mayOpen how many files this process may have open; undefined where that is not known
 * @throws ConfigError with the commands that help
 */
export function requireOpenFiles(capacity: number, mayOpen: number | undefined = openFilesLimit()): void {
  const needed = filesFor(capacity);
  if (mayOpen === undefined || mayOpen >= needed) return;
  const fits = Math.floor((mayOpen - OTHER_FILES) / FILES_A_SESSION);
  const fewer = fits > 0 ? `; or set WORKER_CAPACITY=${fits}` : '';
  throw new ConfigError([
    `this process may have ${mayOpen} files open, and WORKER_CAPACITY=${capacity} sessions take up to ${needed}. ` +
      `Let it have more: ulimit -n ${needed}, LimitNOFILE=${needed} for systemd, --ulimit nofile=${needed} for Docker${fewer}`,
  ]);
}

/** As Linux counts; Node has raised the soft limit to the hard one when it started. */
function openFilesLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
