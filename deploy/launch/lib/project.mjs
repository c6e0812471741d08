import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top of the checkout: launchers work from here whatever the current directory is. */
export const root = resolve(fileURLToPath(import.meta.url), '../../../..');

/** @param {...string} parts a path below the top of the checkout */
export const at = (...parts) => join(root, ...parts);

/** The entry of the built backend. */
export const BACKEND_MAIN = at('backend/dist/main.js');
/** The folder of the exported console. */
export const CONSOLE_OUT = at('console/out');

const OLDEST_NODE = [20, 19];

/**
 * Stops with a sentence instead of a syntax error or a missing API somewhere in a dependency.
 * The upper end is not checked: package.json names what was tried, and a newer Node gets its chance.
 */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new Failure(`Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.versions.node}.`);
}

/** An end that the person at the terminal can do something about: printed as one sentence, without a stack. */
export class Failure extends Error {
  /**
   * @param {string} message
   * @param {number} [exitCode]
   */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs a launcher: the returned number is the exit code, a Failure is printed without its stack.
 * @param {() => Promise<number | void>} main
 */
export async function launch(main) {
  // Set here, once, for every process below: nothing that the project runs reports home.
  process.env['NEXT_TELEMETRY_DISABLED'] = '1';
  process.env['SCARF_ANALYTICS'] = 'false';
  try {
    requireNode();
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = error.exitCode;
  }
}

/** @param {string} text a line that says what the launcher does now, told apart from what its children print */
export const say = (text) => console.log(`▸ ${text}`);
