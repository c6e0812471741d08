/** A proxy towards Telegram, as TDLib knows them. */
export interface ProxySettings {
  readonly type: 'socks5' | 'http' | 'mtproto';
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  /** MTProto proxies only. */
  readonly secret?: string;
}

function port(text: string | null): number | undefined {
  if (text === null || !/^\d{1,5}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= 1 && value <= 65_535 ? value : undefined;
}

function tgLink(url: URL): ProxySettings | undefined {
  const host = url.searchParams.get('server');
  const at = port(url.searchParams.get('port'));
  if (!host || at === undefined) return undefined;
  const secret = url.searchParams.get('secret');
  if (url.host === 'proxy') return secret ? { type: 'mtproto', host, port: at, secret } : undefined;
  if (url.host !== 'socks') return undefined;
  const username = url.searchParams.get('user');
  const password = url.searchParams.get('pass');
  return { type: 'socks5', host, port: at, ...(username && { username }), ...(password && { password }) };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** `socks5://user:pass@host:port`, `http://…` or `tg://proxy?server=…`; undefined when it is none of them. */
export function parseProxyUrl(text: string): ProxySettings | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol === 'tg:') return tgLink(url);
  if (url.protocol !== 'socks5:' && url.protocol !== 'http:') return undefined;
  // URL leaves out the port that is http's default.
  const at = port(url.port === '' && url.protocol === 'http:' ? '80' : url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '' || at === undefined || (url.pathname !== '' && url.pathname !== '/')) return undefined;
  const username = decoded(url.username);
  const password = decoded(url.password);
  if (username === undefined || password === undefined) return undefined;
  return {
    type: url.protocol === 'http:' ? 'http' : 'socks5',
    host,
    port: at,
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
  };
}
