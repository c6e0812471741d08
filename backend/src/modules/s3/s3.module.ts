import { type DynamicModule, Module } from '@nestjs/common';
import { OBJECT_STORE } from './object-store.js';
import { PoolObjectStore } from './pool-object-store.js';
import { S3Endpoint } from './s3-endpoint.js';
import { S3KeysController } from './s3-keys.controller.js';
import { S3KeysRepository } from './s3-keys.repository.js';
import { S3Keys } from './s3-keys.service.js';

/** Objects of pools for clients of S3, and their access keys. */
@Module({})
export class S3Module {
  static forGateway(): DynamicModule {
    return {
      module: S3Module,
      controllers: [S3KeysController],
      providers: [S3Endpoint, S3Keys, S3KeysRepository, { provide: OBJECT_STORE, useClass: PoolObjectStore }],
    };
  }
}
