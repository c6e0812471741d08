import { type DynamicModule, Module } from '@nestjs/common';
import { AppVault } from './app-vault.js';
import { AppsController } from './apps.controller.js';
import { AppsInternalController } from './apps-internal.controller.js';
import { AppsService } from './apps.service.js';
import { LocalAppVault } from './local-app-vault.js';
import { RemoteAppVault } from './remote-app-vault.js';

const LOCAL_VAULT = [LocalAppVault, { provide: AppVault, useExisting: LocalAppVault }];

/** The registry of `api_id`/`api_hash` pairs. */
@Module({})
export class AppsModule {
  static forGateway(): DynamicModule {
    return {
      module: AppsModule,
      global: true,
      controllers: [AppsController],
      providers: [AppsService, { provide: AppVault, useClass: RemoteAppVault }],
    };
  }

  static forWorker(): DynamicModule {
    return {
      module: AppsModule,
      global: true,
      controllers: [AppsInternalController],
      providers: LOCAL_VAULT,
      exports: [LocalAppVault],
    };
  }

  static forAll(): DynamicModule {
    return {
      module: AppsModule,
      global: true,
      controllers: [AppsController],
      providers: [AppsService, ...LOCAL_VAULT],
      exports: [LocalAppVault],
    };
  }
}
