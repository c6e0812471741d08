import { type DynamicModule, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { LiveWorkers } from '../../common/cluster/index.js';
import { GoneWorkers } from './gone-workers.js';
import { LeaseRepository } from './lease.repository.js';
import { WorkerDirectory } from './worker-directory.js';
import { WorkerLease } from './worker-lease.js';
import { WorkerPurge } from './worker-purge.js';
import { WorkersController } from './workers.controller.js';
import { WorkersRepository } from './workers.repository.js';
import { WorkersService } from './workers.service.js';

/** Who holds sessions: the directory for gateways, the lease for workers. */
@Module({
  providers: [
    WorkersRepository,
    WorkerDirectory,
    WorkersService,
    { provide: LiveWorkers, useExisting: WorkerDirectory },
  ],
  exports: [WorkerDirectory, LiveWorkers],
})
export class WorkersModule {
  static forGateway(): DynamicModule {
    return { module: WorkersModule, global: true, controllers: [WorkersController] };
  }

  static forWorker(): DynamicModule {
    return {
      module: WorkersModule,
      global: true,
      imports: [ScheduleModule.forRoot()],
      providers: [LeaseRepository, GoneWorkers, WorkerLease, WorkerPurge],
      exports: [GoneWorkers, WorkerLease],
    };
  }

  static forAll(): DynamicModule {
    return { ...WorkersModule.forWorker(), controllers: [WorkersController] };
  }
}
