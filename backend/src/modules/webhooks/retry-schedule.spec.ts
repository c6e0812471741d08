import { Growth } from './growth.js';
import { retryAfterMs, retryDelayMs } from './retry-schedule.js';

describe('the schedule of repeats', () => {
  it('doubles from five seconds to five minutes', () => {
    const delays = Array.from({ length: 9 }, (_, index) => retryDelayMs(index + 1) / 1_000);
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it.each([
    ['120', 120_000],
    ['0', 0],
    ['86400', 300_000],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
    ['Wed, 31 Dec 1969 00:00:00 GMT', 0],
    ['999999999999', 300_000],
    ['2.5', undefined],
    ['-1', undefined],
    ['soon', undefined],
    [undefined, undefined],
  ])('takes Retry-After: %s', (header, expected) => {
    expect(retryAfterMs(header, 10_000)).toBe(expected);
  });
});

describe('the number of deliveries under way', () => {
  const afterSuccesses = (growth: Growth, count: number): number => {
    for (let number = 0; number < count; number += 1) growth.succeeded(10);
    return growth.limit;
  };

  it('begins with four and grows to its maximum while the receiver keeps up', () => {
    const growth = new Growth(40);
    expect(growth.limit).toBe(4);
    expect(afterSuccesses(growth, 10)).toBe(14);
    expect(afterSuccesses(growth, 1_000)).toBe(40);
  });

  it('does not grow while the receiver is slow, and halves when it fails', () => {
    const growth = new Growth(40);
    growth.succeeded(5_000);
    expect(growth.limit).toBe(4);
    afterSuccesses(growth, 36);
    growth.failed();
    expect(growth.limit).toBe(20);
  });

  it('begins with one after an outage, and grows by one for each round', () => {
    const growth = new Growth(40);
    growth.restart();
    expect(growth.limit).toBe(1);
    expect(afterSuccesses(growth, 1)).toBe(2);
    expect(afterSuccesses(growth, 20)).toBeLessThan(8);
  });

  it('never passes a maximum of one', () => {
    expect(afterSuccesses(new Growth(1), 10)).toBe(1);
  });
});
