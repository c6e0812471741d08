const STEP_MS = 10;

/** Waits until `look` gives something other than undefined or false. @throws Error after `deadlineMs` */
export async function until<T>(look: () => T | undefined | false, what: string, deadlineMs = 20_000): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}
