import type { PoolHappening } from '../webhooks/index.js';
import type { BotStatus, DispatcherStatus } from './dispatcher/dispatcher.js';

/** What a subscriber may want to know of a bot; what it does from one moment to the next is none of it. */
type BotPhase = 'working' | 'cooling' | 'quarantined';

/** Something that is to be told to the subscribers of a session. */
interface PoolNews {
  readonly sessionId: string;
  readonly event: PoolHappening;
}

/** Compares what a pool is with what it was, and makes events of what has changed. What it begins with is no change. */
export class PoolWatch {
  private former: DispatcherStatus['state'] | undefined;
  private readonly phases = new Map<string, BotPhase>();

  constructor(private readonly pool: { readonly id: string; readonly name: string }) {}

  /** @returns what to tell: of a bot to its own session, of the pool to those of all its bots */
  changes({ state, bots }: DispatcherStatus): readonly PoolNews[] {
    const present = new Set(bots.map(({ botId }) => botId));
    for (const id of this.phases.keys()) if (!present.has(id)) this.phases.delete(id);
    const news = bots.flatMap((bot) => this.changesOf(bot));
    const { former } = this;
    this.former = state;
    if (former === undefined || former === state) return news;
    const event = { type: 'poolStatus', members: { ...this.members, status: state, former } } as const;
    return [...news, ...bots.map(({ botId }) => ({ sessionId: botId, event }))];
  }

  private get members(): { readonly pool_id: string; readonly pool: string } {
    return { pool_id: this.pool.id, pool: this.pool.name };
  }

  private changesOf(bot: BotStatus): readonly PoolNews[] {
    const { botId, reason, cooldownUntil } = bot;
    const status = phaseOf(bot);
    const former = this.phases.get(botId);
    this.phases.set(botId, status);
    if (former === undefined || former === status) return [];
    const members = {
      ...this.members,
      session_id: botId,
      status,
      former,
      ...(status === 'quarantined' && { reason }),
      ...(status === 'cooling' && cooldownUntil !== undefined && { until: new Date(cooldownUntil).toISOString() }),
    };
    return [{ sessionId: botId, event: { type: 'poolBot', members } }];
  }
}

function phaseOf({ state }: BotStatus): BotPhase {
  return state === 'cooling' || state === 'quarantined' ? state : 'working';
}
