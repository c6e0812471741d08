import type { DeliveryRow } from './deliveries.repository.js';
import { type DeliveryDto } from './delivery.dto.js';
import type { SessionSubscriptionDto, SubscriptionDto } from './subscription.dto.js';
import type { SubscriptionView } from './subscriptions.service.js';

/** How a subscription looks in the API. */
export function toSubscriptionDto({ subscription: of, progress }: SubscriptionView): SubscriptionDto {
  return {
    id: of.id,
    kind: of.kind,
    ...(of.url !== null && { url: of.url, order: of.order, max_connections: of.maxConnections }),
    filters: of.filters as SubscriptionDto['filters'],
    ...(of.tokenId !== null && { token_id: of.tokenId }),
    ...(progress.tokenName !== undefined && { token_name: progress.tokenName }),
    enabled: of.enabled,
    ...(of.disabledReason !== null && { disabled_reason: of.disabledReason }),
    state: stateOf({ subscription: of, progress }),
    pending: progress.pending,
    ...(progress.oldestPendingAt && { oldest_pending_at: progress.oldestPendingAt.toISOString() }),
    failed: progress.failed,
    dropped: Number(of.dropped),
    delivered: Number(of.delivered),
    ...(progress.attempts > 0 && { success_rate: Number((progress.succeeded / progress.attempts).toFixed(4)) }),
    ...(of.lastDeliveredAt && { last_delivered_at: of.lastDeliveredAt.toISOString() }),
    ...(of.lastError !== null && { last_error: of.lastError }),
    ...(of.lastErrorAt && { last_error_at: of.lastErrorAt.toISOString() }),
    ...(of.failingSince && { failing_since: of.failingSince.toISOString() }),
    ...(progress.nextRetryAt && { next_retry_at: progress.nextRetryAt.toISOString() }),
    ...(of.formerSecretUntil &&
      of.formerSecretUntil.getTime() > Date.now() && { former_secret_until: of.formerSecretUntil.toISOString() }),
    created_at: of.createdAt.toISOString(),
  };
}

/** The same in a list over all sessions. */
export function toSessionSubscriptionDto(view: SubscriptionView): SessionSubscriptionDto {
  const { sessionId } = view.subscription;
  return { ...toSubscriptionDto(view), session_id: sessionId, session_kind: view.progress.sessionKind };
}

function stateOf({ subscription, progress }: SubscriptionView): SubscriptionDto['state'] {
  if (!subscription.enabled) return 'disabled';
  if (!progress.isServed) return 'token_disabled';
  return subscription.failingSince === null ? 'active' : 'failing';
}

/** How a delivery looks in the log. */
export function toDeliveryDto(row: DeliveryRow): DeliveryDto {
  const last = row.log.at(-1);
  return {
    id: row.id,
    status: row.status,
    type: row.type,
    ...(row.chat_id !== null && { chat_id: Number(row.chat_id) }),
    at: row.at.toISOString(),
    attempts: row.attempts,
    ...(row.status === 'pending' && row.due_at && { due_at: row.due_at.toISOString() }),
    ...(row.decided_at && { decided_at: row.decided_at.toISOString() }),
    ...(last && { last_attempt: last }),
  };
}
