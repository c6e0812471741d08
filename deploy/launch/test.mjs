// npm test [suite…]: every suite, or the named ones. The last line is the sum over all of them.
import { ensureBuilt } from './lib/build.mjs';
import { findChromium } from './lib/chromium.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Failure, launch } from './lib/project.mjs';
import { printSummary, runSuites, SUITES } from './lib/suites.mjs';

await launch(async () => {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    throw new Failure(`No such suite: ${unknown.join(', ')}. There are ${SUITES.map(({ name }) => name).join(', ')}.`);
  }
  const chosen = SUITES.filter(({ name }) => names.length === 0 || names.includes(name));
  await ensureInstalled();
  // Asked first: ten minutes of tests are no time to learn that a program is missing.
  if (chosen.some(({ browser }) => browser) && process.env['SKIP_BROWSER'] !== '1') await findChromium();
  await ensureBuilt();
  return printSummary(await runSuites(chosen)) ? 0 : 1;
});
