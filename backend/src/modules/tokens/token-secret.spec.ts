import { digestOf, isTokenForm, makeSecret } from './token-secret.js';

describe('the secret of a token', () => {
  it('is 32 bytes that fit in a URL, and of which only a digest and the beginning are kept', () => {
    const { token, hash, prefix } = makeSecret();
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(encodeURIComponent(token)).toBe(token);
    expect(hash).toEqual(digestOf(token));
    expect(token.startsWith(prefix)).toBe(true);
    expect(prefix.length).toBeLessThan(8);
  });

  it('is another one each time', () => {
    expect(new Set(Array.from({ length: 100 }, () => makeSecret().token)).size).toBe(100);
  });

  it('is known by its form', () => {
    expect(isTokenForm(makeSecret().token)).toBe(true);
    for (const text of ['', 'x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}=`, `${'x'.repeat(42)}\n`]) {
      expect(isTokenForm(text)).toBe(false);
    }
  });
});
