// npm run chaos [seconds] [seed]: a fleet in chaos for a quarter of an hour; docs/FLEET.md says what happens to it and what must hold.
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { run } from './lib/processes.mjs';
import { at, launch } from './lib/project.mjs';

/** The size that is promised; what the environment says comes first. */
const SIZE = {
  FLEET_CHAOS_SECONDS: process.argv[2] ?? '900',
  FLEET_CHAOS_SEED: process.argv[3] ?? '1',
  FLEET_CHAOS_SESSIONS: '60',
  FLEET_CHAOS_WORKERS: '3',
  FLEET_CHAOS_GATEWAYS: '2',
  FLEET_CHAOS_POOL_BOTS: '3',
  FLEET_CHAOS_FAULT_SECONDS: '30',
  FLEET_CHAOS_TOGETHER: '0.3',
};

await launch(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const jest = at('node_modules/jest/bin/jest.js');
  return run(process.execPath, [jest, '--config', 'backend/jest.config.mjs', '--runInBand', 'fleet-chaos'], {
    env: { ...SIZE, ...process.env },
  });
});
