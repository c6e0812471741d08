import type { LiveState } from './session.dto.js';
import type { SessionEntity } from './session.entity.js';

/** The state of a session that no client is open for. */
export function stateOfRow(row: SessionEntity): LiveState {
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    since: row.since.toISOString(),
    health: row.health,
    ...(row.healthCause !== null && { health_cause: row.healthCause }),
    ...(row.lastError !== null && { last_error: row.lastError }),
    ...(row.isPremium !== null && { is_premium: row.isPremium }),
    frozen: row.frozen,
    spam_limited: row.spamLimited,
  };
}
