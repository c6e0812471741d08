import { parseProxyLink } from './proxy-link';

const none = { username: '', password: '', secret: '' };

it.each([
  [
    'socks5://u:p%40w@10.0.0.5:1080',
    { ...none, type: 'socks5', host: '10.0.0.5', port: '1080', username: 'u', password: 'p@w' },
  ],
  ['socks5h://10.0.0.5', { ...none, type: 'socks5', host: '10.0.0.5', port: '1080' }],
  ['http://[::1]:3128', { ...none, type: 'http', host: '::1', port: '3128' }],
  ['http://proxy.example.org:80', { ...none, type: 'http', host: 'proxy.example.org', port: '80' }],
  [
    'tg://socks?server=h&port=9050&user=u&pass=p',
    { ...none, type: 'socks5', host: 'h', port: '9050', username: 'u', password: 'p' },
  ],
  [
    'https://t.me/proxy?server=h&port=443&secret=ee11',
    { ...none, type: 'mtproto', host: 'h', port: '443', secret: 'ee11' },
  ],
])('reads %s', (link, fields) => {
  expect(parseProxyLink(link)).toEqual(fields);
});

it.each(['', '10.0.0.5:1080', 'tg://resolve?domain=x', 'https://t.me/telegram', 'tg://proxy?server=h', 'ftp://h:21'])(
  'leaves %s alone',
  (text) => {
    expect(parseProxyLink(text)).toBeUndefined();
  },
);
