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
      () => now,
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

  it('waits for a database that says nothing no longer than a second', async () => {
    answer = () => new Promise(() => undefined);
    const began = performance.now();
    expect(await charger().charge(charge('a'))).toBe('uncounted');
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
  });

  it('hides no mistake in a statement', async () => {
    answer = () => Promise.reject(new Error('syntax error'));
    await expect(charger().charge(charge('a'))).rejects.toThrow('syntax error');
  });
});
