import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findChromium } from './chromium.mjs';
import { run } from './processes.mjs';
import { at, say } from './project.mjs';

/** A suite that hangs must not take a whole CI run with it. */
const SUITE_DEADLINE_S = 900;

/** These files mostly wait for TDLib, and share nothing but PostgreSQL; jest would run one less than there are processors. */
const TWO_AT_ONCE = '--maxWorkers=2';

/**
 * Every suite of the project, cheap ones first. `jest` names a config and what of it to run, `node` a folder for Node's
 * own test runner.
 * @type {readonly { name: string, jest?: readonly string[], node?: string, browser?: true }[]}
 */
export const SUITES = [
  { name: 'unit', jest: ['backend/jest.config.mjs', '--testPathPatterns', '[^-/]+\\.spec\\.ts$'] },
  { name: 'console', jest: ['console/jest.config.mjs', TWO_AT_ONCE] },
  { name: 'sandbox', jest: ['backend/sandbox/jest.config.mjs', TWO_AT_ONCE] },
  { name: 'e2e', jest: ['backend/jest.config.mjs', TWO_AT_ONCE, '--testPathPatterns', '\\.e2e-spec\\.ts$'] },
  { name: 'boot', jest: ['backend/jest.config.mjs', TWO_AT_ONCE, '--testPathPatterns', '\\.boot-spec\\.ts$'] },
  { name: 'deploy', node: 'deploy/test' },
  { name: 'browser', jest: ['console/jest.browser.config.mjs'], browser: true },
];

/**
 * Runs one suite with its output visible.
 * @returns {Promise<{ passed: number, failed: number, failures: readonly string[], note?: string }>} `failures` are names of
 *   what failed; a suite that ran no test, broke off or hung counts at least one failure
 */
export async function runSuite(suite) {
  if (suite.browser && process.env['SKIP_BROWSER'] === '1') {
    return { passed: 0, failed: 0, failures: [], note: 'left out: SKIP_BROWSER=1' };
  }
  const folder = mkdtempSync(join(tmpdir(), 'tgcontrol-suite-'));
  try {
    const report = join(folder, 'report');
    const env = suite.browser ? { ...process.env, CHROMIUM_PATH: await findChromium() } : process.env;
    const code = suite.jest ? await runJest(suite.jest, report, env) : await runNodeTests(suite.node, report, env);
    const counts = suite.jest ? readJestReport(report) : readTapReport(report);
    if (counts.passed + counts.failed === 0) return { passed: 0, failed: 1, failures: [], note: 'no test ran' };
    if (code !== 0 && counts.failed === 0) return { ...counts, failed: 1, note: `ended with code ${code}` };
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runJest([config, ...selection], report, env) {
  const jest = at('node_modules/jest/bin/jest.js');
  return limited(process.execPath, [jest, '--config', config, '--json', '--outputFile', report, ...selection], env);
}

function runNodeTests(folder, report, env) {
  const files = readdirSync(at(folder)).filter((file) => file.endsWith('.test.mjs'));
  const forPeople = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
  const forUs = ['--test-reporter=tap', `--test-reporter-destination=${report}`];
  const paths = files.map((file) => join(folder, file));
  return limited(process.execPath, ['--test', '--test-concurrency=1', ...forPeople, ...forUs, ...paths], env);
}

/** `timeout` is part of coreutils; where it is missing (macOS) a suite has no deadline but its own. */
function limited(command, args, env) {
  if (process.platform !== 'linux') return run(command, args, { env });
  return run('timeout', ['--kill-after=10', String(SUITE_DEADLINE_S), command, ...args], { env });
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
