import type { BackupTarget } from './make-backup.js';
import { type Manifest, readManifest, readPart } from './manifest.js';

/**
 * Reads a backup from its first to its last byte: each part has to be there, with the hash that the manifest gives, and to open.
 * @throws BackupError, BlobStoreError, MasterKeyMismatchError naming the part
 */
export async function verifyBackup({ store, box }: BackupTarget, id: string): Promise<Manifest> {
  const manifest = await readManifest(store, box, id);
  const parts = [...manifest.tables, ...manifest.sessions].flatMap(({ part }) => part ?? []);
  for (const part of parts) {
    // Reading is all: what is wrong throws.
    const reading = readPart(store, box, part);
    while ((await reading.next()).done !== true);
  }
  return manifest;
}
