import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const BUILT_PRODUCT = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** A process that a benchmark measures. */
export interface Measured {
  readonly pid: number;
  readonly url: string;
  stop(): Promise<void>;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') {
    throw new Error('no port');
  }
  return address.port;
}

/** Repeats `attempt` until it gives something. */
export async function until<T>(what: string, attempt: () => Promise<T | undefined>, timeoutMs = 60_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await attempt().catch(() => undefined);
    if (result !== undefined) {
      return result;
    }
    if (Date.now() > deadline) {
      throw new Error(`${what} did not happen within ${timeoutMs / 1_000} s`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
}

/** Starts the built product in a role and waits until it answers. */
export async function startProduct(
  env: Readonly<Record<string, string>>,
  nodeArguments: readonly string[] = [],
): Promise<Measured & { readonly startMs: number }> {
  if (!existsSync(BUILT_PRODUCT)) {
    throw new Error('the product is not built: npm run build');
  }
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = spawn(process.execPath, [...nodeArguments, BUILT_PRODUCT], {
    env: {
      PATH: process.env['PATH'],
      LISTEN_ADDR: `127.0.0.1:${port}`,
      LOG_LEVEL: 'error',
      PACE_PER_SECOND: '0',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { pid } = child;
  if (pid === undefined) {
    throw new Error('the product did not start');
  }
  await until('the start of the product', async () => {
    if (child.exitCode !== null) {
      throw new Error('the product has ended');
    }
    return (await fetch(`${url}/healthz`)).ok || undefined;
  });
  return { pid, url, startMs: performance.now() - began, stop: () => end(child) };
}

/** A program of this directory, with what it said when it was ready. */
export interface Helper<Ready> {
  readonly pid: number;
  readonly ready: Ready;
  /**
   * Sends a message and gives the one that comes back; one at a time.
   * @throws Error when none comes within `timeoutMs`, a minute if it is absent
   */
  ask<Answer>(message: object, timeoutMs?: number): Promise<Answer>;
  stop(): Promise<void>;
}

/** Starts a program of this directory, which sends one message when it is ready. */
export async function startHelper<Ready>(file: string, input: unknown): Promise<Helper<Ready>> {
  const child = fork(fileURLToPath(new URL(`../${file}.js`, import.meta.url)), [JSON.stringify(input)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const { pid } = child;
  if (pid === undefined) {
    throw new Error(`${file} did not start`);
  }
  const ready = await Promise.race([
    once(child, 'message').then(([message]) => message as Ready),
    once(child, 'exit').then(() => Promise.reject(new Error(`${file} has ended`))),
  ]);
  const ask = async <Answer>(question: object, timeoutMs = 60_000): Promise<Answer> => {
    const answer = once(child, 'message', { signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
      throw new Error(`${file} has not answered within ${timeoutMs / 1_000} s`, { cause: error });
    });
    child.send(question);
    return ((await answer) as readonly Answer[])[0] as Answer;
  };
  return { pid, ready, ask, stop: () => end(child) };
}

/** Processor time that a process and its descendants have used, in milliseconds. */
export function cpuMs(pid: number): number {
  return descendants(pid).reduce((sum, each) => sum + cpuOf(each), 0);
}

/** From the scheduler's own account: the ticks of /proc/<pid>/stat are a sample, and wrong for work in short pieces. */
function cpuOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const [onCpuNanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
      return sum + Number(onCpuNanoseconds) / 1e6;
    }, 0);
  } catch {
    return 0;
  }
}

/** Memory of a process and its descendants that is theirs, shared pages split among their users, in MiB. */
export function pssMiB(pid: number): number {
  return descendants(pid).reduce((sum, each) => sum + pssOf(each), 0) / 1_024;
}

function pssOf(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Memory of a process that is in use, in MiB. */
export function residentMiB(pid: number): number {
  return memoryOf(pid, 'VmRSS');
}

/** The most that was in use since `forgetPeak`, in MiB. */
export function peakMiB(pid: number): number {
  return memoryOf(pid, 'VmHWM');
}

/** From now on the peak is what comes (proc(5), clear_refs). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function memoryOf(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? NaN) / 1_024;
}

function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It ended meanwhile.
    }
  }
  const found = [pid];
  for (let at = 0; at < found.length; at += 1) {
    found.push(...(children.get(found[at] ?? -1) ?? []));
  }
  return found;
}
