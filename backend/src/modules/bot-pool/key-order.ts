/** The first key behind all that begin with `prefix`, in the order of bytes; undefined when nothing is. */
export function behind(prefix: string): string | undefined {
  const points = [...prefix];
  const last = points.pop()?.codePointAt(0);
  if (last === undefined) return undefined;
  if (last === 0x10ffff) return behind(points.join(''));
  // There are no characters among the surrogates.
  return `${points.join('')}${String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)}`;
}
