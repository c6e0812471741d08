// npm run generate [--check]: everything in the repository that is made from something else in it, in the order in which
// one is made from the other. With --check it also fails when that changed anything.
import { existsSync, readFileSync } from 'node:fs';
import { ensureBuilt } from '../launch/lib/build.mjs';
import { mustRun, mustRunNode } from '../launch/lib/processes.mjs';
import { at, Failure, launch } from '../launch/lib/project.mjs';

const inWorkspace = (script, workspace) => () => mustRun('npm', ['run', script, '--silent', '--workspace', workspace]);

const GENERATED = [
  { file: 'docs/METHOD-CLASSES.md', make: () => mustRunNode([at('deploy/generate/method-classes.mjs')]) },
  { file: 'docs/ERRORS.md', make: () => mustRunNode([at('deploy/generate/errors.mjs')]) },
  { file: 'backend/openapi.json', make: inWorkspace('openapi', '@tgcontrol/backend') },
  { file: 'console/src/lib/schema.d.ts', make: inWorkspace('generate', '@tgcontrol/console') },
];

await launch(async () => {
  await ensureBuilt({ only: ['@tgcontrol/backend'] });
  const stale = [];
  for (const { file, make } of GENERATED) {
    const before = contentOf(file);
    await make();
    if (contentOf(file) !== before) stale.push(file);
  }
  if (stale.length === 0) return 0;
  console.log(`Written anew: ${stale.join(', ')}`);
  if (!process.argv.includes('--check')) return 0;
  throw new Failure('These files were not what their sources say. They are now: commit them with their sources.');
});

function contentOf(file) {
  return existsSync(at(file)) ? readFileSync(at(file), 'utf8') : '';
}
