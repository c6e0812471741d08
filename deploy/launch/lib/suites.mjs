import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from './project.mjs';
import { onlyFile, runSuite } from './suite.mjs';

/** Jest would run one less than there are processors. */
const TWO_AT_ONCE = '--maxWorkers=2';

/** Where more files fail than that it was no unlucky moment, and none is tried again. */
const MOST_UNSTEADY_FILES = 3;

/**
 * Every suite of the project: first the one that tells the most the soonest, then the longest, so that short ones fill the end.
 * `jest` names a config and what of it to run, `node` a folder for Node's own test runner. Those that go `aside` start whole
 * products and wait for them more than they work: they run in lanes of their own while the rest run, so that no processor is idle.
 * `pieces` is into how many one is cut, for whichever lane is free first.
 * @type {readonly { name: string, jest?: readonly string[], node?: string, browser?: true, aside?: true, pieces?: number }[]}
 */
export const SUITES = [
  { name: 'unit', jest: ['backend/jest.config.mjs', TWO_AT_ONCE, '--testPathPatterns', '[^-/]+\\.spec\\.ts$'] },
  { name: 'e2e', jest: ['backend/jest.config.mjs', TWO_AT_ONCE, '--testPathPatterns', '\\.e2e-spec\\.ts$'] },
  { name: 'console', jest: ['console/jest.config.mjs', TWO_AT_ONCE] },
  { name: 'sandbox', jest: ['backend/sandbox/jest.config.mjs', TWO_AT_ONCE] },
  { name: 'deploy', node: 'deploy/test' },
  { name: 'browser', jest: ['console/jest.browser.config.mjs'], browser: true, aside: true, pieces: 3 },
  {
    name: 'boot',
    jest: ['backend/jest.config.mjs', '--runInBand', '--testPathPatterns', '\\.boot-spec\\.ts$'],
    aside: true,
    pieces: 4,
  },
];

/** How many suites that go aside run at once. */
const LANES_ASIDE = 2;

/**
 * Runs suites in lanes; a lane that has nothing left of its own helps the others.
 * @param {typeof SUITES} chosen
 * @returns {Promise<readonly object[]>} what `printSummary` takes
 */
export async function runSuites(chosen) {
  const aside = chosen.filter((suite) => suite.aside);
  const others = chosen.filter((suite) => !suite.aside);
  // Alone they are shown as they run, like any other.
  const results = others.length === 0 ? await runLane(aside, runSeen) : await runLanes(others, inTurns(aside));
  const sums = chosen.map(({ name }) => together(results.filter((result) => result.name === name)));
  return tryAgain(chosen, sums);
}

/**
 * Runs what failed once more, a file by itself while nothing else runs: a test that fails only where others take the processor from it
 * is named, and does not fail the run.
 */
async function tryAgain(suites, results) {
  const failures = results.flatMap(({ name, failures: failed }) => failed.map(({ file }) => ({ name, file })));
  const files = [...new Map(failures.map((failure) => [failure.file, failure])).values()];
  if (files.length > MOST_UNSTEADY_FILES) return results;
  const after = new Map(results.map((result) => [result.name, { ...result, unsteady: [] }]));
  for (const { name, file } of files) {
    say(`Once more, by itself: ${file}`);
    const suite = suites.find((each) => each.name === name);
    const again = await runSuite(onlyFile(suite, file));
    const before = after.get(name);
    if (again.failed > 0) continue;
    const forgiven = before.failures.filter((failure) => failure.file === file);
    after.set(name, {
      ...before,
      failed: before.failed - forgiven.length,
      passed: before.passed + (forgiven[0].test === undefined ? again.passed : forgiven.length),
      failures: before.failures.filter((failure) => failure.file !== file),
      unsteady: [...before.unsteady, ...forgiven],
    });
  }
  return [...after.values()];
}

async function runLanes(others, aside) {
  const helping = async () => [...(await runLane(others, runSeen)), ...(await runLane(aside, runUnseen))];
  const goingAside = async () => [...(await runLane(aside, runUnseen)), ...(await runLane(others, runUnseen))];
  const lanesAside = aside.length === 0 ? [] : Array.from({ length: LANES_ASIDE }, goingAside);
  return (await Promise.all([helping(), ...lanesAside])).flat();
}

/** The pieces of all suites, of each one after the other: what two lanes run then is seldom the same kind of work. */
function inTurns(suites) {
  const cut = suites.map(piecesOf);
  const most = Math.max(0, ...cut.map(({ length }) => length));
  return Array.from({ length: most }, (_, at) => cut.flatMap((pieces) => pieces[at] ?? [])).flat();
}

function piecesOf(suite) {
  const count = suite.pieces ?? 1;
  if (count === 1) return [suite];
  return Array.from({ length: count }, (_, at) => ({ ...suite, jest: [...suite.jest, `--shard=${at + 1}/${count}`] }));
}

/** The pieces of one suite as one. */
function together(pieces) {
  const sum = (key) => pieces.reduce((total, piece) => total + piece[key], 0);
  const note = pieces.flatMap((piece) => piece.note ?? []).join('; ');
  const failures = pieces.flatMap((piece) => piece.failures);
  return { ...pieces[0], passed: sum('passed'), failed: sum('failed'), seconds: sum('seconds'), failures, note };
}

async function runLane(suites, runIt) {
  const results = [];
  for (let suite = suites.shift(); suite; suite = suites.shift()) results.push(await timed(suite, runIt));
  return results;
}

function runSeen(suite) {
  say(`Suite: ${suite.name}`);
  return runSuite(suite);
}

async function timed(suite, runIt) {
  const startedAt = Date.now();
  const result = await runIt(suite);
  return { name: suite.name, ...result, seconds: (Date.now() - startedAt) / 1000 };
}

/** Shows the suite's output when it has ended: two at once could not be read. */
async function runUnseen(suite) {
  const folder = mkdtempSync(join(tmpdir(), 'tgcontrol-suite-'));
  const path = join(folder, 'output');
  const file = openSync(path, 'w');
  try {
    return await runSuite(suite, ['ignore', file, file]);
  } finally {
    closeSync(file);
    say(`Suite: ${suite.name}`);
    process.stdout.write(readFileSync(path));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints what failed, so that nobody has to look for it in pages of output, a line a suite, and last of all the sums. */
export function printSummary(results) {
  console.log('');
  for (const { name, failures, unsteady = [] } of results) {
    for (const failure of failures) say(`failed in ${name}: ${nameOf(failure)}`);
    for (const test of unsteady) say(`unsteady in ${name}: ${nameOf(test)}, passed when run by itself`);
  }
  for (const { name, passed, failed, unsteady = [], seconds, note } of results) {
    const counts = [`${String(passed).padStart(5)} passed`, `${failed} failed`];
    if (unsteady.length > 0) counts.push(`${unsteady.length} unsteady`);
    if (seconds !== undefined) counts.push(`${seconds.toFixed(0)} s`);
    say(`${name.padEnd(8)}${counts.join(', ')}${note ? ` (${note})` : ''}`);
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed') === 0;
}

const nameOf = ({ file, test = 'did not run' }) => `${file}: ${test}`;
