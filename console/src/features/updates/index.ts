export { EventsPage } from './events-page';
export { EventsTab } from './events-tab';
export { SubscriptionSecretDialog } from './subscription-secret';
export { WebhooksPage } from './webhooks-page';
export { WebhooksTab } from './webhooks-tab';
