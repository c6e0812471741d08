import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Sandbox } from './sandbox.js';
import { formatEnv } from './tdlib/env-file.js';

const USAGE = `Usage: sandbox [options]
  --dir <path>           where everything is kept (default: data/sandbox)
  --control-port <port>  port of the HTTP control API (default: 8090)
  --control-host <host>  address it listens on (default: 127.0.0.1)
  --proxy-port <port>    port of the SOCKS5 proxy that clients use (default: any free one, the same at the next start)
  --library-dir <path>   where the patched TDLib is kept (default: <dir>/library)
  --help                 this text`;

const options = {
  dir: { type: 'string', default: 'data/sandbox' },
  'control-port': { type: 'string', default: '8090' },
  'control-host': { type: 'string', default: '127.0.0.1' },
  'proxy-port': { type: 'string' },
  'library-dir': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** @throws RangeError */
function portOf(text: string, option: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new RangeError(`--${option} is not a port: ${text}`);
  return port;
}

async function run(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  // From here on a signal ends the sandbox in order, even one that comes while it starts.
  const stopped = ended();
  const dir = resolve(values.dir);
  const sandbox = await Sandbox.start({
    dir,
    controlPort: portOf(values['control-port'], 'control-port'),
    controlHost: values['control-host'],
    ...(values['proxy-port'] !== undefined && { proxyPort: portOf(values['proxy-port'], 'proxy-port') }),
    libraryDir: values['library-dir'] ?? resolve(dir, 'library'),
    log: (line) => console.error(line),
  });
  process.stdout.write(formatEnv(sandbox.env));
  console.error(
    `The same lines are in ${resolve(dir, 'env')}; control API: http://${values['control-host']}:${sandbox.controlPort ?? 0}`,
  );
  await stopped;
  await sandbox.stop();
}

/** Resolves at the first signal that asks to end. */
function ended(): Promise<void> {
  return new Promise((done) => {
    process.once('SIGINT', () => done());
    process.once('SIGTERM', () => done());
  });
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
