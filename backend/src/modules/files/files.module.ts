import { type DynamicModule, Module } from '@nestjs/common';
import { DownloadsController, DownloadsInternalController } from './downloads.controller.js';
import { Downloads } from './downloads.js';
import { LocalDownloads } from './local-downloads.js';
import { RemoteDownloads } from './remote-downloads.js';
import { TusController } from './tus.controller.js';
import { UploadSweep } from './upload-sweep.js';
import { UploadsController } from './uploads.controller.js';

const LOCAL = { provide: Downloads, useClass: LocalDownloads };
const REMOTE = { provide: Downloads, useClass: RemoteDownloads };

/** Files in and out: the routes of uploads and downloads. */
@Module({})
export class FilesModule {
  static forGateway(): DynamicModule {
    return {
      module: FilesModule,
      controllers: [UploadsController, TusController, DownloadsController],
      providers: [REMOTE],
    };
  }

  static forWorker(): DynamicModule {
    return { module: FilesModule, controllers: [DownloadsInternalController], providers: [UploadSweep, LOCAL] };
  }

  static forAll(): DynamicModule {
    return {
      module: FilesModule,
      controllers: [UploadsController, TusController, DownloadsController],
      providers: [UploadSweep, LOCAL],
    };
  }
}
