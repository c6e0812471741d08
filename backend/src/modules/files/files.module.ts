import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { DownloadsController, DownloadsInternalController } from './downloads.controller.js';
import { Downloads } from './downloads.js';
import { LocalDownloads } from './local-downloads.js';
import { LocalStorage } from './local-storage.js';
import { RemoteDownloads } from './remote-downloads.js';
import { RemoteStorage } from './remote-storage.js';
import { StorageSweep } from './storage-sweep.js';
import { StorageController, StorageInternalController } from './storage.controller.js';
import { Storage } from './storage.js';
import { TusController } from './tus.controller.js';
import { UploadSweep } from './upload-sweep.js';
import { UploadsController } from './uploads.controller.js';

const LOCAL: Provider[] = [
  { provide: Downloads, useClass: LocalDownloads },
  LocalStorage,
  { provide: Storage, useExisting: LocalStorage },
  UploadSweep,
  StorageSweep,
];
const REMOTE: Provider[] = [
  { provide: Downloads, useClass: RemoteDownloads },
  { provide: Storage, useClass: RemoteStorage },
];
const PUBLIC = [UploadsController, TusController, StorageController, DownloadsController];

/** Files in and out, and what they take: the routes of uploads, downloads and storage. */
@Module({})
export class FilesModule {
  static forGateway(): DynamicModule {
    return { module: FilesModule, global: true, controllers: PUBLIC, providers: REMOTE, exports: [Downloads] };
  }

  static forWorker(): DynamicModule {
    const controllers = [DownloadsInternalController, StorageInternalController];
    return { module: FilesModule, controllers, providers: LOCAL };
  }

  static forAll(): DynamicModule {
    return { module: FilesModule, global: true, controllers: PUBLIC, providers: LOCAL, exports: [Downloads] };
  }
}
