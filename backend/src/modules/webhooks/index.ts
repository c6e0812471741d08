export { SubscriptionEntity } from './subscription.entity.js';
export { type PoolHappening, SystemEvents } from './system-events.js';
export { WebhooksModule } from './webhooks.module.js';
