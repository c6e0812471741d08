import { Cooldowns } from './cooldowns.js';

describe('Cooldowns', () => {
  let steady: number;
  let wall: number;
  const cooldowns = (): Cooldowns => new Cooldowns({ steady: () => steady, wall: () => wall });
  const refusal = (of: Cooldowns, scope: string): unknown => {
    try {
      of.require(scope);
      return undefined;
    } catch (error) {
      return error;
    }
  };

  beforeEach(() => {
    steady = 1_000;
    wall = Date.UTC(2026, 0, 1);
  });

  it('refuse until they are over, with what is left rounded up', () => {
    const open = cooldowns();
    open.start('@send', 3_600_000, 'Too Many Requests: retry after 3600');
    steady += 599_500;
    expect(refusal(open, '@send')).toMatchObject({
      message: '@send is cooling down: Too Many Requests: retry after 3600',
      retryAfterSeconds: 3_001,
      details: { source: 'cooldown', scope: '@send', until: '2026-01-01T01:00:00.000Z', retry_after: 3_001 },
    });
    expect(refusal(open, '@join')).toBeUndefined();
    steady += 3_000_500;
    expect(refusal(open, '@send')).toBeUndefined();
    expect(open.all).toEqual([]);
  });

  it('last as long as Telegram said however the clock of the computer is set', () => {
    const open = cooldowns();
    open.start('@send', 60_000, 'x');
    wall += 86_400_000;
    expect(open.leftOf('@send')).toBe(60_000);
    wall -= 2 * 86_400_000;
    steady += 60_000;
    expect(open.leftOf('@send')).toBe(0);
  });

  it('only ever grow, and an album that is refused message by message starts one', () => {
    const open = cooldowns();
    expect(open.start('@send', 60_000, 'first')).toBeDefined();
    steady += 300;
    expect(open.start('@send', 60_000, 'first')).toBeUndefined();
    expect(open.start('@send', 5_000, 'shorter')).toBeUndefined();
    expect(open.start('@send', 120_000, 'longer')).toMatchObject({ reason: 'longer' });
    expect(open.all).toHaveLength(1);
  });

  it('do not begin for a wait of nothing', () => {
    const open = cooldowns();
    expect(open.start('@send', 0, 'x')).toBeUndefined();
    expect(open.all).toEqual([]);
  });

  it('end early when they are lifted', () => {
    const open = cooldowns();
    open.start('@send', 60_000, 'x');
    expect([open.lift('@send'), open.lift('@send')]).toEqual([true, false]);
    expect(refusal(open, '@send')).toBeUndefined();
  });
});
