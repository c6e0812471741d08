// npm run clients [name of a test]: real clients of S3 against a pool of bots on the sandbox Telegram, which limits them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './lib/build.mjs';
import { installDebian } from './lib/debian.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { run } from './lib/processes.mjs';
import { at, launch, say } from './lib/project.mjs';

/** The programs, each with its package in Debian. */
const PACKAGES = {
  aws: 'awscli',
  rclone: 'rclone',
  s3cmd: 's3cmd',
  skopeo: 'skopeo',
  'docker-registry': 'docker-registry',
};

const isThere = (program) => (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, program)));

await launch(async () => {
  await ensureInstalled();
  await ensureBuilt();
  for (const [program, name] of Object.entries(PACKAGES)) {
    // Another aws in the PATH is tried as well, but Debian's is the one that is promised.
    if (existsSync(join('/usr/bin', program)) || (await installDebian(name)) || isThere(program)) continue;
    say(`Without ${program}: on Debian, apt-get install ${name}`);
  }
  const named = process.argv.slice(2).flatMap((name) => ['--testNamePattern', name]);
  return run(process.execPath, [
    at('node_modules/jest/bin/jest.js'),
    ...['--config', 'backend/jest.config.mjs', '--runInBand', '--verbose'],
    ...['--testMatch', '<rootDir>/test/*.clients-spec.ts'],
    ...named,
  ]);
});
