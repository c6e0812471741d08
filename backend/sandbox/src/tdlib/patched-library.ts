import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';

const PEM_BEGIN = '-----BEGIN RSA PUBLIC KEY-----';
const PEM_END = '-----END RSA PUBLIC KEY-----';
/** Length of the two keys that sessions use. A third block belongs to the "simple config" and has another length. */
const PEM_BYTES = 425;

/**
 * Where TDLib looks for data centres, past every proxy, when MTProto stays silent for five seconds
 * (td/telegram/net/ConfigManager.cpp, ConfigRecoverer). `www.google.com` stands in other URLs too, so its path is named.
 */
const CONFIG_HOSTS = [
  'dns.google/resolve',
  'mozilla.cloudflare-dns.com/',
  'software-download.microsoft.com/',
  'firebaseremoteconfig.googleapis.com/',
  'reserve-5a846.firebaseio.com/',
  'www.google.com/v1/',
] as const;

/** The library is not one that this package knows how to patch. */
export class UnpatchableLibraryError extends Error {
  constructor(path: string, reason: string) {
    super(`${path} cannot be patched: ${reason}`);
    this.name = 'UnpatchableLibraryError';
  }
}

/**
 * Makes a copy of TDLib that trusts the sandbox's RSA key instead of Telegram's, and asks no public host for addresses.
 * Such a copy cannot log in to the real Telegram. The copy is named by what went into it and made once.
 *
 * @param source libtdjson; found in the installed `prebuilt-tdlib` when absent
 * @returns path of the copy
 * @throws UnpatchableLibraryError
 */
export function patchedLibrary(directory: string, publicPem: string, source = findLibrary()): string {
  const original = readFileSync(source);
  const hash = createHash('sha256').update(original).update(publicPem).update(CONFIG_HOSTS.join()).digest('hex');
  const copy = join(directory, `libtdjson-${hash.slice(0, 16)}${extname(source)}`);
  if (existsSync(copy)) return copy;
  replaceKeys(original, publicPem, source);
  for (const host of CONFIG_HOSTS) replaceHost(original, host);
  mkdirSync(directory, { recursive: true });
  const fresh = `${copy}.${randomUUID()}`;
  writeFileSync(fresh, original, { mode: 0o755 });
  renameSync(fresh, copy);
  return copy;
}

/** Path of the library in the installed `prebuilt-tdlib`. */
function findLibrary(): string {
  const require = createRequire(import.meta.url);
  const { getTdjson } = require('prebuilt-tdlib') as { readonly getTdjson: () => string };
  return getTdjson();
}

function replaceKeys(library: Buffer, publicPem: string, path: string): void {
  let replaced = 0;
  for (let at = library.indexOf(PEM_BEGIN); at >= 0; at = library.indexOf(PEM_BEGIN, at + 1)) {
    const end = library.indexOf(PEM_END, at) + PEM_END.length;
    if (end - at !== PEM_BYTES) continue;
    library.write(publicPem, at, 'latin1');
    replaced++;
  }
  if (replaced !== 2)
    throw new UnpatchableLibraryError(path, `it has ${replaced} keys of ${PEM_BYTES} bytes instead of 2`);
}

/** The same number of characters that mean 127.0.0.1 without a name to look up: leading zeros make a part octal. */
function replaceHost(library: Buffer, hostAndPath: string): void {
  const host = hostAndPath.slice(0, hostAndPath.indexOf('/'));
  const loopback = '0177.0.0.1'.padStart(host.length, '0');
  for (let at = library.indexOf(hostAndPath); at >= 0; at = library.indexOf(hostAndPath, at + 1)) {
    library.write(loopback, at, 'latin1');
  }
}
