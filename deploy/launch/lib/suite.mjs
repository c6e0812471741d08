import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findChromium } from './chromium.mjs';
import { run } from './processes.mjs';
import { at } from './project.mjs';

/** A suite that hangs must not take a whole CI run with it. */
const SUITE_DEADLINE_S = 1200;

/** The end of the names of files for Node's own test runner. */
const NODE_TEST = '.test.mjs';

/**
 * A suite, or a part of one. `jest` names a config and what of it to run, `node` a folder or a file for Node's own test runner.
 * @typedef {{ name: string, jest?: readonly string[], node?: string, browser?: true }} Suite
 */

/**
 * A test that failed, or a file that did not even load, which has no `test`. `file` is relative to the top of the checkout.
 * @typedef {{ file: string, test?: string }} Failed
 */

/** The same suite, but nothing of it except one file. */
export function onlyFile(suite, file) {
  if (!suite.jest) return { ...suite, node: file };
  return { ...suite, jest: [suite.jest[0], '--runInBand', '--runTestsByPath', at(file)] };
}

/**
 * Runs one suite with its output visible, unless `stdio` says where else it goes.
 * @param {Suite} suite
 * @returns {Promise<{ passed: number, failed: number, failures: readonly Failed[], note?: string }>} a suite that ran no test, broke
 *   off or hung counts at least one failure, which `failures` may not have
 */
export async function runSuite(suite, stdio) {
  if (suite.browser && process.env['SKIP_BROWSER'] === '1') {
    return { passed: 0, failed: 0, failures: [], note: 'left out: SKIP_BROWSER=1' };
  }
  const folder = mkdtempSync(join(tmpdir(), 'tgcontrol-suite-'));
  try {
    const env = suite.browser ? { ...process.env, CHROMIUM_PATH: await findChromium() } : process.env;
    const options = stdio ? { env, stdio } : { env };
    const { code, ...counts } = suite.jest
      ? await runJest(suite.jest, folder, options)
      : await runNodeTests(suite.node, folder, options);
    if (counts.passed + counts.failed === 0) return { ...counts, failed: 1, note: 'no test ran' };
    if (code !== 0 && counts.failed === 0) return { ...counts, failed: 1, note: `ended with code ${code}` };
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runJest([config, ...selection], folder, options) {
  const report = join(folder, 'report');
  const jest = at('node_modules/jest/bin/jest.js');
  const args = [jest, '--config', config, '--json', '--outputFile', report, ...selection];
  const code = await limited(process.execPath, args, options);
  return { code, ...readJestReport(report) };
}

/** A file at a time, so that each failure has its file. */
async function runNodeTests(path, folder, options) {
  const files = path.endsWith(NODE_TEST)
    ? [path]
    : readdirSync(at(path), { recursive: true })
        .filter((file) => file.endsWith(NODE_TEST))
        .map((file) => join(path, file))
        .sort();
  const sum = { code: 0, passed: 0, failed: 0, failures: [] };
  for (const file of files) {
    const report = join(folder, 'report');
    const forPeople = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
    const forUs = ['--test-reporter=tap', `--test-reporter-destination=${report}`];
    sum.code ||= await limited(process.execPath, ['--test', ...forPeople, ...forUs, file], options);
    const { passed, failed, failures } = readTapReport(report, file);
    sum.passed += passed;
    sum.failed += failed;
    sum.failures.push(...failures);
    rmSync(report, { force: true });
  }
  return sum;
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
      const file = relative(at('.'), name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      return failed.length > 0 ? failed.map(({ fullName }) => ({ file, test: fullName })) : [{ file }];
    });
  // A file that did not even load has no failed test of its own.
  return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites, failures };
}

function readTapReport(report, file) {
  const text = readOr(report, '');
  const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  // A group of tests fails with each of them, and counts for nothing.
  const failed = /^ *not ok \d+ - (.+)\n *---\n *duration_ms: .*\n(?! *type: 'suite')/gm;
  const failures = [...text.matchAll(failed)].map(([, test]) => ({ file, test }));
  return { passed: count('pass'), failed: count('fail') + count('cancelled'), failures };
}

function readOr(file, otherwise) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}
