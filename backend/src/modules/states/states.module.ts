import { type DynamicModule, Module } from '@nestjs/common';
import { SessionStates } from './session-states.js';
import { StatesRepository } from './states.repository.js';

/** The states of sessions outside of this worker's disk. */
@Module({})
export class StatesModule {
  static forWorker(): DynamicModule {
    return {
      module: StatesModule,
      global: true,
      providers: [StatesRepository, SessionStates],
      exports: [SessionStates],
    };
  }
}
