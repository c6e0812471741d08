/** Those who wait for a condition that is looked at after every change. */
export class Waiters {
  private readonly checks = new Set<() => void>();

  /** Settles when `reached` holds, looked at after every change, or when the time is over. @returns whether it holds */
  async waitFor(reached: () => boolean, timeoutMs: number): Promise<boolean> {
    if (reached()) {
      return true;
    }
    return new Promise((resolve) => {
      const finish = (result: boolean): void => {
        clearTimeout(timer);
        this.checks.delete(check);
        resolve(result);
      };
      const check = (): void => {
        if (reached()) {
          finish(true);
        }
      };
      const timer = setTimeout(() => finish(reached()), timeoutMs);
      this.checks.add(check);
    });
  }

  /** Something has changed. */
  wake(): void {
    for (const check of [...this.checks]) {
      check();
    }
  }
}
