import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Product } from './product.js';
import { freePort, startProgram, until, type Started } from './process.js';

const ROOT = resolve(__dirname, '../../..');
const PROGRAM = '/usr/bin/caddy';

/** Whether this machine has a Caddy. */
export const hasCaddy = existsSync(PROGRAM);

/** The console's web server as it is shipped, before a product. */
export interface Caddy {
  readonly url: string;
  /** Cuts every connection, stays away for a moment, and is back at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it with the project's own Caddyfile. */
export async function startCaddy(product: Product): Promise<Caddy> {
  const dir = mkdtempSync(join(tmpdir(), 'tgcontrol-caddy-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = async (): Promise<Started> => {
    const caddy = startProgram(PROGRAM, ['run', '--config', join(ROOT, 'Caddyfile'), '--adapter', 'caddyfile'], {
      CONSOLE_ADDRESS: `127.0.0.1:${port}`,
      CONSOLE_ROOT: join(ROOT, 'console/out'),
      GATEWAY_UPSTREAM: new URL(product.url).host,
      XDG_CONFIG_HOME: dir,
      XDG_DATA_HOME: dir,
    });
    await until('Caddy', async () => (await fetch(url)).ok || undefined);
    return caddy;
  };
  let running = await start();
  return {
    url,
    restart: async () => {
      // Killed: a Caddy that is asked to end waits for its streams.
      running.child.kill('SIGKILL');
      await running.stop();
      running = await start();
    },
    stop: async () => {
      running.child.kill('SIGKILL');
      await running.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
