import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_TOKEN, freePort, testEnv } from './app.js';
import { until } from './until.js';

const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');

/** Some seconds on a machine with nothing else to do. */
const START_TIMEOUT_MS = 180_000;

/** An answer of a product process. */
export interface ProcessAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly result?: Record<string, unknown>;
    readonly sends?: readonly Record<string, unknown>[];
    readonly error?: Record<string, unknown>;
  };
}

/** A real process of the built product. */
export class ProductProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly isWrapped: boolean,
    private readonly log: readonly string[],
  ) {}

  /**
   * Starts a role and waits until it answers.
   * @param wrapper a command that runs the process as its child, such as strace, or in its place
   * @param host where it listens
   */
  static async start(
    role: 'all' | 'worker' | 'gateway',
    env: NodeJS.ProcessEnv,
    wrapper: readonly string[] = [],
    host = '127.0.0.1',
  ): Promise<ProductProcess> {
    if (!existsSync(MAIN)) throw new Error('the backend is not built: npm run build');
    const listen = `${host}:${await freePort()}`;
    const log: string[] = [];
    const [wrapping, ...options] = wrapper;
    const [command, programs] =
      wrapping === undefined ? [process.execPath, [MAIN]] : [wrapping, [...options, process.execPath, MAIN]];
    const child = spawn(command, programs, {
      env: {
        PATH: process.env['PATH'],
        ...testEnv(role, { LOG_LEVEL: 'warn', ...env, LISTEN_ADDR: listen }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.on('data', (data: Buffer) => log.push(data.toString()));
    child.stderr.on('data', (data: Buffer) => log.push(data.toString()));
    const started = new ProductProcess(child, `http://${listen}`, wrapper.length > 0, log);
    await until(
      'the start',
      async () => started.hasEnded || (await fetch(`${started.url}/healthz`)).ok,
      START_TIMEOUT_MS,
    );
    if (started.hasEnded) throw new Error(started.output);
    return started;
  }

  async ask(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ProcessAnswer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${API_TOKEN}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as ProcessAnswer['body'],
    };
  }

  /** @throws Error for a refusal, with its envelope */
  async must(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await this.ask(method, path, body);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer));
    return answer.body.result ?? {};
  }

  /** @returns the exit code, or the signal that ended it */
  async end(signal: NodeJS.Signals): Promise<number | string | null> {
    if (this.hasEnded) {
      return this.child.exitCode ?? this.child.signalCode;
    }
    const ended = this.ended();
    process.kill(this.pid, signal);
    return ended;
  }

  /** Sends a signal, unless it has ended. */
  signal(signal: NodeJS.Signals): void {
    if (!this.hasEnded) process.kill(this.pid, signal);
  }

  /** What it has written so far. */
  get output(): string {
    return this.log.join('');
  }

  /** Whether it has ended, whoever ended it. */
  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves when it has ended by itself. @returns the exit code, or the signal that ended it */
  async ended(): Promise<number | string | null> {
    return until('its end', () => this.child.exitCode ?? this.child.signalCode ?? undefined);
  }

  /** Of the product itself, also when something wraps it. */
  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error('the process did not start');
    const [child = ''] = this.isWrapped
      ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
      : [];
    return child === '' ? pid : Number(child);
  }
}
