import { parseProxyUrl } from './proxy-settings.js';

describe('parseProxyUrl', () => {
  it.each([
    ['socks5://h.example:1080', { type: 'socks5', host: 'h.example', port: 1080 }],
    ['socks5://u:p%40ss@127.0.0.1:9', { type: 'socks5', host: '127.0.0.1', port: 9, username: 'u', password: 'p@ss' }],
    ['http://u@h:3128/', { type: 'http', host: 'h', port: 3128, username: 'u' }],
    ['http://h', { type: 'http', host: 'h', port: 80 }],
    ['socks5://[::1]:1080', { type: 'socks5', host: '::1', port: 1080 }],
    ['tg://proxy?server=h&port=443&secret=dd00', { type: 'mtproto', host: 'h', port: 443, secret: 'dd00' }],
    ['tg://socks?server=h&port=1&user=u&pass=p', { type: 'socks5', host: 'h', port: 1, username: 'u', password: 'p' }],
  ])('reads %s', (text, settings) => expect(parseProxyUrl(text)).toEqual(settings));

  it.each([
    'h:1080',
    'socks5://h',
    'socks5://h:0',
    'socks5://h:99999',
    'socks4://h:1',
    'https://h:1',
    'tg://proxy?server=h&port=443',
    'tg://other?server=h&port=1',
    'http://h:1/path',
    'socks5://u%zz:p@h:1',
    'http://u:%ff@h:1',
    '',
  ])('refuses %p', (text) => expect(parseProxyUrl(text)).toBeUndefined());
});
