import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { WorkerClient } from '../../common/cluster/index.js';
import { BotCalls } from './bot-calls.js';
import { FleetPartSender } from './fleet-part-sender.js';
import { LeftParts } from './left-parts.js';
import { LocalPartSender } from './local-part-sender.js';
import { ObjectsController } from './objects.controller.js';
import { ObjectsRepository } from './objects.repository.js';
import { ObjectsService } from './objects.service.js';
import { PoolHost } from './pool-host.js';
import { PoolOwner } from './pool-owner.js';
import { PartSender } from './pool-part.js';
import { PoolsController } from './pools.controller.js';
import { PoolSendsRepository } from './pool-sends.repository.js';
import { PoolsInternalController } from './pools-internal.controller.js';
import { PoolsRepository } from './pools.repository.js';
import { PoolsService } from './pools.service.js';
import { RemotePoolHost } from './remote-pool-host.js';
import { Spool } from './spool.js';

const PUBLIC = [PoolsController, ObjectsController];
const SERVICES: Provider[] = [
  BotCalls,
  ObjectsRepository,
  ObjectsService,
  LeftParts,
  PoolSendsRepository,
  PoolsRepository,
  PoolsService,
  Spool,
];
const OWNER: Provider[] = [PoolOwner, { provide: PoolHost, useExisting: PoolOwner }, LocalPartSender];

/** Pools of bots that keep objects in chats: many bots, one send at a time each. */
@Module({})
export class BotPoolModule {
  static forGateway(): DynamicModule {
    return {
      module: BotPoolModule,
      controllers: PUBLIC,
      providers: [...SERVICES, { provide: PoolHost, useClass: RemotePoolHost }],
    };
  }

  static forWorker(): DynamicModule {
    return {
      module: BotPoolModule,
      controllers: [PoolsInternalController],
      providers: [
        PoolSendsRepository,
        PoolsRepository,
        ...OWNER,
        WorkerClient,
        FleetPartSender,
        { provide: PartSender, useExisting: FleetPartSender },
      ],
    };
  }

  static forAll(): DynamicModule {
    return {
      module: BotPoolModule,
      controllers: PUBLIC,
      providers: [...SERVICES, ...OWNER, { provide: PartSender, useExisting: LocalPartSender }],
    };
  }
}
