import { SendBudget } from './send-budget.js';

const LIMITS = { max: 3, windowMs: 60_000, gapMs: 1_000 };

describe('what a bot may send to a chat', () => {
  it('20 is so many messages in any window, exactly to its end', () => {
    const budget = new SendBudget(LIMITS);
    for (const at of [0, 1_000, 2_000]) budget.spend(at);
    expect(budget.freeAt(2_000)).toBe(60_000);
    expect(budget.used(59_999)).toBe(3);
    expect(budget.used(60_000)).toBe(2);
  });

  it('20 keeps a gap between two messages', () => {
    const budget = new SendBudget(LIMITS);
    budget.spend(500);
    expect(budget.freeAt(600)).toBe(1_500);
  });

  it('5 is halved by a refusal, never to nothing, and grows by one in each window without', () => {
    const budget = new SendBudget({ ...LIMITS, max: 20 });
    budget.refused(0);
    expect(budget.limit(0)).toBe(10);
    expect(budget.limit(59_999)).toBe(10);
    expect(budget.limit(60_000)).toBe(11);
    expect(budget.limit(3 * 60_000)).toBe(13);
    for (let n = 0; n < 10; n++) budget.refused(3 * 60_000);
    expect(budget.limit(3 * 60_000)).toBe(1);
    expect(budget.limit(3_600_000)).toBe(20);
  });

  it('keeps what it has learnt when it is configured anew, and follows what is lower', () => {
    const learnt = new SendBudget({ ...LIMITS, max: 20 });
    learnt.refused(0);
    learnt.configure({ ...LIMITS, max: 30 });
    expect(learnt.limit(0)).toBe(10);
    learnt.configure({ ...LIMITS, max: 5 });
    expect(learnt.limit(0)).toBe(5);
    const fresh = new SendBudget(LIMITS);
    fresh.configure({ ...LIMITS, max: 50 });
    expect(fresh.limit(0)).toBe(50);
  });
});
