import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { BlobStore } from '../../common/blobs/index.js';
import type { SecretBox } from '../../common/crypto/secret-box.js';
import type { DumpedTable } from './registry-dump.js';
import { BackupError } from './backup-error.js';

/** An object of a backup in the store. */
export interface Part {
  readonly key: string;
  /** Of what is in the store, which is encrypted. */
  readonly bytes: number;
  readonly sha256: string;
}

/** The state of a session in a backup. */
export interface BackedUpSession {
  readonly id: string;
  readonly epoch: number;
  /** Undefined: it has none, or none could be had; it has to log in again. */
  readonly part: Part | undefined;
  /** False: its authorization only. */
  readonly isWhole: boolean;
}

/** What a backup has. It is written last: a backup without it is none. */
export interface Manifest {
  readonly format: number;
  readonly id: string;
  readonly createdAt: string;
  /** Whose registry it is. */
  readonly instance: string;
  /** By name, those that had made its tables. */
  readonly migrations: readonly string[];
  /** Base64: without it nothing of the registry that is sealed could be read. */
  readonly masterKey: string;
  readonly tables: readonly (DumpedTable & { readonly part: Part })[];
  readonly sequences: Readonly<Record<string, string>>;
  readonly sessions: readonly BackedUpSession[];
}

/** Of the manifest and of what it lists. */
export const FORMAT = 1;
const PREFIX = 'backups/';
const MANIFEST = 'manifest';

/** In the order of their times; one in a second has a place of its own. */
export function newBackupId(now: Date): string {
  return `${now.toISOString().replace(/[-:]|\.\d+/g, '')}-${randomBytes(3).toString('hex')}`;
}

export const partKey = (backup: string, name: string): string => `${PREFIX}${backup}/${name}`;

const manifestOf = (backup: string): string => `the manifest of backup ${backup}`;

/** What a part is called inside its encryption: it opens as nothing else. */
export const nameOfPart = (key: string): string => `the part ${key}`;

/** Encrypts a stream and puts it into the store. @throws BlobStoreError */
export async function putPart(
  store: BlobStore,
  box: SecretBox,
  key: string,
  source: AsyncIterable<Uint8Array>,
  name = nameOfPart(key),
): Promise<Part> {
  const dir = await mkdtemp(join(tmpdir(), 'tgcontrol-backup-'));
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        hash.update(chunk);
        bytes += chunk.length;
        done(null, chunk);
      },
    });
    const file = join(dir, 'part');
    await pipeline(box.sealStream(name, source), counted, createWriteStream(file, { mode: 0o600 }));
    await store.put(key, file);
    return { key, bytes, sha256: hash.digest('hex') };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** @throws BackupError when it is not there; while it is read: when it was changed or does not open */
export async function* readPart(store: BlobStore, box: SecretBox, part: Part): AsyncGenerator<Uint8Array> {
  const source = await store.get(part.key);
  if (source === undefined) throw new BackupError(`${part.key} is not in ${store.place}`);
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      bytes += chunk.byteLength;
      yield chunk;
    }
  };
  yield* box.openStream(nameOfPart(part.key), counted());
  if (bytes !== part.bytes || hash.digest('hex') !== part.sha256) {
    throw new BackupError(`${part.key} is not what the manifest says`);
  }
}

/** @throws BlobStoreError */
export async function putManifest(store: BlobStore, box: SecretBox, manifest: Manifest): Promise<void> {
  const json = Buffer.from(JSON.stringify(manifest));
  await putPart(store, box, partKey(manifest.id, MANIFEST), asStream(json), manifestOf(manifest.id));
}

async function* asStream(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

/** @throws BackupError when there is no such backup; MasterKeyMismatchError when BACKUP_KEY is another */
export async function readManifest(store: BlobStore, box: SecretBox, id: string): Promise<Manifest> {
  const source = await store.get(partKey(id, MANIFEST));
  if (source === undefined) throw new BackupError(`there is no backup ${id} in ${store.place}`);
  const manifest = JSON.parse(await text(box.openStream(manifestOf(id), source))) as Manifest;
  if (manifest.format !== FORMAT) throw new BackupError(`backup ${id} was made by a later version`);
  return manifest;
}

/** The ids of the backups in a store, the oldest first. @throws BlobStoreError */
export async function listBackups(store: BlobStore): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after = PREFIX; ;) {
    const keys = await store.list(PREFIX, after);
    const last = keys.at(-1);
    if (last === undefined) return ids;
    ids.push(
      ...keys.flatMap((key) => (key.endsWith(`/${MANIFEST}`) ? [key.slice(PREFIX.length, -MANIFEST.length - 1)] : [])),
    );
    after = last;
  }
}
