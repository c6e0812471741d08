import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { BlobStore } from '../../common/blobs/index.js';
import type { SecretBox } from '../../common/crypto/secret-box.js';
import type { StateLease, StoredSnapshot } from './states.repository.js';

/** Under what all snapshots of a session are in the store. */
export const prefixOf = (sessionId: string): string => `sessions/${sessionId}/`;

/** A new one each time; those of later epochs come later in the order of names. */
function newKey({ sessionId, epoch }: Pick<StateLease, 'sessionId' | 'epoch'>): string {
  const order = `${String(epoch).padStart(10, '0')}-${String(Date.now()).padStart(15, '0')}`;
  return `${prefixOf(sessionId)}${order}-${randomBytes(6).toString('hex')}.state`;
}

/** What a snapshot is called inside its encryption: it opens as nothing else. */
const nameOf = (sessionId: string): string => `the state of session ${sessionId}`;

/**
 * Encrypts the archive of a session's database and puts it into the store. Nothing points to it yet.
 * @param half the path of a file that it is in meanwhile
 * @throws BlobStoreError
 */
export async function putSnapshot(
  store: BlobStore,
  box: SecretBox,
  of: Pick<StateLease, 'sessionId' | 'epoch'>,
  archive: AsyncIterable<Uint8Array>,
  half: string,
): Promise<Omit<StoredSnapshot, 'isWhole'>> {
  await pipeline(box.sealStream(nameOf(of.sessionId), archive), createWriteStream(half, { mode: 0o600 }));
  const { size: bytes } = await stat(half);
  const key = newKey(of);
  await store.put(key, half);
  return { key, bytes };
}

/**
 * The archive that {@link putSnapshot} was given; what does not open throws while it is read.
 * @returns undefined when it is not in the store
 * @throws BlobStoreError
 */
export async function openSnapshot(
  store: BlobStore,
  box: SecretBox,
  sessionId: string,
  key: string,
): Promise<AsyncGenerator<Uint8Array> | undefined> {
  const source = await store.get(key);
  return source && box.openStream(nameOf(sessionId), source);
}
