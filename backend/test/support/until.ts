import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the answer is there, and fails with the last failure when it never is. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 15_000,
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
