import { loopbackOfLength, pointHostsToLoopback } from './td-library.js';

describe('loopbackOfLength', () => {
  it('spells 127.0.0.1 in octal, as long as asked', () => {
    expect(loopbackOfLength(10)).toBe('0177.0.0.1');
    expect(loopbackOfLength(14)).toBe('00000177.0.0.1');
  });
});

describe('pointHostsToLoopback', () => {
  it('leaves no host that TDLib asks around a proxy, and moves nothing', () => {
    const before =
      'a\0https://dns.google/resolve?name=\0mozilla.cloudflare-dns.com/dns-query\0https://www.google.com/v1\0z';
    const library = Buffer.from(before, 'latin1');
    pointHostsToLoopback(library);
    const after = library.toString('latin1');
    expect(after).not.toMatch(/google|cloudflare/);
    expect(after).toContain('https://0177.0.0.1/resolve?name=');
    expect(after).toHaveLength(before.length);
    expect(after.indexOf('\0z')).toBe(before.indexOf('\0z'));
  });
});
