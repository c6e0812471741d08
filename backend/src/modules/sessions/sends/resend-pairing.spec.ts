import fc from 'fast-check';
import { pairResends } from './resend-pairing.js';

const printed = (text: string): { fingerprint: number; at: number }[] =>
  [...text].map((letter, at) => ({ fingerprint: letter.charCodeAt(0), at }));
const pair = (sends: string, resent: string): (number | undefined)[] =>
  pairResends(printed(sends), printed(resent)).map((send) => send?.at);

describe('pairResends', () => {
  it('pairs in order', () => {
    expect(pair('abc', 'abc')).toEqual([0, 1, 2]);
  });

  it('takes the newest of equal messages: the older ones went first', () => {
    expect(pair('aab', 'ab')).toEqual([1, 2]);
    expect(pair('aaa', 'a')).toEqual([2]);
  });

  it('leaves out what is gone, and what was never known', () => {
    expect(pair('abcd', 'ac')).toEqual([0, 2]);
    expect(pair('ab', 'abx')).toEqual([0, 1, undefined]);
    expect(pair('ab', 'ba')).toEqual([undefined, 0]);
    expect(pair('', 'a')).toEqual([undefined]);
    expect(pair('a', '')).toEqual([]);
  });

  it('pairs each once, in order, with equal ones only, and all of a part of what was sent', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }),
        fc.infiniteStream(fc.boolean()),
        (sent, keep) => {
          const sends = printed(sent.join(''));
          const resent = sends.filter(() => keep.next().value === true);
          const pairs = pairResends(sends, resent);
          const found = pairs.map((send) => send?.at ?? -1);
          expect(found).not.toContain(-1);
          expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
          expect(pairs.map((send) => send?.fingerprint)).toEqual(resent.map(({ fingerprint }) => fingerprint));
        },
      ),
    );
  });

  it('ends soon for very many', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => ({ fingerprint: index }));
    expect(pairResends(many, [...many.slice(10_000), { fingerprint: -1 }]).filter(Boolean)).toHaveLength(0);
    expect(pairResends(many, many.slice(10_000)).filter(Boolean)).toHaveLength(10_000);
  });
});
