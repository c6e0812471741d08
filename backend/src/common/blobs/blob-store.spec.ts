import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type StoreS3, startOtherS3 } from '../../../test/support/s3rver.js';
import type { StoreSettings } from '../../config/index.js';
import { parseStoreLocation } from '../../config/store-location.js';
import { BlobStoreError, openBlobStore } from './index.js';

describe.each(['file', 's3'] as const)('a store of blobs (%s)', (kind) => {
  let dir: string;
  let server: StoreS3 | undefined;
  let settings: StoreSettings;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-blobs-'));
    server = kind === 's3' ? await startOtherS3() : undefined;
    const location = parseStoreLocation(server?.url(server.endpoint) ?? `file://${join(dir, 'store')}`);
    if (location === undefined) throw new Error('the location is none');
    settings = { location, credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } };
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('gives back what was put there, the last one under a name, and lists by prefix in order', async () => {
    const store = openBlobStore(settings);
    const put = async (key: string, content: string): Promise<void> => {
      const file = join(dir, 'content');
      writeFileSync(file, content);
      await store.put(key, file);
    };
    const get = async (key: string): Promise<string | undefined> => {
      const source = await store.get(key);
      return source && text(source);
    };
    expect(await store.list('a/')).toEqual([]);
    expect(await get('a/none')).toBeUndefined();
    await put('a/2', 'two');
    await put('a/1', 'one');
    await put('a/b/3', 'three');
    await put('ab/4', 'four');
    await put('a/1', 'one again');
    expect(await get('a/1')).toBe('one again');
    expect(await store.list('a/')).toEqual(['a/1', 'a/2', 'a/b/3']);
    expect(await store.list('a/', 'a/1')).toEqual(['a/2', 'a/b/3']);
    await store.remove('a/2');
    await store.remove('a/2');
    expect(await store.list('a/')).toEqual(['a/1', 'a/b/3']);
    expect(store.place).toContain(kind);
  });

  it('says what failed, and where', async () => {
    const location: StoreSettings['location'] =
      settings.location.kind === 'file'
        ? { kind: 'file', dir: '/dev/null/store' }
        : { ...settings.location, bucket: 'of-nobody' };
    const store = openBlobStore({ ...settings, location });
    const file = join(dir, 'content');
    writeFileSync(file, 'x');
    await expect(store.put('a/1', file)).rejects.toThrow(new RegExp(`^${kind}://.*: a/1 could not be written: `));
    await expect(store.put('a/1', file)).rejects.toBeInstanceOf(BlobStoreError);
  });
});
