import type { BotState, BotStatus, DispatcherStatus, PoolState } from './dispatcher/dispatcher.js';
import { PoolWatch } from './pool-watch.js';

const UNTIL = Date.UTC(2026, 0, 1);
const bot = (botId: string, state: BotState): BotStatus =>
  ({ botId, state, reason: 'kicked', cooldownUntil: UNTIL }) as Partial<BotStatus> as BotStatus;
const pool = (state: PoolState, ...bots: BotStatus[]): DispatcherStatus =>
  ({ state, bots }) as Partial<DispatcherStatus> as DispatcherStatus;

describe('PoolWatch', () => {
  it('tells each session what became of its bot, all of them what became of the pool, and neither what they begin with', () => {
    const watch = new PoolWatch({ id: 'p', name: 'store' });
    const here = { pool_id: 'p', pool: 'store' };
    expect(watch.changes(pool('degraded', bot('a', 'idle'), bot('b', 'quarantined')))).toEqual([]);
    expect(watch.changes(pool('degraded', bot('a', 'uploading'), bot('b', 'quarantined')))).toEqual([]);
    expect(watch.changes(pool('ok', bot('a', 'budget'), bot('b', 'idle')))).toEqual([
      {
        sessionId: 'b',
        event: {
          type: 'poolBot',
          members: { ...here, session_id: 'b', status: 'working', former: 'quarantined' },
        },
      },
      { sessionId: 'a', event: { type: 'poolStatus', members: { ...here, status: 'ok', former: 'degraded' } } },
      { sessionId: 'b', event: { type: 'poolStatus', members: { ...here, status: 'ok', former: 'degraded' } } },
    ]);
    const [cooling] = watch.changes(pool('ok', bot('a', 'cooling'), bot('b', 'idle'), bot('new', 'idle')));
    expect(cooling?.event.members).toMatchObject({ status: 'cooling', until: '2026-01-01T00:00:00.000Z' });
    const [aside] = watch.changes(pool('ok', bot('a', 'quarantined'), bot('b', 'idle'), bot('new', 'idle')));
    expect(aside?.event.members).toMatchObject({ status: 'quarantined', former: 'cooling', reason: 'kicked' });
  });
});
