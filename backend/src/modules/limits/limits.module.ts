import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { FloodsRepository } from './floods.repository.js';
import { LimitsController } from './limits.controller.js';
import { LimitsKeeper } from './limits-keeper.js';
import { LimitsRepository } from './limits.repository.js';
import { LimitsService } from './limits.service.js';
import { LimitsSweep } from './limits-sweep.js';
import { LimitsWriter } from './limits-writer.js';
import { RuleBook } from './rule-book.js';

const REPOSITORIES: Provider[] = [FloodsRepository, LimitsRepository];
const LOCAL: Provider[] = [LimitsKeeper, LimitsSweep, LimitsWriter, RuleBook];

/** What keeps accounts from being refused, or banned: cooldowns, pace and quotas. */
@Module({})
export class LimitsModule {
  /** The rules. */
  static forGateway(): DynamicModule {
    return {
      module: LimitsModule,
      global: true,
      controllers: [LimitsController],
      providers: [...REPOSITORIES, LimitsService],
      exports: [...REPOSITORIES, LimitsService],
    };
  }

  /** What they are applied by. */
  static forWorker(): DynamicModule {
    return {
      module: LimitsModule,
      global: true,
      providers: [...REPOSITORIES, ...LOCAL],
      exports: [...REPOSITORIES, LimitsKeeper],
    };
  }

  static forAll(): DynamicModule {
    return {
      module: LimitsModule,
      global: true,
      controllers: [LimitsController],
      providers: [...REPOSITORIES, LimitsService, ...LOCAL],
      exports: [...REPOSITORIES, LimitsService, LimitsKeeper],
    };
  }
}
