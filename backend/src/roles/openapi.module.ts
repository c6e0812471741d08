import { type DynamicModule, Module } from '@nestjs/common';
import { OpenApiController } from './openapi.controller.js';

/** The API's description and a page to read it. */
@Module({})
export class OpenApiModule {
  static forGateway(): DynamicModule {
    return { module: OpenApiModule, controllers: [OpenApiController] };
  }
}
