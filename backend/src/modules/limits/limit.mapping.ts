import type { Cooldown } from './cooldowns.js';
import type { CooldownDto, LimitDto, PaceDto, SessionLimitRuleDto } from './limit.dto.js';
import { levelOf } from './limit-rule.js';
import { hasTimezone, type UsedRule } from './limits.service.js';
import type { PaceSettings, PaceState } from './pace.js';

/** A rule as the API tells it. */
export function toLimitDto({ rule, used, window }: UsedRule): LimitDto {
  return {
    id: rule.id,
    level: levelOf(rule),
    ...(rule.kind !== undefined && { kind: rule.kind }),
    ...(rule.sessionId !== undefined && { session_id: rule.sessionId }),
    ...(rule.tokenId !== undefined && { token_id: rule.tokenId }),
    methods: rule.methods,
    max: rule.max,
    per: rule.per,
    ...(hasTimezone(rule.per) && { timezone: rule.timezone }),
    ...(rule.label !== undefined && { label: rule.label }),
    enabled: rule.enabled,
    usage: { used, window_end: new Date(window.endsAt).toISOString() },
    created_at: rule.createdAt.toISOString(),
  };
}

/** The same beside a session. */
export function toSessionLimitRuleDto(used: UsedRule): SessionLimitRuleDto {
  return { ...toLimitDto(used), ...(used.replacedBy !== undefined && { replaced_by: used.replacedBy }) };
}

/** @param now in milliseconds since 1970 */
export function toCooldownDto({ scope, startedAt, until, reason }: Cooldown, now = Date.now()): CooldownDto {
  return {
    scope,
    started_at: startedAt.toISOString(),
    until: until.toISOString(),
    retry_after: Math.max(1, Math.ceil((until.getTime() - now) / 1_000)),
    reason,
  };
}

export function toPaceDto({ perSecond, maxWaitMs, length, nextInMs }: PaceState & PaceSettings): PaceDto {
  return {
    per_second: perSecond,
    max_wait: maxWaitMs / 1_000,
    length,
    next_in: Math.ceil(nextInMs) / 1_000,
  };
}
