export * from './idempotency.errors.js';
export { Idempotency, type StoredAnswer } from './idempotency.js';
export { ApiIdempotencyKey, Idempotent } from './idempotency.interceptor.js';
export { IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED, idempotencyKeyOf, markReplayed } from './idempotency-header.js';
export { IdempotencyKeyEntity } from './idempotency-key.entity.js';
export { IdempotencyRepository, KEYS_SWEPT_AT_ONCE } from './idempotency.repository.js';
