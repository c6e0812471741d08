import { Refusals } from './refusals.js';

describe('refusals', () => {
  let now = 0;

  it('are written down once a minute for each kind, and none is left uncounted', () => {
    const refusals = new Refusals<string>(() => now);
    const written = Array.from({ length: 50 }, (_, index) => refusals.note('a', `a${index}`)).filter(Boolean);
    expect(written).toHaveLength(1);
    expect(refusals.note('b', 'b')).toBe(true);
    expect(refusals.takeCounted()).toEqual([]);
    now = 60_000;
    expect(refusals.takeCounted()).toEqual([{ first: 'a0', more: 49 }]);
    expect(refusals.note('a', 'again')).toBe(true);
  });

  it('of more kinds than can be told apart are counted together', () => {
    const refusals = new Refusals<number>(() => now);
    const written = Array.from({ length: 5000 }, (_, kind) => refusals.note(`k${kind}`, kind)).filter(Boolean);
    expect(written).toHaveLength(1001);
    const counted = refusals.takeCounted(true).reduce((sum, { more }) => sum + more, 0);
    expect(counted + written.length).toBe(5000);
  });
});
