import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../common/errors/index.js';
import { OWN_PREFIX } from './upload-name.js';

/** What stands beside an upload's bytes. */
export interface UploadRecord {
  readonly name: string;
  /** Who may use it: {@link MASTER}, or the id of a token. */
  readonly owner: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** How many bytes it will have; absent while a single request that did not say so is still coming in. */
  readonly length?: number;
  /** As a tus client gave it. */
  readonly metadata?: Readonly<Record<string, string | null>>;
}

const RECORD_FILE = `${OWN_PREFIX}json`;

const ID = /^[0-9a-f]{32}$/;

/** Whether a text can be the id of an upload; only such folders are ours. */
export const isUploadId = (text: string): boolean => ID.test(text);

/** @returns undefined when there is no such upload, or it is being removed */
export async function readRecord(directory: string): Promise<UploadRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, RECORD_FILE), 'utf8')) as UploadRecord;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Replaces the record in one step, so that nobody ever reads half of it. */
export async function writeRecord(directory: string, record: UploadRecord): Promise<void> {
  const path = join(directory, RECORD_FILE);
  const next = `${path}.${randomUUID()}`;
  await writeFile(next, JSON.stringify(record), { mode: 0o600, flush: true });
  await rename(next, path);
}

/** The size of an upload's file; undefined when it is not there or is no regular file, as a symbolic link is not. */
export async function sizeOf(directory: string, name: string): Promise<number | undefined> {
  try {
    const entry = await lstat(join(directory, name));
    return entry.isFile() ? entry.size : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Opens an upload's file for writing, never what a link names. */
export function openData(directory: string, name: string): Promise<FileHandle> {
  return open(join(directory, name), constants.O_RDWR | constants.O_NOFOLLOW);
}

/** Makes the entries of a directory survive a loss of power. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What a directory's disk has, and what of it is left for us, in bytes. */
export async function diskSpace(
  directory: string,
): Promise<{ readonly freeBytes: number; readonly totalBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** When something last happened to an upload, in Unix milliseconds; Infinity for one that is gone, which is as good as new. */
export async function lastTouched(directory: string): Promise<number> {
  const record = await readRecord(directory);
  const paths = [directory, ...(record === undefined ? [] : [join(directory, record.name)])];
  return Math.max(...(await Promise.all(paths.map(changedAt))));
}

/** When it was last changed, as in {@link lastTouched}. */
export async function changedAt(path: string): Promise<number> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Infinity;
    throw error;
  }
}

/** Removes an upload's folder; first under another name, so that nobody finds half of it. */
export async function removeFolder(root: string, id: string): Promise<void> {
  const gone = join(root, `.removed-${id}-${randomUUID()}`);
  try {
    await rename(join(root, id), gone);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  await rm(gone, { recursive: true, force: true });
}
