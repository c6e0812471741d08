import fc from 'fast-check';
import { DatabaseUnavailableError } from '../../common/errors/index.js';
import { type Charge, type ChargePart, QuotaCharger } from './quota-charger.js';

const WINDOW = { startsAt: 0, endsAt: 60_000 };
const charge = (ruleId: string, weight = 1): Charge => [{ ruleId, weight, max: 1, window: WINDOW }];

describe('QuotaCharger', () => {
  let statements: (readonly Charge[])[];
  let answer: (charges: readonly Charge[]) => Promise<readonly (ChargePart | undefined)[]>;
  let now: number;
  let failures: unknown[];
  const charger = (): QuotaCharger =>
    new QuotaCharger(
      'session',
      (_id, charges) => {
        statements.push(charges);
        return answer(charges);
      },
      (error) => failures.push(error),
      { now: () => now, patienceMs: 20 },
    );

  beforeEach(() => {
    statements = [];
    failures = [];
    now = 0;
    answer = (charges) => Promise.resolve(charges.map(() => undefined));
  });

  it('charges the first call at once and those that came meanwhile together, in their order', async () => {
    const quotas = charger();
    const outcomes = await Promise.all(['a', 'b', 'c'].map((rule) => quotas.charge(charge(rule))));
    expect(outcomes).toEqual(['charged', 'charged', 'charged']);
    expect(statements).toEqual([[charge('a')], [charge('b'), charge('c')]]);
  });

  it('tells each call by itself what had no room for it', async () => {
    answer = (charges) => Promise.resolve(charges.map(([part]) => (part?.ruleId === 'full' ? part : undefined)));
    const quotas = charger();
    expect(await Promise.all([quotas.charge(charge('full')), quotas.charge(charge('free'))])).toEqual([
      charge('full')[0],
      'charged',
    ]);
  });

  it('gives back in the same way', async () => {
    const quotas = charger();
    quotas.refund(charge('a', 3));
    await quotas.charge(charge('b'));
    expect(statements.flat()).toEqual([charge('a', -3), charge('b')]);
  });

  it('lets calls pass uncounted with the database away, asks it only now and then, and counts again when it is back', async () => {
    const quotas = charger();
    answer = () => Promise.reject(new DatabaseUnavailableError(new Error('gone')));
    expect(await Promise.all([quotas.charge(charge('a')), quotas.charge(charge('b'))])).toEqual([
      'uncounted',
      'uncounted',
    ]);
    expect([statements.length, failures.length]).toEqual([1, 1]);
    answer = (charges) => Promise.resolve(charges.map(() => undefined));
    now = 999;
    expect(await quotas.charge(charge('c'))).toBe('uncounted');
    now = 1_000;
    expect(await quotas.charge(charge('d'))).toBe('charged');
  });

  it('waits for a database that says nothing no longer than its patience lasts', async () => {
    answer = () => new Promise(() => undefined);
    expect(await charger().charge(charge('a'))).toBe('uncounted');
    expect(failures).toHaveLength(1);
  });

  it('hides no mistake in a statement', async () => {
    answer = () => Promise.reject(new Error('syntax error'));
    await expect(charger().charge(charge('a'))).rejects.toThrow('syntax error');
  });

  describe('with rules that allow many', () => {
    /** What the database has as used. */
    let used: Map<string, number>;
    const many = (ruleId: string, weight = 1, max = 1_000): Charge => [{ ruleId, weight, max, window: WINDOW }];
    /** As a call does it: asks only when it has to. */
    const pass = async (quotas: QuotaCharger, of: Charge): Promise<boolean> =>
      quotas.take(of) || (await quotas.charge(of)) === 'charged';

    beforeEach(() => {
      used = new Map();
      answer = (charges) =>
        Promise.resolve(
          charges.map((parts) => {
            const usedOf = ({ ruleId }: ChargePart): number => used.get(ruleId) ?? 0;
            const refusing = parts.find((part) => part.weight > 0 && usedOf(part) + part.weight > part.max);
            if (refusing === undefined) {
              for (const part of parts) used.set(part.ruleId, Math.max(0, usedOf(part) + part.weight));
            }
            return refusing;
          }),
        );
    });

    it('asks once for many calls that come one after the other, and in the end exactly those are counted', async () => {
      const quotas = charger();
      for (let count = 0; count < 100; count += 1) expect(await pass(quotas, many('a'))).toBe(true);
      expect(statements.length).toBeLessThan(30);
      expect(used.get('a')).toBeGreaterThanOrEqual(100);
      await quotas.settled();
      expect(used.get('a')).toBe(100);
    });

    it('asks for each call that comes after a pause, and counts nothing ahead of it', async () => {
      const quotas = charger();
      for (let count = 1; count <= 3; count += 1) {
        now += 1_000;
        expect(quotas.take(many('a'))).toBe(false);
        await quotas.charge(many('a'));
        expect(used.get('a')).toBe(count);
      }
    });

    it('loses no more than a hundredth of a rule when it dies', async () => {
      const quotas = charger();
      for (let count = 0; count < 3; count += 1) await pass(quotas, many('a'));
      expect((used.get('a') ?? 0) - 3).toBeLessThanOrEqual(10);
      for (let count = 0; count < 3; count += 1) await pass(quotas, many('small', 1, 999));
      expect(used.get('small')).toBe(3);
    });

    it('takes nothing that was counted ahead for a rule that allows less now, or for another window', async () => {
      const quotas = charger();
      await pass(quotas, many('a'));
      await pass(quotas, many('a'));
      expect(quotas.take(many('a', 1, 2_000))).toBe(false);
      expect(quotas.take([{ ruleId: 'a', weight: 1, max: 1_000, window: { startsAt: 60_000, endsAt: 120_000 } }])).toBe(
        false,
      );
      expect(await quotas.charge(many('a', 1, 2))).toMatchObject({ ruleId: 'a' });
      expect(used.get('a')).toBe(2);
    });

    it('gives back what it has counted ahead when no call comes any more', async () => {
      jest.useFakeTimers({ doNotFake: ['performance', 'nextTick', 'queueMicrotask'] });
      try {
        const quotas = charger();
        await pass(quotas, many('a'));
        await pass(quotas, many('a'));
        expect(used.get('a')).toBe(12);
        now = 999;
        expect(quotas.take(many('a'))).toBe(true);
        await jest.advanceTimersByTimeAsync(1_000);
        expect(used.get('a')).toBe(12);
        now = 1_999;
        await jest.advanceTimersByTimeAsync(1_000);
        expect(used.get('a')).toBe(3);
      } finally {
        jest.useRealTimers();
      }
    });

    it('lets pass what there is room for and nothing else, whatever came before', async () => {
      const rule = fc.constantFrom('a', 'b', 'c');
      const step = fc.record({
        rules: fc.uniqueArray(rule, { minLength: 1, maxLength: 3 }),
        weight: fc.constantFrom(1, 1, 1, 2, 9, 40),
        pause: fc.constantFrom(0, 0, 0, 1_000),
        isRefused: fc.boolean(),
      });
      const maxes: Record<string, number> = { a: 1_000, b: 1_200, c: 30 };
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(60), async (steps, room) => {
          used = new Map(Object.entries(maxes).map(([ruleId, max]) => [ruleId, Math.max(0, max - room)]));
          const model = new Map(used);
          const quotas = charger();
          for (const { rules, weight, pause, isRefused } of steps) {
            now += pause;
            const parts = rules.flatMap((ruleId) => many(ruleId, weight, maxes[ruleId]));
            const fits = parts.every(({ ruleId, max }) => (model.get(ruleId) ?? 0) + weight <= max);
            expect(await pass(quotas, parts)).toBe(fits);
            if (!fits) continue;
            // What Telegram refuses afterwards is given back.
            if (isRefused) quotas.refund(parts);
            else for (const { ruleId } of parts) model.set(ruleId, (model.get(ruleId) ?? 0) + weight);
          }
          await quotas.settled();
          expect(used).toEqual(model);
        }),
        { numRuns: Number(process.env['LIMIT_RUNS'] ?? 200) },
      );
    });
  });
});
