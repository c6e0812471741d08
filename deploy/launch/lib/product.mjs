import { join, resolve } from 'node:path';
import { startNode } from './processes.mjs';
import { BACKEND_MAIN, CONSOLE_OUT, root } from './project.mjs';

/** As the backend's own default for ROLE=all. */
const DEFAULT_LISTEN_ADDR = '127.0.0.1:8080';

/**
 * Starts gateway, worker and console in one process. What `env` sets wins over what is set here.
 * @param {NodeJS.ProcessEnv} env
 */
export function startProduct(env) {
  return startNode(['--enable-source-maps', BACKEND_MAIN], {
    env: { NODE_ENV: 'production', ROLE: 'all', CONSOLE_DIR: CONSOLE_OUT, ...env },
    // The channel that `answering` listens on.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/**
 * The address under which a browser on this machine reaches the product.
 * @param {NodeJS.ProcessEnv} env
 */
export function productUrl(env) {
  const [, host = '', port = '8080'] = /^(.*):(\d+)$/.exec(env['LISTEN_ADDR'] ?? DEFAULT_LISTEN_ADDR) ?? [];
  const everywhere = ['', '0.0.0.0', '[::]'];
  return `http://${everywhere.includes(host) ? '127.0.0.1' : host}:${port}`;
}

/** Where the settings live that ROLE=all generates at its first start. */
export const secretsFile = (env) => join(resolve(root, env['DATA_DIR'] ?? 'data'), 'secrets.json');

/** @param {NodeJS.ProcessEnv} env */
export function whereTheTokenIs(env) {
  return env['API_TOKEN'] ? 'the one in API_TOKEN' : `in ${secretsFile(env)}`;
}
