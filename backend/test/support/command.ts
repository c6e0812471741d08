import { AppConfig } from '../../src/config/index.js';
import { runCommand } from '../../src/roles/commands.js';
import { describeStartFailure } from '../../src/roles/start-failure.js';
import { testEnv } from './app.js';

/** What a command has said. */
export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the product to its end, in this process: one of its own takes seconds to load. An empty variable is an absent one. */
export async function command(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Said> {
  const lines: string[] = [];
  const stdout = (): string => lines.map((line) => `${line}\n`).join('');
  try {
    await runCommand(args, AppConfig.fromEnv(testEnv('all', env)), (line) => void lines.push(line));
    return { code: 0, stdout: stdout(), stderr: '' };
  } catch (error) {
    return { code: 1, stdout: stdout(), stderr: describeStartFailure(error) };
  }
}
