import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findChromium } from './chromium.mjs';
import { run } from './processes.mjs';
import { at, say } from './project.mjs';

/** A suite that hangs must not take a whole CI run with it. */
const SUITE_DEADLINE_S = 1200;

/** Jest would run one less than there are processors. */
const TWO_AT_ONCE = '--maxWorkers=2';

/**
 * Every suite of the project, cheap ones first. `jest` names a config and what of it to run, `node` a folder for Node's
 * own test runner. Those that go `aside` start whole products and wait for them more than they work: they run one after the other
 * while the rest run, so that no processor is idle. `pieces` is into how many one may be cut, for whoever is free first.
 * @type {readonly { name: string, jest?: readonly string[], node?: string, browser?: true, aside?: true, pieces?: number }[]}
 */
export const SUITES = [
  { name: 'unit', jest: ['backend/jest.config.mjs', TWO_AT_ONCE, '--testPathPatterns', '[^-/]+\\.spec\\.ts$'] },
  { name: 'console', jest: ['console/jest.config.mjs', TWO_AT_ONCE] },
  { name: 'sandbox', jest: ['backend/sandbox/jest.config.mjs', TWO_AT_ONCE] },
  { name: 'e2e', jest: ['backend/jest.config.mjs', TWO_AT_ONCE, '--testPathPatterns', '\\.e2e-spec\\.ts$'] },
  { name: 'deploy', node: 'deploy/test' },
  { name: 'browser', jest: ['console/jest.browser.config.mjs'], browser: true, aside: true },
  {
    name: 'boot',
    jest: ['backend/jest.config.mjs', '--runInBand', '--testPathPatterns', '\\.boot-spec\\.ts$'],
    aside: true,
    pieces: 4,
  },
];

/**
 * Runs suites in two lanes; the one that has nothing left of its own helps with what goes aside.
 * @param {typeof SUITES} chosen
 * @returns {Promise<readonly object[]>} what `printSummary` takes
 */
export async function runSuites(chosen) {
  const aside = chosen.filter((suite) => suite.aside).flatMap(piecesOf);
  const others = chosen.filter((suite) => !suite.aside);
  const helping = async () => [...(await runLane(others, runSeen)), ...(await runLane(aside, runUnseen))];
  const lanes = others.length === 0 ? [runLane(aside, runSeen)] : [helping(), runLane(aside, runUnseen)];
  const results = (await Promise.all(lanes)).flat();
  return chosen.map(({ name }) => together(results.filter((result) => result.name === name)));
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

/**
 * Runs one suite with its output visible, unless `stdio` says where else it goes.
 * @returns {Promise<{ passed: number, failed: number, failures: readonly string[], note?: string }>} `failures` are names of
 *   what failed; a suite that ran no test, broke off or hung counts at least one failure
 */
async function runSuite(suite, stdio) {
  if (suite.browser && process.env['SKIP_BROWSER'] === '1') {
    return { passed: 0, failed: 0, failures: [], note: 'left out: SKIP_BROWSER=1' };
  }
  const folder = mkdtempSync(join(tmpdir(), 'tgcontrol-suite-'));
  try {
    const report = join(folder, 'report');
    const env = suite.browser ? { ...process.env, CHROMIUM_PATH: await findChromium() } : process.env;
    const options = stdio ? { env, stdio } : { env };
    const code = suite.jest
      ? await runJest(suite.jest, report, options)
      : await runNodeTests(suite.node, report, options);
    const counts = suite.jest ? readJestReport(report) : readTapReport(report);
    if (counts.passed + counts.failed === 0) return { passed: 0, failed: 1, failures: [], note: 'no test ran' };
    if (code !== 0 && counts.failed === 0) return { ...counts, failed: 1, note: `ended with code ${code}` };
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runJest([config, ...selection], report, options) {
  const jest = at('node_modules/jest/bin/jest.js');
  return limited(process.execPath, [jest, '--config', config, '--json', '--outputFile', report, ...selection], options);
}

function runNodeTests(folder, report, options) {
  const files = readdirSync(at(folder)).filter((file) => file.endsWith('.test.mjs'));
  const forPeople = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
  const forUs = ['--test-reporter=tap', `--test-reporter-destination=${report}`];
  const paths = files.map((file) => join(folder, file));
  return limited(process.execPath, ['--test', '--test-concurrency=1', ...forPeople, ...forUs, ...paths], options);
}

/** `timeout` is part of coreutils; where it is missing (macOS) a suite has no deadline but its own. */
function limited(command, args, options) {
  if (process.platform !== 'linux') return run(command, args, options);
  return run('timeout', ['--kill-after=10', String(SUITE_DEADLINE_S), command, ...args], options);
}

function readJestReport(report) {
  const text = readOr(report, '');
  if (!text) return { passed: 0, failed: 0, failures: [] };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(text);
  const failures = testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      const file = relative(at('.'), name);
      return failed.length > 0 ? failed.map(({ fullName }) => `${file}: ${fullName}`) : [`${file} did not run`];
    });
  // A file that did not even load has no failed test of its own.
  return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites, failures };
}

function readTapReport(report) {
  const text = readOr(report, '');
  const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  const failures = [...text.matchAll(/^ *not ok \d+ - (.+)$/gm)].map(([, name]) => name);
  return { passed: count('pass'), failed: count('fail') + count('cancelled'), failures };
}

function readOr(file, otherwise) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}

/** Prints what failed, so that nobody has to look for it in pages of output, a line a suite, and last of all the sums. */
export function printSummary(results) {
  console.log('');
  for (const { name, failures } of results) {
    for (const failure of failures) say(`failed in ${name}: ${failure}`);
  }
  for (const { name, passed, failed, seconds, note } of results) {
    const counts = `${String(passed).padStart(5)} passed, ${failed} failed`;
    say(
      `${name.padEnd(8)}${counts}${seconds === undefined ? '' : `, ${seconds.toFixed(0)} s`}${note ? ` (${note})` : ''}`,
    );
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed') === 0;
}
