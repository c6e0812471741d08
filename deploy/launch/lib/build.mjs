import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { mustRun } from './processes.mjs';
import { at, BACKEND_MAIN, CONSOLE_OUT, root, say } from './project.mjs';

/** What is built, in the order in which the parts need each other; what goes `aside` needs none of the others. */
const PARTS = [
  {
    name: '@tgcontrol/sandbox',
    inputs: ['backend/sandbox/src', 'backend/sandbox/package.json', 'backend/sandbox/tsconfig.build.json'],
    output: at('backend/sandbox/dist'),
    proof: at('backend/sandbox/dist/index.js'),
  },
  {
    name: '@tgcontrol/backend',
    inputs: [
      'backend/src',
      'backend/scripts',
      'backend/package.json',
      'backend/tsconfig.json',
      'backend/tsconfig.build.json',
      'nest-cli.json',
    ],
    output: at('backend/dist'),
    proof: BACKEND_MAIN,
  },
  {
    name: '@tgcontrol/console',
    inputs: ['console/src', 'console/public', 'console/scripts', 'console/package.json', 'console/next.config.ts'],
    output: CONSOLE_OUT,
    aside: true,
    proof: join(CONSOLE_OUT, 'index.html'),
  },
];
const COMMON_INPUTS = ['package-lock.json', 'tsconfig.base.json'];
/** One file a part: what it was built from, and when its proof was written, which a build by hand changes. */
const STAMPS = at('node_modules/.cache/tgcontrol');

/**
 * Builds what is stale.
 * @param {{ force?: boolean, only?: readonly string[] }} [options] `only` names packages; all of them without it
 */
export async function ensureBuilt({ force = false, only } = {}) {
  const chosen = PARTS.filter(({ name }) => !only || only.includes(name));
  const lanes = [chosen.filter(({ aside }) => !aside), chosen.filter(({ aside }) => aside)];
  // Both to their ends: one that goes on alone would write into what the next command builds.
  const outcomes = await Promise.allSettled(lanes.map((parts) => buildInOrder(parts, force)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function buildInOrder(parts, force) {
  for (const part of parts) {
    const stamp = join(STAMPS, part.name.replace('/', '+'));
    const inputs = hashOf([...part.inputs, ...COMMON_INPUTS]);
    const fresh = () => `${inputs} ${statSync(part.proof).mtimeMs}`;
    if (!force && existsSync(part.proof) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fresh()) continue;
    say(`Building ${part.name}`);
    // What a deleted source once compiled to would otherwise stay and be loaded.
    rmSync(part.output, { recursive: true, force: true });
    await mustRun('npm', ['run', 'build', '--silent', '--workspace', part.name]);
    mkdirSync(STAMPS, { recursive: true });
    writeFileSync(stamp, fresh());
  }
}

/** Contents and names count, times do not: git sets them anew at each checkout. */
function hashOf(inputs) {
  const hash = createHash('sha256').update(process.versions.node.split('.')[0] ?? '');
  for (const file of inputs.flatMap((input) => filesOf(at(input)))) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesOf(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
