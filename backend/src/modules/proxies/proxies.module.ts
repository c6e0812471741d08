import { type DynamicModule, Module } from '@nestjs/common';
import { ProxyVault } from './proxy-vault.js';
import { ProxiesController } from './proxies.controller.js';
import { ProxiesInternalController } from './proxies-internal.controller.js';
import { ProxiesService } from './proxies.service.js';
import { LocalProxyVault } from './local-proxy-vault.js';
import { RemoteProxyVault } from './remote-proxy-vault.js';

const LOCAL_VAULT = [LocalProxyVault, { provide: ProxyVault, useExisting: LocalProxyVault }];

/** The registry of proxies towards Telegram. */
@Module({})
export class ProxiesModule {
  static forGateway(): DynamicModule {
    return {
      module: ProxiesModule,
      global: true,
      controllers: [ProxiesController],
      providers: [ProxiesService, { provide: ProxyVault, useClass: RemoteProxyVault }],
    };
  }

  static forWorker(): DynamicModule {
    return {
      module: ProxiesModule,
      global: true,
      controllers: [ProxiesInternalController],
      providers: LOCAL_VAULT,
      exports: [LocalProxyVault],
    };
  }

  static forAll(): DynamicModule {
    return {
      module: ProxiesModule,
      global: true,
      controllers: [ProxiesController],
      providers: [ProxiesService, ...LOCAL_VAULT],
      exports: [LocalProxyVault],
    };
  }
}
