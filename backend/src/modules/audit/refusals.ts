const WINDOW_MS = 60_000;
/** Beyond so many kinds in a minute the rest counts as one: whoever tries everything must not fill the log. */
const MAX_KINDS = 1_000;

interface Kind<Event> {
  readonly endsAt: number;
  readonly first: Event;
  /** Beside the first. */
  more: number;
}

/** Refusals of which the first of a minute is written down at once, and the others alike are counted. */
export class Refusals<Event> {
  private readonly kinds = new Map<string, Kind<Event>>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Whether some kind's minute is not over. */
  get isCounting(): boolean {
    return this.kinds.size > 0;
  }

  /**
   * @param kind what makes refusals alike
   * @returns whether this one is to be written down
   */
  note(kind: string, event: Event): boolean {
    const key = this.kinds.size >= MAX_KINDS && !this.kinds.has(kind) ? '' : kind;
    const known = this.kinds.get(key);
    if (known === undefined) {
      this.kinds.set(key, { endsAt: this.now() + WINDOW_MS, first: event, more: 0 });
      return true;
    }
    known.more += 1;
    return false;
  }

  /**
   * Kinds whose minute is over.
   * @param all also those whose minute is not
   * @returns the first of each and how many came after it, where any did
   */
  takeCounted(all = false): readonly { readonly first: Event; readonly more: number }[] {
    const now = this.now();
    const over = [...this.kinds].filter(([, { endsAt }]) => all || endsAt <= now);
    for (const [key] of over) this.kinds.delete(key);
    return over.map(([, { first, more }]) => ({ first, more })).filter(({ more }) => more > 0);
  }
}
