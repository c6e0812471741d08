import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { MasterKeyMismatchError } from '../errors/index.js';
import { openStretch, plainSize, sealedSize, sealedStretch, sealStream } from './sealed-stream.js';
import { SecretBox } from './secret-box.js';

const box = new SecretBox(Buffer.alloc(32, 3));
const WHAT = 'the state of session 1';

/** In chunks of any size, as a network cuts them. */
async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function gather(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

const seal = (bytes: Buffer, chunk = 10_000): Promise<Buffer> => gather(box.sealStream(WHAT, chunks(bytes, chunk)));
const open = (sealed: Buffer, chunk = 10_000, what = WHAT): Promise<Buffer> =>
  gather(box.openStream(what, chunks(sealed, chunk)));

describe('a sealed stream', () => {
  it.each([0, 1, 65_535, 65_536, 65_537, 131_072, 300_001])(
    'opens to its %i bytes, however it is cut',
    async (size) => {
      const bytes = randomBytes(size);
      for (const chunk of [1_000, 65_536, 1_000_000])
        expect((await open(await seal(bytes, chunk), chunk + 1)).equals(bytes)).toBe(true);
    },
  );

  it('opens in any stretch, from nothing but the pieces that it is in', async () => {
    const [key, keyId] = [Buffer.alloc(32, 5), '01020304'];
    for (const size of [1, 65_535, 65_536, 65_537, 200_000]) {
      const bytes = randomBytes(size);
      const sealed = await gather(sealStream(key, keyId, WHAT, chunks(bytes, 10_000)));
      expect([sealedSize(size), plainSize(sealed.length)]).toEqual([sealed.length, size]);
      const secret = { key, keyId, what: WHAT, head: sealed.subarray(0, 40) };
      const edges = [0, 1, 65_535, 65_536, 65_537, size - 1, size].filter((at) => at >= 0 && at <= size);
      for (const from of edges) {
        for (const to of edges.filter((at) => at > from)) {
          const at = sealedStretch({ from, to, of: size });
          const source = chunks(sealed.subarray(at.from, at.to), 30_000);
          expect(
            (await gather(openStretch(secret, { from, to, of: size }, source))).equals(bytes.subarray(from, to)),
          ).toBe(true);
        }
      }
      const elsewhere = { ...secret, what: 'another' };
      const whole = { from: 0, to: size, of: size };
      await expect(gather(openStretch(elsewhere, whole, chunks(sealed.subarray(40), 9_999)))).rejects.toThrow(
        MasterKeyMismatchError,
      );
      await expect(gather(openStretch(secret, whole, chunks(sealed.subarray(40, -1), 9_999)))).rejects.toThrow(
        MasterKeyMismatchError,
      );
    }
  });

  it('is another one each time, and shows nothing of what it holds', async () => {
    const bytes = Buffer.from('secret text '.repeat(20_000));
    const [one, two] = await Promise.all([seal(bytes), seal(bytes)]);
    expect(one.equals(two)).toBe(false);
    expect(one.includes('secret text')).toBe(false);
  });

  it('does not open when it was cut off anywhere, also between two pieces', async () => {
    const sealed = await seal(randomBytes(200_000));
    const piece = 65_536 + 20;
    for (const length of [0, 3, 39, 40, 40 + piece, 40 + 2 * piece, sealed.length - 1]) {
      await expect(open(sealed.subarray(0, length))).rejects.toBeInstanceOf(MasterKeyMismatchError);
    }
  });

  it('does not open when a byte was changed or added, or pieces have changed places', async () => {
    const sealed = await seal(randomBytes(200_000));
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = Buffer.from(sealed);
        changed.writeUInt8(((changed[at] ?? 0) + by) % 256, at);
        await expect(open(changed)).rejects.toBeInstanceOf(MasterKeyMismatchError);
      }),
      { numRuns: 30 },
    );
    await expect(open(Buffer.concat([sealed, Buffer.from('x')]))).rejects.toBeInstanceOf(MasterKeyMismatchError);
    const piece = 65_536 + 20;
    const [head, first, second, rest] = [0, 40, 40 + piece, 40 + 2 * piece].map((from, index, all) =>
      sealed.subarray(from, all[index + 1]),
    );
    const swapped = Buffer.concat([head, second, first, rest].filter((part) => part !== undefined));
    await expect(open(swapped)).rejects.toBeInstanceOf(MasterKeyMismatchError);
  });

  it('opens neither as something else nor with another key', async () => {
    const sealed = await seal(Buffer.from('x'));
    await expect(open(sealed, 10, 'the state of session 2')).rejects.toThrow('the state of session 2 does not open');
    const other = new SecretBox(Buffer.alloc(32, 4));
    await expect(gather(other.openStream(WHAT, chunks(sealed, 10)))).rejects.toThrow('another key');
  });
});
