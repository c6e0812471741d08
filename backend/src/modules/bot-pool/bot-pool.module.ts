import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { WorkerClient } from '../../common/cluster/index.js';
import { BlobsRepository } from './blobs.repository.js';
import { BlobEraser } from './blob-eraser.js';
import { BlobReader } from './blob-reader.js';
import { BlobReads } from './blob-reads.js';
import { BotCalls } from './bot-calls.js';
import { BucketsRepository } from './buckets.repository.js';
import { BucketsService } from './buckets.service.js';
import { ChunkFiles } from './chunk-files.js';
import { ChunkSender } from './chunk-sender.js';
import { PoolEventFeed } from './events/pool-event-feed.js';
import { PoolEventStream } from './events/pool-event-stream.js';
import { PoolEventsController } from './events/pool-events.controller.js';
import { PoolEventsRepository } from './events/pool-events.repository.js';
import { FleetPartSender } from './fleet-part-sender.js';
import { GcWork } from './jobs/gc-work.js';
import { JobRunner } from './jobs/job-runner.js';
import { JobsController } from './jobs/jobs.controller.js';
import { JobsRepository } from './jobs/jobs.repository.js';
import { JobsService } from './jobs/jobs.service.js';
import { PurgeWork } from './jobs/purge-work.js';
import { ScrubWork } from './jobs/scrub-work.js';
import { LeftParts } from './left-parts.js';
import { LinkedObjectsController, LinksController } from './links.controller.js';
import { LinksService } from './links.service.js';
import { LocalPartSender } from './local-part-sender.js';
import { ObjectsController } from './objects.controller.js';
import { ObjectsRepository } from './objects.repository.js';
import { ObjectsService } from './objects.service.js';
import { PartUploads } from './part-uploads.js';
import { PoolHost } from './pool-host.js';
import { PoolKeys } from './pool-keys.js';
import { PoolOwner } from './pool-owner.js';
import { PartSender } from './pool-part.js';
import { PoolReaders } from './pool-readers.js';
import { PoolsController } from './pools.controller.js';
import { PoolSendsRepository } from './pool-sends.repository.js';
import { PoolsInternalController } from './pools-internal.controller.js';
import { PoolsRepository } from './pools.repository.js';
import { PoolsService } from './pools.service.js';
import { RemotePoolHost } from './remote-pool-host.js';
import { ResumableEnds } from './resumable-ends.js';
import { ResumableUploads } from './resumable-uploads.js';
import { ResumablesController } from './resumables.controller.js';
import { ResumablesRepository } from './resumables.repository.js';
import { Spool } from './spool.js';
import { UploadsRepository } from './uploads.repository.js';

const PUBLIC = [
  PoolsController,
  ObjectsController,
  ResumablesController,
  LinksController,
  LinkedObjectsController,
  PoolEventsController,
  JobsController,
];
const FOR_S3 = [BucketsService, ObjectsService, PartUploads];
const SERVICES: Provider[] = [
  ...FOR_S3,
  BlobsRepository,
  BlobEraser,
  BlobReader,
  BlobReads,
  BotCalls,
  BucketsRepository,
  GcWork,
  JobRunner,
  JobsRepository,
  JobsService,
  ChunkFiles,
  ChunkSender,
  LeftParts,
  LinksService,
  ObjectsRepository,
  PoolKeys,
  PoolEventFeed,
  PoolEventStream,
  PoolEventsRepository,
  PoolReaders,
  PoolSendsRepository,
  PoolsRepository,
  PoolsService,
  PurgeWork,
  ScrubWork,
  ResumableEnds,
  ResumableUploads,
  ResumablesRepository,
  Spool,
  UploadsRepository,
];
const OWNER: Provider[] = [PoolOwner, { provide: PoolHost, useExisting: PoolOwner }, LocalPartSender];

/** Pools of bots that keep objects in chats: many bots, one send at a time each. */
@Module({})
export class BotPoolModule {
  static forGateway(): DynamicModule {
    return {
      module: BotPoolModule,
      global: true,
      controllers: PUBLIC,
      providers: [...SERVICES, { provide: PoolHost, useClass: RemotePoolHost }],
      exports: FOR_S3,
    };
  }

  static forWorker(): DynamicModule {
    return {
      module: BotPoolModule,
      controllers: [PoolsInternalController],
      providers: [
        PoolEventsRepository,
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
      global: true,
      controllers: PUBLIC,
      providers: [...SERVICES, ...OWNER, { provide: PartSender, useExisting: LocalPartSender }],
      exports: FOR_S3,
    };
  }
}
