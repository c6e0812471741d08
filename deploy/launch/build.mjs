// npm run build: backend, sandbox and console, all of them anew, from what `npm ci` installed. Needs no network.
import { ensureBuilt } from './lib/build.mjs';
import { launch } from './lib/project.mjs';

await launch(() => ensureBuilt({ force: true }));
