/** How well a name fits what was typed, and which of its letters did. */
export interface Match {
  readonly score: number;
  readonly at: readonly number[];
}

const isBoundary = (name: string, index: number): boolean => {
  const letter = name.charAt(index);
  return (
    index === 0 || (letter !== letter.toLowerCase() && name.charAt(index - 1) === name.charAt(index - 1).toLowerCase())
  );
};

/**
 * Finds the letters of `query` in `name`, in that order. Whole words, beginnings of words and neighbours count most, so that
 * `sm` and `send mes` both find sendMessage first.
 *
 * @returns undefined when a letter is missing
 */
export function fuzzyMatch(name: string, query: string): Match | undefined {
  const wanted = query.toLowerCase().replace(/[^a-z0-9@]/g, '');
  if (wanted === '') return { score: 0, at: [] };
  const lower = name.toLowerCase();
  const whole = lower.indexOf(wanted);
  if (whole >= 0) {
    const at = Array.from(wanted, (_, index) => whole + index);
    const exact = lower === wanted ? 1_000 : 0;
    return { score: exact + 300 + (whole === 0 ? 200 : isBoundary(name, whole) ? 100 : 0) - name.length, at };
  }
  return bestWalk(name, lower, wanted);
}

const BOUNDARY = 12;
const NEIGHBOUR = 8;

/** Of all ways to find the letters in that order, the one with the most beginnings of words and neighbours. */
function bestWalk(name: string, lower: string, wanted: string): Match | undefined {
  /** The best way that ends at each place of the name, for the letters so far. */
  let ends = new Map<number, Match>([[-1, { score: -name.length, at: [] }]]);
  for (const [position, letter] of Array.from(wanted).entries()) {
    const next = new Map<number, Match>();
    for (let index = lower.indexOf(letter, position); index >= 0; index = lower.indexOf(letter, index + 1)) {
      let best: Match | undefined;
      for (const [end, { score, at }] of ends) {
        if (end >= index) continue;
        const worth =
          score + (isBoundary(name, index) ? BOUNDARY : 0) + (position > 0 && end === index - 1 ? NEIGHBOUR : 0);
        if (best === undefined || worth > best.score) best = { score: worth, at: [...at, index] };
      }
      if (best) next.set(index, best);
    }
    if (next.size === 0) return undefined;
    ends = next;
  }
  return [...ends.values()].reduce((best, candidate) => (candidate.score > best.score ? candidate : best));
}
