import type { ProxyType } from '@/lib/types';

/** What a proxy link says, in the fields of the form. */
export interface ProxyFields {
  readonly type: ProxyType;
  readonly host: string;
  readonly port: string;
  readonly username: string;
  readonly password: string;
  readonly secret: string;
}

/**
 * Reads the forms in which proxies are passed around: `socks5://user:pass@host:port`, `http://…`, and Telegram's own
 * `tg://proxy?…`, `tg://socks?…`, `https://t.me/proxy?…`, `https://t.me/socks?…`.
 *
 * @returns undefined for anything else.
 */
export function parseProxyLink(text: string): ProxyFields | undefined {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    return undefined;
  }
  const kind = url.protocol === 'tg:' ? url.host || url.pathname.replace(/\//g, '') : url.pathname.replace(/\//g, '');
  const isTelegram = url.protocol === 'tg:' || (url.protocol === 'https:' && url.host === 't.me');
  if (isTelegram && (kind === 'proxy' || kind === 'socks')) {
    const get = (key: string): string => url.searchParams.get(key) ?? '';
    if (get('server') === '' || get('port') === '') return undefined;
    return {
      type: kind === 'proxy' ? 'mtproto' : 'socks5',
      host: get('server'),
      port: get('port'),
      username: get('user'),
      password: get('pass'),
      secret: get('secret'),
    };
  }
  // Browsers keep no host for schemes they do not know unless it is parsed as a web address.
  const match = /^(socks5h?|https?):\/\/(.+)$/i.exec(text.trim());
  if (!match || isTelegram) return undefined;
  let web: URL;
  try {
    web = new URL(`http://${match[2] ?? ''}`);
  } catch {
    return undefined;
  }
  if (web.hostname === '') return undefined;
  const scheme = (match[1] ?? '').toLowerCase();
  return {
    type: scheme.startsWith('socks5') ? 'socks5' : 'http',
    host: web.hostname.replace(/^\[|\]$/g, ''),
    port: web.port || (scheme.startsWith('socks5') ? '1080' : '80'),
    username: decodeURIComponent(web.username),
    password: decodeURIComponent(web.password),
    secret: '',
  };
}
