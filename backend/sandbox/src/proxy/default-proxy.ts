import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ProxyInfo, ProxyOptions } from '../rpc.js';

const USERNAME = 'sandbox';

/** What of the default proxy is kept, so that clients that stored it find it again after a restart. */
interface Saved {
  readonly port: number;
  readonly password: string;
}

/**
 * Adds the proxy that clients are told about, with the password and, if it is free, the port of the last start.
 *
 * @param path file with what was chosen last time
 * @param port asked for by the operator; another one is never taken instead
 * @throws Error when that port is taken
 */
export async function addDefaultProxy(
  add: (options: ProxyOptions) => Promise<ProxyInfo>,
  path: string,
  port: number | undefined,
): Promise<ProxyInfo> {
  const saved = readSaved(path);
  const credentials = { username: USERNAME, password: saved?.password ?? randomBytes(12).toString('hex') };
  const proxy =
    port === undefined ? await addAnywhere(add, credentials, saved?.port) : await add({ ...credentials, port });
  const chosen: Saved = { port: proxy.port, password: credentials.password };
  writeFileSync(path, JSON.stringify(chosen), { mode: 0o600 });
  return proxy;
}

async function addAnywhere(
  add: (options: ProxyOptions) => Promise<ProxyInfo>,
  credentials: ProxyOptions,
  preferredPort: number | undefined,
): Promise<ProxyInfo> {
  if (preferredPort === undefined) return add(credentials);
  try {
    return await add({ ...credentials, port: preferredPort });
  } catch {
    return add(credentials);
  }
}

function readSaved(path: string): Saved | undefined {
  if (!existsSync(path)) return undefined;
  return JSON.parse(readFileSync(path, 'utf8')) as Saved;
}
