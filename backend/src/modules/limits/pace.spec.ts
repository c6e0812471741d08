import { Pace, type PaceTurn } from './pace.js';
import { PaceEndedError, RateLimitedError } from './limits.errors.js';

const CLOCK = { steady: () => Date.now(), wall: () => Date.now() };

describe('Pace', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const paceOf = (perSecond: number, maxWaitMs: number): Pace => new Pace({ perSecond, maxWaitMs }, CLOCK);

  it('lets one go in each interval, in the order in which they came', async () => {
    const pace = paceOf(1, 10_000);
    const went: [string, number][] = [];
    const began = Date.now();
    const enter = (name: string): Promise<void> => {
      const { come } = pace.enter('@send');
      return (come ?? Promise.resolve()).then(() => void went.push([name, Date.now() - began]));
    };
    const all = Promise.all(['a', 'b', 'c'].map(enter));
    expect(pace.state).toEqual({ length: 2, nextInMs: 1_000 });
    await jest.advanceTimersByTimeAsync(5_000);
    await all;
    expect(went).toEqual([
      ['a', 0],
      ['b', 1_000],
      ['c', 2_000],
    ]);
    expect(pace.state).toEqual({ length: 0, nextInMs: 0 });
  });

  it('refuses at once who would have to wait too long, and tells when it is worth another try', () => {
    const pace = paceOf(1, 2_000);
    for (let count = 0; count < 3; count += 1) pace.enter('@send');
    const refusal = (): unknown => {
      try {
        return pace.enter('@join');
      } catch (error) {
        return error;
      }
    };
    const error = refusal();
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({
      retryAfterSeconds: 1,
      details: { source: 'pace', scope: '@join', retry_after: 1, until: new Date(Date.now() + 1_000).toISOString() },
    });
    expect(pace.state.length).toBe(2);
  });

  it('moves up who waits behind one that left, or that did not use its turn', async () => {
    const pace = paceOf(1, 10_000);
    const first = pace.enter('@send');
    const second = pace.enter('@send');
    const third = pace.enter('@send');
    second.giveBack();
    second.giveBack();
    expect(pace.state.length).toBe(1);
    first.giveBack();
    await jest.advanceTimersByTimeAsync(1);
    await expect(third.come).resolves.toBeUndefined();
  });

  it('gives no turn a second time when others have had theirs since', async () => {
    const pace = paceOf(1, 10_000);
    const first = pace.enter('@send');
    const second = pace.enter('@send');
    await jest.advanceTimersByTimeAsync(1_000);
    await second.come;
    first.giveBack();
    expect(pace.state.nextInMs).toBe(1_000);
  });

  it('tells who waits that the session closes', async () => {
    const pace = paceOf(1, 10_000);
    pace.enter('@send');
    const waiting: PaceTurn = pace.enter('@send');
    pace.end();
    await expect(waiting.come).rejects.toBeInstanceOf(PaceEndedError);
    expect(() => pace.enter('@send')).toThrow(PaceEndedError);
  });
});
