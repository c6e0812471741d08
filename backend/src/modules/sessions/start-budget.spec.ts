import { StartBudget } from './start-budget.js';

const MIB = 1024 * 1024;

describe('the budget of a start', () => {
  let memoryBytes = 100 * MIB;
  let now = 0;
  const budget = (limits: { memory?: number; loginsPerSecond?: number } = {}): StartBudget =>
    new StartBudget(
      { memoryBytes: limits.memory ?? 1_000 * MIB, loginsPerSecond: limits.loginsPerSecond ?? 5 },
      { memoryBytes: () => memoryBytes, now: () => now },
    );
  const begin = (of: StartBudget, count: number, isLogin = false): void => {
    for (let n = 0; n < count; n++) of.begin(isLogin);
  };

  beforeEach(() => {
    memoryBytes = 100 * MIB;
    now = 0;
  });

  it('has a bounded number open at the same time, and says once when half of the places are free again', () => {
    const start = budget();
    const all = start.places;
    expect(all).toBe(16);
    begin(start, all);
    expect(start.places).toBe(0);
    expect(Array.from({ length: all }, () => start.end()).filter((isWorthALook) => isWorthALook)).toHaveLength(1);
    expect(start.places).toBe(all);
  });

  it('begins no more than memory is left for, and counts those that have not taken theirs yet', () => {
    const start = budget({ memory: 130 * MIB });
    expect(start.places).toBe(5);
    begin(start, 3);
    expect(start.places).toBe(2);
    memoryBytes = 128 * MIB;
    expect(start.places).toBe(0);
  });

  it('says what is missing only when nothing is being opened that could still end', () => {
    memoryBytes = 200 * MIB;
    const start = budget({ memory: 201 * MIB });
    expect(start.shortage).toBe('200 MiB in use, and WORKER_MEMORY is 201 MiB');
    start.begin(false);
    expect(start.shortage).toBeUndefined();
    start.end();
    memoryBytes = 100 * MIB;
    expect(start.shortage).toBeUndefined();
  });

  it('lets bots log in anew at their rate, however long none did before', () => {
    now = 3_600_000;
    const start = budget({ loginsPerSecond: 2 });
    expect(start.loginsNow).toBe(2);
    begin(start, 2, true);
    expect(start.loginsNow).toBe(0);
    now += 400;
    expect(start.loginsNow).toBe(0);
    now += 100;
    expect(start.loginsNow).toBe(1);
    now += 10_000;
    expect(start.loginsNow).toBe(2);
    // What only opens its database is no login.
    begin(start, 2);
    expect(start.loginsNow).toBe(2);
  });

  it('knows rates below one a second', () => {
    const start = budget({ loginsPerSecond: 0.1 });
    expect(start.loginsNow).toBe(1);
    start.begin(true);
    now += 9_000;
    expect(start.loginsNow).toBe(0);
    now += 1_000;
    expect(start.loginsNow).toBe(1);
  });
});
