import { setTimeout as sleep } from 'node:timers/promises';

/** A wait that is generous on purpose: a loaded machine is several times slower, and what comes is not waited for any longer. */
const PATIENCE_MS = 60_000;

/** At first, and at most: who waits for seconds need not ask fifty times in each, every time with a request and a query. */
const PAUSE_MS = { min: 20, max: 100 };

/** A promise about time, in milliseconds, as a test on a loaded machine can ask for it. */
export const onLoadedMachine = (promisedMs: number): number => promisedMs * 10;

/** Asks again and again until the answer is there, and fails with the last failure when it never is. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const began = performance.now();
  let failure: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    const waitedMs = performance.now() - began;
    if (waitedMs > timeoutMs) throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: failure });
    await sleep(Math.min(PAUSE_MS.max, Math.max(PAUSE_MS.min, waitedMs / 20)));
  }
}
