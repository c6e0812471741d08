import { writeFileSync } from 'node:fs';

/** What a client has to be started with to reach the sandbox. */
export interface SandboxEnv {
  /** Path of the patched libtdjson. */
  readonly TDLIB_PATH: string;
  /** `socks5://user:password@127.0.0.1:port` */
  readonly DEFAULT_PROXY: string;
}

/** `NAME=value`, one a line, as `--env-file` of node and of Docker read it. */
export function formatEnv(env: SandboxEnv): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${String(value)}\n`)
    .join('');
}

/** The proxy's password is in it, so only the owner can read it. */
export function writeEnvFile(path: string, env: SandboxEnv): void {
  writeFileSync(path, formatEnv(env), { mode: 0o600 });
}
