import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Where patched libraries go when nobody says otherwise: one place for a user's sandboxes, because a copy takes 57 MB and
 * a process can load only one TDLib, which then has to fit all of its sandboxes. Not the system's temporary directory,
 * where others could put a library of theirs first.
 *
 * @param fallback used when the home directory cannot be written to
 */
export function sharedLibraryDirectory(fallback: string): string {
  const directory = join(homedir(), '.cache', 'tgcontrol', 'sandbox');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.W_OK);
    return directory;
  } catch {
    return fallback;
  }
}
