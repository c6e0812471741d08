import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loopbackOfLength, pointHostsToLoopback, proxyOnlyLibrary } from './td-library.js';

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

describe('proxyOnlyLibrary', () => {
  it('makes one copy of each version, and takes it again', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'td-library-'));
    try {
      const installed = join(directory, 'libtdjson.so');
      await writeFile(installed, 'v1 dns.google');
      const first = await proxyOnlyLibrary(installed, join(directory, 'copies'));
      expect(await readFile(first.path, 'latin1')).toBe('v1 0177.0.0.1');
      await writeFile(first.path, 'as it was found');
      expect(await proxyOnlyLibrary(installed, join(directory, 'copies'))).toEqual(first);
      expect(await readFile(first.path, 'latin1')).toBe('as it was found');
      await writeFile(installed, 'v2 dns.google');
      const second = await proxyOnlyLibrary(installed, join(directory, 'copies'));
      expect(second.path).not.toBe(first.path);
      expect(second.identity).not.toBe(first.identity);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
