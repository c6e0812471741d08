import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { AllSubscriptionsController } from './all-subscriptions.controller.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveriesService } from './deliveries.service.js';
import { EventFeed } from './event-feed.js';
import { EventReader } from './event-reader.js';
import { EventTicketsController } from './event-tickets.controller.js';
import { EventsController } from './events.controller.js';
import { LanesRepository } from './lanes.repository.js';
import { SealerInternalController } from './sealer-internal.controller.js';
import { LocalSecretSealer, RemoteSecretSealer, SecretSealer } from './secret-sealer.js';
import { SubscribersRepository } from './subscribers.repository.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { SystemEvents } from './system-events.js';
import { UpdatePipeline } from './update-pipeline.js';
import { UpdateRetention } from './update-retention.js';
import { UpdatesRepository } from './updates.repository.js';

const CONTROLLERS = [
  AllSubscriptionsController,
  SubscriptionsController,
  DeliveriesController,
  EventsController,
  EventTicketsController,
];

const REGISTRY: Provider[] = [
  DeliveriesRepository,
  DeliveriesService,
  EventFeed,
  EventReader,
  SubscriptionsRepository,
  SubscriptionsService,
];

const LOCAL: Provider[] = [
  LocalSecretSealer,
  { provide: SecretSealer, useExisting: LocalSecretSealer },
  LanesRepository,
  SubscribersRepository,
  SystemEvents,
  UpdatePipeline,
  UpdatesRepository,
  UpdateRetention,
];

/** Updates on their way to who wants them: posted to webhooks, or kept for readers. */
@Module({})
export class WebhooksModule {
  static forGateway(): DynamicModule {
    return {
      module: WebhooksModule,
      controllers: CONTROLLERS,
      providers: [...REGISTRY, { provide: SecretSealer, useClass: RemoteSecretSealer }],
    };
  }

  static forWorker(): DynamicModule {
    return {
      module: WebhooksModule,
      global: true,
      controllers: [SealerInternalController],
      providers: LOCAL,
      exports: [SystemEvents],
    };
  }

  static forAll(): DynamicModule {
    return {
      module: WebhooksModule,
      global: true,
      controllers: CONTROLLERS,
      providers: [...REGISTRY, ...LOCAL],
      exports: [SystemEvents],
    };
  }
}
