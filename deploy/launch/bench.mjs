// npm run bench: every benchmark of backend/bench, one process each; prints a table and writes bench/results.json.
import { existsSync } from 'node:fs';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { mustRun } from './lib/processes.mjs';
import { at, Failure, launch } from './lib/project.mjs';

await launch(async () => {
  await ensureInstalled();
  await ensureBuilt();
  if (!existsSync(at('backend/bench'))) throw new Failure('There are no benchmarks in backend/bench.');
  await mustRun('npm', [
    'run',
    'bench',
    '--silent',
    '--workspace',
    '@tgcontrol/backend',
    '--',
    ...process.argv.slice(2),
  ]);
});
