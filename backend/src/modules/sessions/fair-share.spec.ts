import { bestTarget, fairMoves, type Holder } from './fair-share.js';

const worker = (id: string, sessions: number, more: Partial<Holder> = {}): Holder => ({
  id,
  sessions,
  alive: true,
  volume: 'v',
  capacity: 200,
  memory_bytes: 0,
  memory_limit: 0,
  draining: false,
  age_ms: 60_000,
  ...more,
});

/** Lets everybody move by turns until nobody wants to. */
function settle(workers: readonly Holder[]): { readonly counts: readonly number[]; readonly rounds: number } {
  let state = workers;
  for (let rounds = 0; rounds < 1_000; rounds++) {
    const moves = state.flatMap((from) => fairMoves(from, state, 2).map((to) => ({ from: from.id, to })));
    if (moves.length === 0) return { counts: state.map(({ sessions }) => sessions), rounds };
    state = state.map((each) => ({
      ...each,
      sessions:
        each.sessions +
        moves.filter(({ to }) => to === each.id).length -
        moves.filter(({ from }) => from === each.id).length,
    }));
  }
  throw new Error('they never come to rest');
}

describe('fair shares', () => {
  it('give a worker that joins its part, and then rest', () => {
    const { counts } = settle([worker('a', 30), worker('b', 30), worker('new', 0)]);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(3);
    expect(counts.reduce((sum, count) => sum + count)).toBe(60);
  });

  it('come to rest whatever the counts are', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const counts = Array.from({ length: 2 + (seed % 5) }, (_, n) => (seed * 7919 * (n + 3)) % 97);
      expect(settle(counts.map((count, n) => worker(String(n), count))).rounds).toBeLessThan(300);
    }
  });

  it('move nothing for a small difference', () => {
    expect(fairMoves(worker('a', 5), [worker('a', 5), worker('b', 4)], 2)).toEqual([]);
    expect(fairMoves(worker('a', 100), [worker('a', 100), worker('b', 91)], 2)).toEqual([]);
    expect(fairMoves(worker('a', 3), [worker('a', 3), worker('b', 1)], 2)).toEqual(['b']);
  });

  it('move in bounded steps', () => {
    expect(fairMoves(worker('a', 100), [worker('a', 100), worker('b', 0)], 2)).toEqual(['b', 'b']);
  });

  it('leave out who is dead, full, drained, on another disk, or has only just come', () => {
    const from = worker('a', 100);
    const others = [
      worker('dead', 0, { alive: false }),
      worker('full', 1, { capacity: 1 }),
      worker('out of memory', 0, { memory_bytes: 600, memory_limit: 600 }),
      worker('drained', 0, { draining: true }),
      worker('elsewhere', 0, { volume: 'w' }),
      worker('old version', 0, { volume: null }),
      worker('young', 0, { age_ms: 9_000 }),
    ];
    expect(fairMoves(from, [from, ...others], 2)).toEqual([]);
    expect(bestTarget(from, others)?.id).toBe('young');
  });

  it('have a worker that is drained give everything, also to one that has only just come', () => {
    const from = worker('a', 3, { draining: true });
    expect(fairMoves(from, [from, worker('b', 50), worker('c', 49, { age_ms: 0 })], 8)).toEqual(['c', 'b', 'c']);
  });

  it('keep what nobody can take', () => {
    const from = worker('a', 3, { draining: true });
    expect(fairMoves(from, [from, worker('b', 199)], 8)).toEqual(['b']);
    expect(fairMoves(from, [from], 8)).toEqual([]);
  });
});
