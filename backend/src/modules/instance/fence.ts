import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BlobStore } from '../../common/blobs/index.js';

/** The word in the backup store that a copy has taken the place of an installation: that one must not run again. */
export interface Fence {
  /** The instance that has taken its place. */
  readonly activated: string;
  readonly at: string;
}

const keyOf = (instance: string): string => `fences/${instance}.json`;

/** @returns undefined when nothing has taken the place of the instance @throws BlobStoreError */
export async function readFence(store: BlobStore, instance: string): Promise<Fence | undefined> {
  const source = await store.get(keyOf(instance));
  if (source === undefined) return undefined;
  const { activated, at } = JSON.parse(await text(source)) as Partial<Fence>;
  return { activated: String(activated), at: String(at) };
}

/** @throws BlobStoreError */
export async function writeFence(store: BlobStore, instance: string, fence: Fence): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'tgcontrol-fence-'));
  try {
    const file = join(dir, randomBytes(4).toString('hex'));
    await writeFile(file, `${JSON.stringify(fence)}\n`);
    await store.put(keyOf(instance), file);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
