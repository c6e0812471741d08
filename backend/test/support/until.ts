import { setTimeout as sleep } from 'node:timers/promises';

/** A wait that is generous on purpose: a loaded machine is several times slower, and what comes is not waited for any longer. */
const PATIENCE_MS = 60_000;

/** A promise about time, in milliseconds, as a test on a loaded machine can ask for it. */
export const onLoadedMachine = (promisedMs: number): number => promisedMs * 3;

/** Asks again and again until the answer is there, and fails with the last failure when it never is. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let failure: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: failure });
    await sleep(20);
  }
}
