import { existsSync, readFileSync } from 'node:fs';
import { mustRun } from './processes.mjs';
import { at, say } from './project.mjs';

/**
 * Installs with `npm ci` unless node_modules already is what package-lock.json describes.
 * Versions are compared, not times: a checkout or a copy changes times, and `npm ci` by hand counts too.
 */
export async function ensureInstalled() {
  if (isInstalled()) return;
  say('Installing dependencies (npm ci)');
  await mustRun('npm', ['ci', '--no-audit', '--no-fund'], {
    env: { ...process.env, NODE_ENV: 'development' },
  });
}

function isInstalled() {
  // npm writes this record of what it put there last of all, so a broken-off installation has none.
  const record = at('node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = JSON.parse(readFileSync(at('package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(wanted)
    .filter(([path, entry]) => path.startsWith('node_modules/') && !entry.optional && !entry.link)
    .every(([path, entry]) => installed[path]?.version === entry.version);
}
