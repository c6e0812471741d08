export { LocalProxyVault } from './local-proxy-vault.js';
export { ProxiesModule } from './proxies.module.js';
export { ProxyEntity } from './proxy.entity.js';
