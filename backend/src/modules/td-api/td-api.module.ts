import { type DynamicModule, Module } from '@nestjs/common';
import { TdApiController } from './td-api.controller.js';
import { TdCatalogue } from './td-catalogue.js';

/** What td_api has, for whoever writes a call. */
@Module({})
export class TdApiModule {
  static forGateway(): DynamicModule {
    return { module: TdApiModule, controllers: [TdApiController], providers: [TdCatalogue] };
  }
}
