import type { BotStatus, DispatcherStatus } from './dispatcher/dispatcher.js';
import type { BudgetLimits } from './dispatcher/send-budget.js';
import type { PoolBotDto, PoolBotStatusDto, PoolBudgetDto, PoolDto, PoolScrubDto, PoolStatusDto } from './pool.dto.js';
import type { PoolBotRow, PoolRow, PoolSettings } from './pools.repository.js';

const dateOf = (unixMs: number): string => new Date(unixMs).toISOString();

/** A pool as the API shows it. */
export function toPoolDto(pool: PoolRow, bots: readonly PoolBotRow[]): PoolDto {
  const { id, name, chatIds, chunkBytes, budget, isPaused, janitorId, scrub, owner, objects, bytes, createdAt } = pool;
  return {
    id,
    name,
    chat_ids: chatIds,
    chunk_size: chunkBytes,
    budget: { max: budget.max, window_s: budget.windowMs / 1_000, gap_ms: budget.gapMs },
    paused: isPaused,
    ...(janitorId !== undefined && { janitor_session_id: janitorId }),
    ...(scrub && { scrub: { every_h: scrub.everyHours, sample: scrub.sample } }),
    ...(owner && { worker: owner.id }),
    objects,
    bytes,
    bots: bots.map(toBotDto),
    created_at: createdAt.toISOString(),
  };
}

/** The limits that a request names. */
export function toLimits({ max, window_s: seconds, gap_ms: gapMs }: PoolBudgetDto): BudgetLimits {
  return { max, windowMs: seconds * 1_000, gapMs };
}

/** How often a request wants a pool scrubbed. */
export function toScrub(scrub: PoolScrubDto | null | undefined): PoolSettings['scrub'] {
  return scrub == null ? undefined : { everyHours: scrub.every_h, sample: scrub.sample };
}

/** What a pool does at the moment, as the API shows it. */
export function toStatusDto({ state, backlog, bots }: DispatcherStatus): PoolStatusDto {
  const { parts, bytes, oldestMs } = backlog;
  return { state, backlog: { parts, bytes, oldest_s: Math.floor(oldestMs / 1_000) }, bots: bots.map(toBotStatus) };
}

function toBotDto({ sessionId, state, reason }: PoolBotRow): PoolBotDto {
  return { session_id: sessionId, state, ...(reason !== undefined && { reason }) };
}

function toBotStatus(bot: BotStatus): PoolBotStatusDto {
  const { botId, state, reason, running, cooldownUntil, eligibleAt, budget, lastError, lastOkAt, counters } = bot;
  return {
    session_id: botId,
    state,
    ...(reason !== undefined && { reason }),
    ...(running && {
      running: {
        object_id: running.objectId,
        part_id: running.partId,
        bytes: running.sizeBytes,
        sent: running.sentBytes,
        since: dateOf(running.since),
      },
    }),
    ...(cooldownUntil !== undefined && { rate_limited_until: dateOf(cooldownUntil) }),
    ...(eligibleAt !== undefined && { eligible_at: dateOf(eligibleAt) }),
    budget: { used: budget.used, of: budget.of, window_s: budget.windowMs / 1_000 },
    ...(lastError !== undefined && { last_error: lastError }),
    ...(lastOkAt !== undefined && { last_ok_at: dateOf(lastOkAt) }),
    counters: { ...counters },
  };
}
