import fc from 'fast-check';
import { countingRules, type LimitRule, type LimitSubject, rulesAbout } from './limit-rule.js';
import { LIMIT_PERIODS } from './limit-window.js';

const RUNS = 5_000;
const METHODS = [['*'], ['@send'], ['@send', 'getChat'], ['getMe']];

const subjects: fc.Arbitrary<LimitSubject> = fc.record({
  sessionId: fc.constantFrom('s1', 's2'),
  kind: fc.constantFrom('bot' as const, 'user' as const),
  tokenId: fc.constantFrom(undefined, 't1', 't2'),
});

const targets = fc.constantFrom(
  { kind: 'bot' as const },
  { kind: 'user' as const },
  { sessionId: 's1' },
  { sessionId: 's2' },
  { tokenId: 't1' },
  { tokenId: 't2' },
);

const rules: fc.Arbitrary<readonly LimitRule[]> = fc
  .uniqueArray(
    fc.record({
      target: targets,
      methods: fc.constantFrom(...METHODS),
      per: fc.constantFrom(...LIMIT_PERIODS.slice(0, 2)),
      enabled: fc.boolean(),
    }),
    { selector: ({ target, methods, per }) => JSON.stringify([target, methods, per]), maxLength: 20 },
  )
  .map((drafts) =>
    drafts.map(({ target, ...rest }, index) => ({
      ...rest,
      ...target,
      id: `r${index}`,
      max: 1,
      timezone: 'UTC',
      createdAt: new Date(index),
    })),
  );

describe('the rules about a call', () => {
  it('are for each methods and time the token’s, else the session’s, else those of its kind', () => {
    fc.assert(
      fc.property(rules, subjects, (all, subject) => {
        const expected = METHODS.flatMap((methods) =>
          LIMIT_PERIODS.flatMap((per) => {
            const here = all.filter((rule) => rule.enabled && rule.methods === methods && rule.per === per);
            const own =
              here.find(({ tokenId }) => tokenId !== undefined && tokenId === subject.tokenId) ??
              here.find(({ sessionId }) => sessionId === subject.sessionId) ??
              here.find(({ kind }) => kind === subject.kind);
            return own === undefined ? [] : [own.id];
          }),
        );
        const counting = countingRules(all, subject).map(({ id }) => id);
        expect([...counting].sort()).toEqual(expected.sort());
      }),
      { numRuns: RUNS },
    );
  });

  it('show what is replaced, and by what', () => {
    fc.assert(
      fc.property(rules, subjects, (all, subject) => {
        const counting = new Set(countingRules(all, subject).map(({ id }) => id));
        // One expectation for all: there are a hundred thousand of them.
        const wrong = rulesAbout(all, subject).filter(({ rule, replacedBy }) => {
          if (replacedBy === undefined) return counting.has(rule.id) !== rule.enabled;
          const closer = all.find(({ id }) => id === replacedBy);
          return !counting.has(replacedBy) || closer?.per !== rule.per || closer.methods !== rule.methods;
        });
        expect(wrong).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
