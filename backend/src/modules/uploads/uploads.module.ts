import { type DynamicModule, Module } from '@nestjs/common';
import { UploadStore } from './upload-store.js';
import { UploadUses } from './upload-uses.js';

/** The files that wait for Telegram, where gateways put them and workers take them. */
@Module({})
export class UploadsModule {
  static forGateway(): DynamicModule {
    return { module: UploadsModule, global: true, providers: [UploadStore], exports: [UploadStore] };
  }

  static forWorker(): DynamicModule {
    const providers = [UploadStore, UploadUses];
    return { module: UploadsModule, global: true, providers, exports: providers };
  }
}
