import { VirtualClock } from '../../../../test/support/pool/virtual-clock.js';
import { PoolActivity } from './pool-activity.js';
import type { NewPoolEvent } from './pool-events.repository.js';

const PART = { id: 'p', ownerId: 'o', objectId: 'x', sizeBytes: 7 };
const STORED = { botId: 'b', chatId: 1, messageId: 1, sizeBytes: 7 };

describe('the activity of a pool', () => {
  let clock: VirtualClock;
  let written: NewPoolEvent[][];
  let isAway: boolean;
  let activity: PoolActivity;

  const sum = (field: string): number =>
    written.flat().reduce((total, { type, data }) => (type === 'chunks' ? total + Number(data[field]) : total), 0);

  beforeEach(() => {
    clock = new VirtualClock();
    written = [];
    isAway = false;
    activity = new PoolActivity(
      clock,
      () => ({ parts: 3, bytes: 21, oldestMs: 1_500 }),
      (events) => {
        if (isAway) return Promise.reject(new Error('the database is away'));
        written.push([...events]);
        return Promise.resolve();
      },
    );
  });

  it('59 tells 10,000 chunks of a minute in five events a second at most, and each chunk once', async () => {
    for (let n = 0; n < 10_000; n += 1) {
      activity.note({ type: 'started', botId: 'b', part: PART });
      activity.note({ type: 'stored', part: PART, stored: STORED });
      await clock.advance(6);
    }
    await activity.close();
    expect([sum('started'), sum('stored'), sum('failed'), sum('bytes')]).toEqual([10_000, 10_000, 0, 70_000]);
    expect(written.length).toBeLessThanOrEqual(301);
    expect(written[0]?.[0]?.data['backlog']).toEqual({ parts: 3, bytes: 21, oldest_s: 1 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('59 tells later what could not be written, of each bot what was last', async () => {
    isAway = true;
    activity.note({ type: 'stored', part: PART, stored: STORED });
    activity.note({ type: 'cooldown', botId: 'b', untilUnixMs: 0 });
    await clock.advance(1_000);
    activity.note({ type: 'failed', part: PART, error: new Error('no') });
    activity.note({ type: 'quarantined', botId: 'b', reason: 'kicked' });
    await clock.advance(1_000);
    isAway = false;
    await clock.advance(5_000);
    expect(written).toHaveLength(1);
    expect([sum('stored'), sum('failed')]).toEqual([1, 1]);
    expect(written[0]?.[1]).toEqual({
      type: 'bot',
      data: {
        session_id: 'b',
        rate_limited_until: '1970-01-01T00:00:00.000Z',
        state: 'quarantined',
        reason: 'kicked',
      },
    });
    await activity.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
