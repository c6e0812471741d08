import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uploads } from './uploads.js';

const PART = 4096;
const ACCOUNT = { id: 1, premium: false };

describe('uploads', () => {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-uploads-'));
  const uploads = new Uploads(join(directory, 'uploads'));
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  function partsOf(bytes: Buffer): Buffer[] {
    return Array.from({ length: Math.ceil(bytes.length / PART) }, (_unused, i) =>
      bytes.subarray(i * PART, (i + 1) * PART),
    );
  }

  it.each([
    ['in order', false],
    ['backwards', true],
  ])('put parts together that come %s, with a shorter last one', async (_name, backwards) => {
    const bytes = randomBytes(5 * PART + 17);
    const parts = [...partsOf(bytes).entries()];
    const fileId = backwards ? 1n : 2n;
    for (const [index, part] of backwards ? parts.reverse() : parts) {
      await uploads.save(ACCOUNT, { fileId, index, bytes: part, totalParts: undefined });
    }
    const { path, sizeBytes } = await uploads.take(1, fileId, parts.length);
    expect(sizeBytes).toBe(bytes.length);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('take the same part twice without harm', async () => {
    const bytes = randomBytes(10);
    await uploads.save(ACCOUNT, { fileId: 3n, index: 0, bytes, totalParts: undefined });
    await uploads.save(ACCOUNT, { fileId: 3n, index: 0, bytes, totalParts: undefined });
    expect((await uploads.take(1, 3n, 1)).sizeBytes).toBe(10);
  });

  it('name the part that is missing', async () => {
    await uploads.save(ACCOUNT, { fileId: 4n, index: 0, bytes: randomBytes(PART), totalParts: 3 });
    await uploads.save(ACCOUNT, { fileId: 4n, index: 2, bytes: randomBytes(5), totalParts: 3 });
    await expect(uploads.take(1, 4n, 3)).rejects.toMatchObject({ text: 'FILE_PART_1_MISSING' });
  });

  it('refuse empty and oversized parts, and parts of odd sizes', async () => {
    const save = (bytes: Buffer): Promise<void> =>
      uploads.save(ACCOUNT, { fileId: 5n, index: 0, bytes, totalParts: 9 });
    await expect(save(Buffer.alloc(0))).rejects.toMatchObject({ text: 'FILE_PART_EMPTY' });
    await expect(save(Buffer.alloc(524_289))).rejects.toMatchObject({ text: 'FILE_PART_TOO_BIG' });
    await expect(save(Buffer.alloc(1000))).rejects.toMatchObject({ text: 'FILE_PART_SIZE_INVALID' });
  });

  it('have as many parts as the account may send', async () => {
    const save = (premium: boolean, totalParts: number): Promise<void> =>
      uploads.save({ id: 1, premium }, { fileId: 7n, index: 0, bytes: Buffer.alloc(PART), totalParts });
    await save(false, 4_000);
    await expect(save(false, 4_001)).rejects.toMatchObject({ text: 'FILE_PARTS_INVALID' });
    await save(true, 8_000);
    await expect(save(true, 8_001)).rejects.toMatchObject({ text: 'FILE_PARTS_INVALID' });
  });

  it('belong to one account', async () => {
    await uploads.save(ACCOUNT, { fileId: 6n, index: 0, bytes: randomBytes(3), totalParts: undefined });
    await expect(uploads.take(2, 6n, 1)).rejects.toMatchObject({ text: 'FILE_PARTS_INVALID' });
  });
});
