import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.js';

const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');

/** A role in a process of its own with an environment of its own, for what happens at its start and its end. */
export class ServerProcess {
  stdout = '';
  stderr = '';
  private ended: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    // Not `exit`: what it printed last is still on its way then.
    child.on('close', (code, signal) => (this.ended = { code, signal }));
  }

  /**
   * Starts `node dist/main.js` with nothing but this environment.
   * @param args a command, to do instead of serving
   * @param openFiles how many files it may have open, if not as many as this process
   */
  static start(env: NodeJS.ProcessEnv, args: readonly string[] = [], openFiles?: number): ServerProcess {
    if (!existsSync(MAIN)) throw new Error('the backend is not built: run `npm run build -w @tgcontrol/backend`');
    const path = process.env['PATH'];
    const limiting = openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles} && exec "$0" "$@"`];
    const [program = process.execPath, ...rest] = [...limiting, process.execPath, MAIN, ...args];
    return new ServerProcess(
      spawn(program, rest, {
        env: { ...(path !== undefined && { PATH: path }), ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Resolves with its URL when it says that it answers. */
  async answering(): Promise<string> {
    return until(
      'the server',
      () => {
        if (this.ended) throw new Error(`it ended with ${this.ended.code ?? 'a signal'}: ${this.stderr}`);
        return /answers at (http:\S+)/.exec(this.stdout)?.[1];
      },
      110_000,
    );
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Resolves with its exit code when it has ended, or with the signal that ended it. */
  async end(timeoutMs = 60_000): Promise<number | string> {
    const { code, signal } = await until('the end', () => this.ended, timeoutMs);
    return code ?? signal ?? 'unknown';
  }

  /** Ends it by force, if it still runs. */
  async kill(): Promise<void> {
    if (!this.ended) this.child.kill('SIGKILL');
    await this.end();
  }
}
