import 'reflect-metadata';
import { AppConfig } from './config/index.js';
import { isCommand, runCommand } from './roles/commands.js';
import { type Running, run } from './roles/run.js';
import { describeStartFailure } from './roles/start-failure.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

let starting: Promise<Running> | undefined;
/** A closing terminal signals this process and its launcher, which passes the signal on: together they are one request to end. */
const SAME_REQUEST_MS = 2_000;
let endingSince: number | undefined;
const ending = new AbortController();

/** Ends what runs, or what is just starting, in order; asked again a while later, it ends at once. */
function end(code: number): void {
  if (endingSince !== undefined) {
    if (Date.now() - endingSince > SAME_REQUEST_MS) process.exit(1);
    return;
  }
  endingSince = Date.now();
  ending.abort();
  Promise.resolve(starting)
    .then((running) => running?.stop())
    .then(
      () => process.exit(code),
      () => process.exit(1),
    );
}

async function serve(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
  const onFatal = (reason: string): void => {
    complain(`tgcontrol: ${reason}`);
    end(1);
  };
  starting = run(AppConfig.fromEnv(process.env), say, onFatal, ending.signal);
  say(`tgcontrol answers at ${(await starting).url}`);
  // A launcher cannot tell from outside whether it is this process that answers on the port. One that is gone needs nothing.
  process.send?.('answers', undefined, undefined, () => undefined);
}

const args = process.argv.slice(2);
try {
  if (isCommand(args)) await runCommand(args, AppConfig.fromEnv(process.env), say);
  else await serve();
} catch (error) {
  complain(describeStartFailure(error));
  process.exit(1);
}
