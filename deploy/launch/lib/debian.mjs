import { existsSync } from 'node:fs';
import { run } from './processes.mjs';
import { say } from './project.mjs';

// RUNLEVEL=1: invoke-rc.d then starts no service; only the program is wanted here.
const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };

/**
 * Installs a Debian package where that needs no question: as root, with apt.
 * @param {string} name
 * @returns {Promise<boolean>} whether it is installed now
 */
export async function installDebian(name) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  say(`Installing ${name} (apt-get)`);
  if ((await run('apt-get', ['update', '-qq'], { env })) !== 0) return false;
  return (await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], { env })) === 0;
}
