import { LeaseWatch } from './lease-watch.js';

describe('LeaseWatch', () => {
  let left: number | undefined;
  let isReachable: boolean;
  let asked: number;
  let killed: number;
  const watch = new LeaseWatch({
    leftMs: () => left,
    canOthersClaim: () => {
      asked += 1;
      return Promise.resolve(isReachable);
    },
    kill: () => (killed += 1),
  });

  beforeEach(() => {
    left = 5_000;
    isReachable = true;
    asked = 0;
    killed = 0;
  });

  it('costs nothing while the lease is renewed', async () => {
    left = 4_000;
    expect(await watch.look()).toBe(2_500);
    expect(asked).toBe(0);
  });

  it('ends the process half a second before the lease ends, not earlier', async () => {
    left = 700;
    expect(await watch.look()).toBe(200);
    expect(killed).toBe(0);
    left = 500;
    expect(await watch.look()).toBeUndefined();
    expect(killed).toBe(1);
  });

  it('ends a process that wakes up long after', async () => {
    left = -25_000;
    expect(await watch.look()).toBeUndefined();
    expect(killed).toBe(1);
  });

  it('lets a process live while nobody reaches the database, and asks on', async () => {
    isReachable = false;
    left = -30_000;
    expect(await watch.look()).toBe(250);
    expect(killed).toBe(0);
    isReachable = true;
    await watch.look();
    expect(killed).toBe(1);
  });

  it('lets a process live that has renewed while the database was asked, or gave its lease up', async () => {
    const slow = new LeaseWatch({
      leftMs: () => left,
      canOthersClaim: () => {
        left = asked++ === 0 ? 5_000 : undefined;
        return Promise.resolve(true);
      },
      kill: () => (killed += 1),
    });
    left = 600;
    expect(await slow.look()).toBe(250);
    left = 600;
    expect(await slow.look()).toBe(1_000);
    left = undefined;
    expect(await slow.look()).toBe(1_000);
    expect(killed).toBe(0);
  });
});
