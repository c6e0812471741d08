import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { root } from '../launch/lib/project.mjs';
import { startProgram, temporaryFolder } from './support/servers.mjs';

/** A test that fails at its first run and passes at each later one, told by a file. */
const failsOnce = (trace) => `const { existsSync, writeFileSync } = require('node:fs');
  const isFirst = !existsSync(${JSON.stringify(trace)});
  writeFileSync(${JSON.stringify(trace)}, '');
  it('holds at the second time', () => { if (isFirst) throw new Error('not now'); });`;

const FAILS = `it('never holds', () => { throw new Error('no'); });`;
const PASSES = `it('holds', () => {});`;

describe('the suites', () => {
  let temporary;
  const at = (name) => join(temporary.folder, name);

  beforeEach(() => {
    temporary = temporaryFolder();
    mkdirSync(at('jest'));
    writeFileSync(at('jest/config.json'), JSON.stringify({ rootDir: '.', transform: {}, testEnvironment: 'node' }));
    mkdirSync(at('node'));
  });
  afterEach(() => temporary.remove());

  const jest = (name, code) => writeFileSync(at(`jest/${name}.test.js`), code);
  const node = (name, code) =>
    writeFileSync(
      at(`node/${name}.test.mjs`),
      `import { createRequire } from 'node:module'; import { describe, it } from 'node:test';
       const require = createRequire(import.meta.url); describe('what', () => { ${code} });`,
    );

  const ASIDE = () => ({ name: 'first', jest: [at('jest/config.json'), '--maxWorkers=1'], aside: true, pieces: 2 });
  const OTHER = () => ({ name: 'second', node: relative(root, at('node')) });

  /** Runs what has been written, as `npm test` does. */
  const run = async (suites = [ASIDE(), OTHER()]) => {
    const program = startProgram(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { printSummary, runSuites } from './deploy/launch/lib/suites.mjs';
         process.exitCode = printSummary(await runSuites(${JSON.stringify(suites)})) ? 0 : 1;`,
      ],
      // Node's runner runs nothing below another one, which it would know by this.
      { NODE_TEST_CONTEXT: undefined },
    );
    const { code } = await program.end;
    return { code, output: program.output(), lines: program.output().trimEnd().split('\n') };
  };

  it('pass with a test that fails beside others and not by itself, and name it', async () => {
    jest('steady', PASSES);
    jest('unsteady', failsOnce(at('trace-1')));
    node('steady', PASSES);
    node('unsteady', failsOnce(at('trace-2')));
    const { code, lines } = await run();
    assert.equal(code, 0, lines.join('\n'));
    const told = lines.filter((line) => line.startsWith('▸ unsteady in '));
    assert.match(
      told[0],
      /^▸ unsteady in first: .*unsteady\.test\.js: holds at the second time, passed when run by itself$/,
    );
    assert.match(
      told[1],
      /^▸ unsteady in second: .*unsteady\.test\.mjs: holds at the second time, passed when run by itself$/,
    );
    assert.ok(
      lines.some((line) => /^▸ first +2 passed, 0 failed, 1 unsteady, \d+ s$/.test(line)),
      lines.join('\n'),
    );
    assert.ok(
      lines.some((line) => /^▸ second +2 passed, 0 failed, 1 unsteady, \d+ s$/.test(line)),
      lines.join('\n'),
    );
    assert.equal(lines.at(-1), '4 passed, 0 failed');
  });

  it('fail with a test that fails by itself as well, and with a file that does not load', async () => {
    jest('steady', PASSES);
    jest('wrong', FAILS);
    jest('broken', `require('./nowhere.js');`);
    jest('unsteady', failsOnce(at('trace')));
    node('steady', PASSES);
    const { code, lines } = await run();
    assert.equal(code, 1);
    assert.ok(
      lines.some((line) => /^▸ failed in first: .*wrong\.test\.js: never holds$/.test(line)),
      lines.join('\n'),
    );
    assert.ok(lines.some((line) => /^▸ failed in first: .*broken\.test\.js: did not run$/.test(line)));
    assert.ok(lines.some((line) => /^▸ unsteady in first: .*unsteady\.test\.js: holds/.test(line)));
    assert.equal(lines.at(-1), '3 passed, 2 failed');
  });

  it('leave no lane idle while a suite waits for its turn', async () => {
    const trace = at('trace');
    for (const name of ['one', 'two']) jest(name, PASSES);
    // It ends only when the one behind it has run, which the lane of the first has to do.
    node(
      'slow',
      `const { existsSync } = require('node:fs');
       const hasRun = () => existsSync(${JSON.stringify(trace)});
       it('is not waited for', async () => {
         const deadline = Date.now() + 60_000;
         while (!hasRun() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
         if (!hasRun()) throw new Error('the other suite has not run');
       });`,
    );
    mkdirSync(at('behind'));
    writeFileSync(
      at('behind/quick.test.mjs'),
      `import { writeFileSync } from 'node:fs'; import { it } from 'node:test';
       it('runs', () => writeFileSync(${JSON.stringify(trace)}, ''));`,
    );
    const { code, lines } = await run([ASIDE(), OTHER(), { name: 'third', node: relative(root, at('behind')) }]);
    assert.equal(code, 0, lines.join('\n'));
    assert.ok(!lines.some((line) => line.startsWith('▸ unsteady in ')), lines.join('\n'));
  });

  it('try nothing again when many files fail', async () => {
    for (const name of ['one', 'two', 'three']) jest(name, FAILS);
    jest('unsteady', failsOnce(at('trace')));
    node('steady', PASSES);
    const { code, output, lines } = await run();
    assert.equal(code, 1);
    assert.ok(!output.includes('Once more'), output);
    assert.equal(lines.at(-1), '1 passed, 4 failed');
  });
});
