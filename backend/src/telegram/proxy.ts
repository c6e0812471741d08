import type { ProxySettings } from '../config/index.js';
import type { TdObject } from './td-object.js';

/** td_api's `proxy` object. */
export function toTdProxy(proxy: ProxySettings): TdObject {
  return { '@type': 'proxy', server: proxy.host, port: proxy.port, type: toTdProxyType(proxy) };
}

function toTdProxyType(proxy: ProxySettings): TdObject {
  switch (proxy.type) {
    case 'socks5':
      return { '@type': 'proxyTypeSocks5', username: proxy.username ?? '', password: proxy.password ?? '' };
    case 'http':
      return {
        '@type': 'proxyTypeHttp',
        username: proxy.username ?? '',
        password: proxy.password ?? '',
        http_only: false,
      };
    case 'mtproto':
      return { '@type': 'proxyTypeMtproto', secret: proxy.secret ?? '' };
  }
}
