import { spawn } from 'node:child_process';
import { Failure, root } from './project.mjs';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** A terminal's Ctrl-C reaches us from the terminal and again from npm: the second one is an echo. */
const ECHO_MS = 500;

/** Processes started by `start`, in that order. */
const running = new Set();

/**
 * Runs a command to its end, its output visible.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>} its exit code; a death by signal counts as 128 + signal, as a shell reports it
 */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options });
  let stoppedBy;
  const stopForwarding = forwardSignals(
    () => [child],
    (signal) => (stoppedBy = signal),
  );
  try {
    const code = await ended(child);
    // Whoever stops a step means the whole command.
    if (stoppedBy) throw new Failure(`Stopped by ${stoppedBy}.`, 128 + signalNumber(stoppedBy));
    return code;
  } finally {
    stopForwarding();
  }
}

/** As `run`, but anything else than exit code 0 ends the launcher with it. */
export async function mustRun(command, args, options = {}) {
  const code = await run(command, args, options);
  if (code !== 0) throw new Failure(`${[command, ...args].join(' ')} ended with code ${code}.`, code);
}

/** Runs a Node program with the Node that runs the launcher. */
export const mustRunNode = (args, options) => mustRun(process.execPath, args, options);

/**
 * Starts a server in a process group of its own, so that a Ctrl-C reaches it once, from us, and in our order.
 * @param {readonly string[]} args of Node
 * @param {{ env: NodeJS.ProcessEnv, stdio?: import('node:child_process').StdioOptions }} options
 */
export function startNode(args, { env, stdio = ['ignore', 'inherit', 'inherit'] }) {
  const child = spawn(process.execPath, args, { cwd: root, env, stdio, detached: true });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
export function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + signalNumber(signal)));
  });
}

/**
 * Passes SIGINT, SIGTERM and SIGHUP on to `targets()` until the returned function is called.
 * @param {() => Iterable<import('node:child_process').ChildProcess>} targets
 * @param {(signal: NodeJS.Signals) => void} [onSignal]
 * @returns {() => void}
 */
export function forwardSignals(targets, onSignal = () => {}) {
  let last = { signal: '', at: 0 };
  const handlers = FORWARDED.map((signal) => {
    const handler = () => {
      const now = Date.now();
      if (last.signal === signal && now - last.at < ECHO_MS) return;
      last = { signal, at: now };
      onSignal(signal);
      for (const child of targets()) child.kill(signal);
    };
    process.on(signal, handler);
    return [signal, handler];
  });
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
}

/**
 * Waits for the product to answer 2xx, or says that it ended first. It tells by itself when it listens: whoever answered on
 * its port before that is somebody else.
 * @param {string} url
 * @param {import('node:child_process').ChildProcess} child with a channel
 * @param {number} deadlineMs
 */
export async function answering(url, child, deadlineMs = 60_000) {
  const deadline = Date.now() + deadlineMs;
  let listens = false;
  child.once('message', () => {
    listens = true;
    child.disconnect();
  });
  while (child.exitCode === null && child.signalCode === null) {
    if (Date.now() > deadline) throw new Failure(`${url} did not answer within ${deadlineMs / 1000} s.`);
    if (listens && (await answers(url))) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Failure(`The process that should answer ${url} has ended.`, child.exitCode ?? 1);
}

async function answers(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** Ends every started server, the newest first, and waits for each. A server that ignores SIGTERM for 30 s is killed. */
export async function stopAll(signal = 'SIGTERM') {
  for (const child of [...running].reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const end = ended(child);
    child.kill(signal);
    const killer = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await end;
    clearTimeout(killer);
  }
}

/** Ends this process the way its child ended, so that whoever waits for us sees the same thing. */
export function endLike(child, code) {
  if (child.signalCode) process.kill(process.pid, child.signalCode);
  return code;
}

function signalNumber(signal) {
  return { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 }[signal] ?? 0;
}
