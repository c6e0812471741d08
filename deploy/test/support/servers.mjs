import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../launch/lib/project.mjs';

/** A port that was free a moment ago. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A folder that a server of another user (PostgreSQL's, where the tests run as root) can reach. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'tgcontrol-deploy-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Starts a program and keeps what it prints.
 * @returns {{ output: () => string, stop: (signal?: NodeJS.Signals) => Promise<{ code: number | null, signal: string | null }> }}
 */
export function startProgram(command, args, env) {
  const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const end = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    output: () => output,
    end,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return end;
    },
  };
}

/**
 * Asks again until `probe` returns something, or throws what the program printed.
 * @template T
 * @param {() => Promise<T | undefined>} probe
 */
export async function until(probe, program, deadlineMs = 60_000) {
  const deadline = Date.now() + deadlineMs;
  let ended = false;
  void program.end.then(() => (ended = true));
  while (Date.now() < deadline && !ended) {
    const found = await probe().catch(() => undefined);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(
    `${ended ? 'The program ended' : `Nothing within ${deadlineMs / 1000} s`}. It printed:\n${program.output()}`,
  );
}
