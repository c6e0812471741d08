import { existsSync } from 'node:fs';
import { installDebian } from './debian.mjs';
import { Failure } from './project.mjs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * A Chromium for the browser tests: CHROMIUM_PATH, one in a usual place, or Debian's, installed now when we may.
 * @returns {Promise<string>} the path of its program
 */
export async function findChromium() {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined) {
    if (existsSync(named)) return named;
    throw new Failure(`CHROMIUM_PATH is ${named}, and there is no such file.`);
  }
  const found = PLACES.find((place) => existsSync(place));
  if (found) return found;
  if (await installDebian('chromium')) return PLACES[0];
  throw new Failure(
    'The browser tests need Chromium. Install it (Debian, Ubuntu: apt-get install chromium) or name one in CHROMIUM_PATH;\n' +
      'SKIP_BROWSER=1 leaves these tests out.',
  );
}
