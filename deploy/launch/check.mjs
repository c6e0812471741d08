// npm run check: the one gate. Everything that needs no running product first, then npm test; CI runs exactly this.
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { run } from './lib/processes.mjs';
import { at, Failure, launch, say } from './lib/project.mjs';

const bin = (path, ...args) => [process.execPath, [at('node_modules', path), ...args]];

/** The native compiler takes a third of the time of the one that lint needs for its API. */
const types = (project) => bin('typescript-native/bin/tsc', '--noEmit', '-p', project);

/** Two at once, the longest first. */
const LANES = 2;

const STEPS = [
  { name: 'lint', command: bin('eslint/bin/eslint.js', '--max-warnings', '0', '.') },
  { name: 'lint: types', command: bin('oxlint/bin/oxlint', '--type-aware', '--max-warnings', '0') },
  { name: 'layout', command: bin('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.') },
  {
    name: 'boundaries',
    command: bin(
      'dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      '.dependency-cruiser.mjs',
      'backend',
      'console',
    ),
  },
  { name: 'types: backend', command: types('backend/tsconfig.json') },
  { name: 'types: sandbox', command: types('backend/sandbox/tsconfig.json') },
  { name: 'types: console', command: types('console/tsconfig.json') },
  { name: 'dead code', command: bin('knip/bin/knip.js') },
  { name: 'generated files', command: [process.execPath, [at('deploy/generate/all.mjs'), '--check']] },
];

await launch(async () => {
  await ensureInstalled();
  // The types of one workspace and the generated files are read from the builds of the others.
  await ensureBuilt();
  const failed = [];
  const left = [...STEPS];
  const lane = async () => {
    for (let step = left.shift(); step; step = left.shift()) {
      const startedAt = Date.now();
      const code = await run(...step.command);
      say(`${code === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
      if (code !== 0) failed.push(step.name);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (failed.length > 0) throw new Failure(`Not in order: ${failed.join(', ')}. The tests were not run.`);
  return run(process.execPath, [at('deploy/launch/test.mjs')]);
});
