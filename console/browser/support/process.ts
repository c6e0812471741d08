import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

const STOP_MS = 20_000;
/** A wait that is generous on purpose: a loaded machine is several times slower, and what comes is not waited for any longer. */
export const PATIENCE_MS = 60_000;

/** A child of the test whose last words are kept, for the message when something goes wrong. */
export interface Started {
  readonly child: ChildProcess;
  /** The newest output, both streams. */
  output(): string;
  /** SIGTERM, and SIGKILL when it does not end in time. */
  stop(): Promise<void>;
}

/** Starts a node program with exactly the environment given, beside PATH and HOME. */
export function startNode(args: readonly string[], env: Readonly<Record<string, string>>): Started {
  return startProgram(process.execPath, args, env);
}

/** Starts any program like that. */
export function startProgram(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Started {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, args, {
    env: { PATH, HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const keep = (chunk: Buffer): void => {
    said = (said + chunk.toString()).slice(-8_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return {
    child,
    output: () => said,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(killer);
    },
  };
}

/** A port of the loopback that nobody uses now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/**
 * Asks until there is an answer.
 *
 * @throws Error naming what was waited for, with the last failure, when the time is over.
 */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, timeoutMs = PATIENCE_MS): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not come within ${timeoutMs} ms`, { cause: last });
}
