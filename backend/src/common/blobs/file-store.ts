import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, open, opendir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { codeOf } from '../errors/index.js';
import type { BlobStore } from './blob-store.js';
import { BlobStoreError } from './blob-store-error.js';

const LISTED_AT_ONCE = 1000;
/** What is being written ends with this, and is no object yet. */
const PART = '.part';

/** Objects as files below a folder, which several hosts may share. */
export class FileStore implements BlobStore {
  constructor(private readonly dir: string) {}

  get place(): string {
    return `file://${this.dir}`;
  }

  async put(key: string, file: string): Promise<void> {
    const path = join(this.dir, key);
    const half = `${path}.${randomBytes(6).toString('hex')}${PART}`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await copyFile(file, half, constants.COPYFILE_EXCL);
      const written = await open(half, 'r+');
      try {
        await written.chmod(0o600);
        await written.sync();
      } finally {
        await written.close();
      }
      await rename(half, path);
    } catch (error) {
      await rm(half, { force: true }).catch(() => undefined);
      throw new BlobStoreError(this.place, `${key} could not be written`, error);
    }
  }

  async get(key: string): Promise<Readable | undefined> {
    try {
      const file = await open(join(this.dir, key), 'r');
      return file.createReadStream();
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw new BlobStoreError(this.place, `${key} could not be read`, error);
    }
  }

  async list(prefix: string, after = ''): Promise<readonly string[]> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const found: string[] = [];
    try {
      for await (const entry of await opendir(join(this.dir, folder), { recursive: true })) {
        const key = relative(this.dir, join(entry.parentPath, entry.name)).split(sep).join('/');
        if (entry.isFile() && key.startsWith(prefix) && key > after && !key.endsWith(PART)) found.push(key);
      }
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw new BlobStoreError(this.place, `${folder} could not be listed`, error);
    }
    return found.sort().slice(0, LISTED_AT_ONCE);
  }

  async remove(key: string): Promise<void> {
    try {
      await rm(join(this.dir, key), { force: true });
    } catch (error) {
      throw new BlobStoreError(this.place, `${key} could not be removed`, error);
    }
  }
}
