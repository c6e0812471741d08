export { SubscriptionEntity } from './subscription.entity.js';
export { WebhooksModule } from './webhooks.module.js';
