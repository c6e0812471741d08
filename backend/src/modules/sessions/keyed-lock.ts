/** Runs work for one key after another, and for different keys at once. */
export class KeyedLock {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Whether something runs or waits for this key. */
  has(key: string): boolean {
    return this.tails.has(key);
  }

  /** The keys that are in use. */
  get keys(): readonly string[] {
    return [...this.tails.keys()];
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key);
    const mine = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    this.tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.tails.get(key) === mine) {
        this.tails.delete(key);
      }
    }
  }
}
