import { randomUUID } from 'node:crypto';
import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../common/errors/index.js';
import { OWN_PREFIX } from './upload-name.js';

const LOCK_FILE = `${OWN_PREFIX}lock`;
/** Names this process among those that share the folder, also after a restart under the same process id. */
const INSTANCE = randomUUID();
const RENEW_MS = 5_000;
/** A lock that was not renewed for so long is nobody's. */
const STALE_MS = 20_000;

interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly instance: string;
}

/** A lock on an upload's folder that other processes see. */
export interface FolderLock {
  release(): Promise<void>;
}

/** Locks a folder against other processes; undefined when one of them holds it. Within a process the caller sees to that. */
export async function lockFolder(directory: string): Promise<FolderLock | undefined> {
  const path = join(directory, LOCK_FILE);
  const holder: Holder = { host: hostname(), pid: process.pid, instance: INSTANCE };
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      const handle = await open(path, 'wx', 0o600);
      try {
        await handle.writeFile(JSON.stringify(holder));
      } finally {
        await handle.close();
      }
      const renewing = setInterval(() => void touch(path), RENEW_MS).unref();
      return {
        release: async () => {
          clearInterval(renewing);
          await rm(path, { force: true });
        },
      };
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    if (!(await isAbandoned(path))) return undefined;
    await rm(path, { force: true });
  }
  return undefined;
}

/** Whether some living process is writing in the folder. */
export async function isFolderLocked(directory: string): Promise<boolean> {
  const path = join(directory, LOCK_FILE);
  try {
    await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  return !(await isAbandoned(path));
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > STALE_MS) return true;
    const { host, pid, instance } = JSON.parse(await readFile(path, 'utf8')) as Holder;
    if (host !== hostname()) return false;
    return pid === process.pid ? instance !== INSTANCE : !isAlive(pid);
  } catch (error) {
    // Gone meanwhile, or not written yet.
    return codeOf(error) === 'ENOENT';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
