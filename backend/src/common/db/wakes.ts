type Wake = () => void;

/** Those who wait for something of a name to change, whoever tells that it did. */
export class Wakes {
  private readonly waiting = new Map<string, Set<Wake>>();
  private stopped = false;

  /** Whether nobody shall wait any more. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /**
   * To be called before one looks, so that no change comes in between unnoticed.
   * @returns `arrived` settles when there may be one, or when the time is over; `leave` ends it at once
   */
  listen(name: string, timeoutMs: number): { readonly arrived: Promise<void>; readonly leave: () => void } {
    let leave: Wake = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      const wakes = this.waiting.get(name) ?? new Set();
      this.waiting.set(name, wakes);
      const timer = setTimeout(() => leave(), timeoutMs);
      leave = (): void => {
        clearTimeout(timer);
        wakes.delete(leave);
        if (wakes.size === 0 && this.waiting.get(name) === wakes) this.waiting.delete(name);
        resolve();
      };
      wakes.add(leave);
      if (this.stopped) leave();
    });
    return { arrived, leave };
  }

  wake(name: string): void {
    for (const wake of [...(this.waiting.get(name) ?? [])]) wake();
  }

  wakeAll(): void {
    for (const name of [...this.waiting.keys()]) this.wake(name);
  }

  /** Nobody waits from now on. */
  stop(): void {
    this.stopped = true;
    this.wakeAll();
  }
}
