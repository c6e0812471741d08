import type { FloodCount } from '@/lib/types';

/** What floods are told apart by in the chart; the same colour for the same thing over any time. */
export const FLOOD_SORTS = ['send', 'spam', 'people', 'look', 'other'] as const;
export type FloodSort = (typeof FLOOD_SORTS)[number];

const SORT_OF: Readonly<Record<string, FloodSort>> = {
  '@send': 'send',
  spam_limit: 'spam',
  '@join': 'people',
  '@invite': 'people',
  '@contacts': 'people',
  '@create': 'people',
  '@resolve': 'look',
  '@history': 'look',
  '@members': 'look',
  '@view': 'look',
};

/** How finely time is cut. */
export interface Stretch {
  readonly by: 'hour' | 'day';
  /** How many stretches are shown, the last being that of now. */
  readonly count: number;
}

const STRETCH_MS = { hour: 3_600_000, day: 86_400_000 } as const;

/** A stretch of the chart. */
export interface FloodBar {
  /** Its begin, in milliseconds; hours and days of UTC. */
  readonly at: number;
  readonly total: number;
  readonly bySort: Readonly<Record<FloodSort, number>>;
}

/** Where the chart begins. @param now in milliseconds */
export function chartBegin({ by, count }: Stretch, now: number): number {
  const size = STRETCH_MS[by];
  return (Math.floor(now / size) - count + 1) * size;
}

/** Every stretch from `begin` on, also those without floods: a gap is what the reader looks for. */
export function floodBars({ by, count }: Stretch, begin: number, counts: readonly FloodCount[]): readonly FloodBar[] {
  return Array.from({ length: count }, (_, index) => {
    const at = begin + index * STRETCH_MS[by];
    const bySort: Record<FloodSort, number> = { send: 0, spam: 0, people: 0, look: 0, other: 0 };
    for (const row of counts) {
      if (Date.parse(row.at) === at) bySort[SORT_OF[row.scope] ?? 'other'] += row.count;
    }
    return { at, total: Object.values(bySort).reduce((sum, value) => sum + value, 0), bySort };
  });
}
