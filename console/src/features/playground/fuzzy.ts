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
  const at = walk(name, lower, wanted, true) ?? walk(name, lower, wanted, false);
  if (!at) return undefined;
  let score = -name.length;
  for (const [position, index] of at.entries()) {
    if (isBoundary(name, index)) score += 12;
    if (position > 0 && at[position - 1] === index - 1) score += 8;
  }
  return { score: score - (at[0] ?? 0), at };
}

/** With `jumping`, a letter that does not go on the last one is looked for at the beginning of a word. */
function walk(name: string, lower: string, wanted: string, jumping: boolean): number[] | undefined {
  const at: number[] = [];
  let from = 0;
  for (const letter of wanted) {
    let index = lower.indexOf(letter, from);
    if (jumping && index !== from) {
      while (index >= 0 && !isBoundary(name, index)) index = lower.indexOf(letter, index + 1);
    }
    if (index < 0) return undefined;
    at.push(index);
    from = index + 1;
  }
  return at;
}
