import { type Cooldown, SPAM_LIMIT, toCooldownDto, toPaceDto } from '../../limits/index.js';
import type { Held } from '../held-session.js';
import type { LiveState } from '../session.dto.js';
import { stateOf } from '../session-state.js';
import type { LiveLimits } from './session-limits.dto.js';

/** The limits of a session that no client is open for, or the part of an open one's that is no matter of time. */
export function limitsOfState(state: LiveState, cooldowns: readonly Cooldown[]): LiveLimits {
  const { is_premium, frozen, frozen_since, deletion_date, appeal_link } = state;
  return {
    ...(is_premium !== undefined && { is_premium }),
    frozen,
    ...(frozen_since !== undefined && { frozen_since }),
    ...(deletion_date !== undefined && { deletion_date }),
    ...(appeal_link !== undefined && { appeal_link }),
    spam_limited: cooldowns.some(({ scope }) => scope === SPAM_LIMIT),
    cooldowns: cooldowns.map((cooldown) => toCooldownDto(cooldown)),
  };
}

/** The limits of an open session. */
export function limitsOf(held: Held): LiveLimits {
  const { closed, queue } = held.limits;
  return { ...limitsOfState(stateOf(held), closed), ...(queue !== undefined && { pace: toPaceDto(queue) }) };
}
