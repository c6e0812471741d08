import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { MasterKeyMismatchError } from '../errors/index.js';
import { SecretBox } from './secret-box.js';

const where = { table: 'apps', column: 'api_hash_sealed', id: '1' };

describe('SecretBox', () => {
  const box = new SecretBox(randomBytes(32));

  it('opens what it sealed, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(box.open(box.seal(text, where), where).toString('utf8')).toBe(
          Buffer.from(text, 'utf8').toString('utf8'),
        );
      }),
    );
    const bytes = randomBytes(32);
    expect(box.open(box.seal(bytes, where), where)).toEqual(bytes);
  });

  it('seals the same text differently each time, and shows nothing of it', () => {
    const [one, two] = [box.seal('secret text', where), box.seal('secret text', where)];
    expect(one).not.toBe(two);
    expect(one).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(Buffer.from(one, 'base64').toString()).not.toContain('secret text');
  });

  it.each([
    ['another row', { ...where, id: '2' }],
    ['another column', { ...where, column: 'other' }],
    ['another table', { ...where, table: 'proxies' }],
  ])('does not open it in %s', (_what, place) => {
    expect(() => box.open(box.seal('x', where), place)).toThrow(MasterKeyMismatchError);
  });

  it('does not open it with another key, and says so', () => {
    const other = new SecretBox(randomBytes(32));
    expect(() => other.open(box.seal('x', where), where)).toThrow(/MASTER_KEY is not the key/);
  });

  it('does not open anything that was changed', () => {
    const sealed = box.seal('some secret', where);
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom('A', 'b', '.', '-'), (at, char) => {
        const changed = sealed.slice(0, at) + char + sealed.slice(at + 1);
        fc.pre(changed !== sealed);
        let opened: string | undefined;
        try {
          opened = box.open(changed, where).toString();
        } catch (error) {
          expect(error).toBeInstanceOf(MasterKeyMismatchError);
        }
        // Base64 has unused bits at its end: the same bytes may be written in two ways.
        expect([undefined, 'some secret']).toContain(opened);
      }),
    );
  });

  it('takes nothing but a key of 32 bytes', () => {
    expect(() => new SecretBox(randomBytes(31))).toThrow(RangeError);
  });
});
