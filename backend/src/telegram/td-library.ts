import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { getTdjson } from 'prebuilt-tdlib';
import type { Library } from './td-json.js';

/**
 * Hosts that TDLib's ConfigRecoverer and its DNS-over-HTTPS lookup ask directly, around the session's proxy, once a connection
 * stands and nothing was answered for 5 s (td/telegram/ConfigManager.cpp, td/telegram/net/… get_simple_config_*).
 */
const HOSTS_AROUND_THE_PROXY = [
  'dns.google',
  'mozilla.cloudflare-dns.com',
  'software-download.microsoft.com',
  'firebaseremoteconfig.googleapis.com',
  'reserve-5a846.firebaseio.com',
  'firestore.googleapis.com',
  'www.google.com',
] as const;

const LOOPBACK_TAIL = '177.0.0.1';

/**
 * 127.0.0.1 spelled in exactly `length` characters: getaddrinfo reads a leading zero as octal and any number of zeros as one,
 * so no name is ever looked up.
 */
export function loopbackOfLength(length: number): string {
  return LOOPBACK_TAIL.padStart(length, '0');
}

/** The library as the package manager installed it, unless TDLIB_PATH names another. */
export function installedLibrary(libraryPath: string | undefined): string {
  return libraryPath ?? getTdjson();
}

/**
 * A copy of the library that cannot ask anybody around a proxy. Kept in `directory` under the hash of its source, so it is made
 * once for each version and processes may share it.
 */
export async function proxyOnlyLibrary(libraryPath: string, directory: string): Promise<Library> {
  const sha256 = createHash('sha256');
  // In pieces: the whole of it would stay in memory, 54 MiB, until the garbage is collected for another reason.
  await pipeline(createReadStream(libraryPath), sha256);
  const hash = sha256.digest('hex').slice(0, 16);
  const copy = join(directory, `libtdjson-proxy-only-${hash}.so`);
  const made = { path: copy, identity: `proxy-only ${hash}` };
  if (await exists(copy)) {
    return made;
  }
  const library = await readFile(libraryPath);
  pointHostsToLoopback(library);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // Written under another name first: a half-written file must never be found under the final one.
  const unfinished = `${copy}.${randomBytes(6).toString('hex')}`;
  await writeFile(unfinished, library, { mode: 0o755 });
  await rename(unfinished, copy);
  return made;
}

/** Overwrites every occurrence in place; equal length keeps every offset of the file. */
export function pointHostsToLoopback(library: Buffer): void {
  for (const host of HOSTS_AROUND_THE_PROXY) {
    const loopback = loopbackOfLength(host.length);
    for (let at = library.indexOf(host); at !== -1; at = library.indexOf(host, at + host.length)) {
      library.write(loopback, at, 'latin1');
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
