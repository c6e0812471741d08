import { type DynamicModule, Module } from '@nestjs/common';
import { UploadSweep } from './upload-sweep.js';
import { UploadsController } from './uploads.controller.js';

/** Files in and out: the routes of uploads and downloads. */
@Module({})
export class FilesModule {
  static forGateway(): DynamicModule {
    return { module: FilesModule, controllers: [UploadsController] };
  }

  static forWorker(): DynamicModule {
    return { module: FilesModule, providers: [UploadSweep] };
  }

  static forAll(): DynamicModule {
    return { module: FilesModule, controllers: [UploadsController], providers: [UploadSweep] };
  }
}
