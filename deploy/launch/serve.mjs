// npm run serve: only the built backend, in the role and with the settings of the environment.
// npm run backup, npm run restore: what it does instead of serving.
import { existsSync } from 'node:fs';
import { endLike, ended, forwardSignals, startNode } from './lib/processes.mjs';
import { BACKEND_MAIN, Failure, launch } from './lib/project.mjs';

await launch(async () => {
  if (!existsSync(BACKEND_MAIN)) throw new Failure('The backend is not built yet. Run: npm ci && npm run build');
  const server = startNode(['--enable-source-maps', BACKEND_MAIN, ...process.argv.slice(2)], { env: process.env });
  const stopForwarding = forwardSignals(() => [server]);
  const code = await ended(server);
  stopForwarding();
  return endLike(server, code);
});
