// npm run sandbox: only the sandbox Telegram, with its control API; arguments go to it as they are.
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { endLike, ended, forwardSignals, startNode } from './lib/processes.mjs';
import { at, launch } from './lib/project.mjs';

await launch(async () => {
  await ensureInstalled();
  await ensureBuilt({ only: ['@tgcontrol/sandbox'] });
  const sandbox = startNode(['--enable-source-maps', at('backend/sandbox/dist/main.js'), ...process.argv.slice(2)], {
    env: process.env,
  });
  const stopForwarding = forwardSignals(() => [sandbox]);
  const code = await ended(sandbox);
  stopForwarding();
  return endLike(sandbox, code);
});
