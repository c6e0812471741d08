import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../common/errors/index.js';
import { OWN_PREFIX } from './upload-name.js';

/** What a call's mark in an upload's folder says. */
export interface UseMark {
  readonly sessionId: string;
  /** Unix milliseconds. */
  readonly since: number;
  /** The sends that carry the file; empty until TDLib has answered. */
  readonly sends: readonly string[];
}

/** What the names of marks begin with. */
export const MARK_PREFIX = `${OWN_PREFIX}use-`;

/** The marks of the calls that use an upload, by the names of their files. */
export async function readMarks(folder: string): Promise<ReadonlyMap<string, UseMark>> {
  const marks = new Map<string, UseMark>();
  for (const name of (await readdir(folder)).filter((each) => each.startsWith(MARK_PREFIX))) {
    try {
      marks.set(name, JSON.parse(await readFile(join(folder, name), 'utf8')) as UseMark);
    } catch (error) {
      // Taken away meanwhile, or being written: whoever writes it is just beginning.
      if (error instanceof SyntaxError) marks.set(name, { sessionId: '', since: Date.now(), sends: [] });
      else if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  return marks;
}
