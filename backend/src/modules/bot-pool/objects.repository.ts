import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { ObjectNotFoundError, PreconditionFailedError } from './bot-pool.errors.js';
import type { Blob, NewObject, ObjectRow, Precondition, Replaced } from './stored-object.js';

interface RawObject {
  readonly id: string;
  readonly key: string;
  readonly size_bytes: string;
  readonly etag: string;
  readonly sha256: string;
  readonly content_type: string;
  readonly metadata: Record<string, string>;
  readonly created_at: Date;
}

interface RawBlob {
  readonly id: string;
  readonly chat_id: string;
  readonly message_id: string;
  readonly size_bytes: string;
  readonly sha256: string | null;
  readonly uploader_id: string;
  readonly stored_at: Date;
}

/** The index of what pools keep. Blobs never change; how many extents refer to each is counted with every change. */
@Injectable()
export class ObjectsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Puts an object under its key, in place of what was there.
   * @param blobIds its parts in order
   * @throws PreconditionFailedError
   */
  put(poolId: string, object: NewObject, blobIds: readonly string[], precondition: Precondition): Promise<Replaced> {
    return this.unitOfWork.run(async () => {
      const former = await this.lock(poolId, object.key);
      expectPrecondition(former, precondition);
      return this.replace(poolId, former, object, blobIds);
    });
  }

  /** Another object of the same bytes. @throws ObjectNotFoundError, PreconditionFailedError */
  copy(poolId: string, fromKey: string, toKey: string, precondition: Precondition): Promise<Replaced> {
    return this.unitOfWork.run(async () => {
      // In one order, so that two copies between the same keys do not wait for each other.
      for (const key of [fromKey, toKey].sort()) await this.lock(poolId, key);
      const source = await this.find(poolId, fromKey);
      if (source === undefined) throw new ObjectNotFoundError(fromKey);
      const blobs = await this.blobs(source.id);
      const former = await this.find(poolId, toKey);
      expectPrecondition(former, precondition);
      const blobIds = blobs.map(({ id }) => id);
      return this.replace(poolId, former, { ...source, key: toKey }, blobIds);
    });
  }

  /** @returns what nothing refers to any more; undefined when there was no such object */
  remove(poolId: string, key: string, precondition: Precondition): Promise<readonly Blob[] | undefined> {
    return this.unitOfWork.run(async () => {
      const former = await this.lock(poolId, key);
      expectPrecondition(former, precondition);
      return former && (await this.drop(former.id));
    });
  }

  /** Forgets all objects and blobs of a pool; the messages stay where they are. */
  async detach(poolId: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.unitOfWork.rows('DELETE FROM pool_objects WHERE pool_id = $1', [poolId]);
      await this.unitOfWork.rows('DELETE FROM pool_blobs WHERE pool_id = $1', [poolId]);
    });
  }

  async find(poolId: string, key: string): Promise<ObjectRow | undefined> {
    const [row] = await this.unitOfWork.rows<RawObject>('SELECT * FROM pool_objects WHERE pool_id = $1 AND key = $2', [
      poolId,
      key,
    ]);
    return row && toObject(row);
  }

  /** The parts of an object, in order. */
  async blobs(objectId: string): Promise<Blob[]> {
    const rows = await this.unitOfWork.rows<RawBlob>(
      'SELECT b.* FROM pool_extents e JOIN pool_blobs b ON b.id = e.blob_id WHERE e.object_id = $1 ORDER BY e.seq',
      [objectId],
    );
    return rows.map(toBlob);
  }

  /** In the order of the keys' bytes. @param from the first key that may be there */
  async list(poolId: string, prefix: string, from: string, limit: number): Promise<ObjectRow[]> {
    const rows = await this.unitOfWork.rows<RawObject>(
      `SELECT * FROM pool_objects WHERE pool_id = $1 AND starts_with(key, $2) AND key >= $3 ORDER BY key LIMIT $4`,
      [poolId, prefix, from, limit],
    );
    return rows.map(toObject);
  }

  /** Messages that nothing refers to and that may still be deleted. */
  async freeBlobs(poolId: string, olderThanMs: number): Promise<Blob[]> {
    const rows = await this.unitOfWork.rows<RawBlob>(
      `SELECT * FROM pool_blobs WHERE pool_id = $1 AND refs = 0 AND state <> 'unlinked' AND message_id IS NOT NULL
          AND stored_at < now() - $2 * interval '1 millisecond' ORDER BY stored_at LIMIT 1000`,
      [poolId, olderThanMs],
    );
    return rows.map(toBlob);
  }

  /** The message is gone. */
  async forgetBlob(id: string): Promise<void> {
    await this.unitOfWork.rows('DELETE FROM pool_blobs WHERE id = $1 AND refs = 0', [id]);
  }

  /** The message could not be deleted: not now, or never again. */
  async noteBlob(id: string, state: 'orphan' | 'unlinked', reason: string): Promise<void> {
    await this.unitOfWork.rows('UPDATE pool_blobs SET state = $2, reason = $3 WHERE id = $1', [id, state, reason]);
  }

  /** Nobody else changes the key until the transaction ends, also where it is not there yet. */
  private async lock(poolId: string, key: string): Promise<ObjectRow | undefined> {
    await this.unitOfWork.rows('SELECT pg_advisory_xact_lock(hashtextextended($1, 20260729))', [`${poolId} ${key}`]);
    return this.find(poolId, key);
  }

  /** The new one first: a copy onto itself must not free what it refers to. */
  private async replace(
    poolId: string,
    former: ObjectRow | undefined,
    object: NewObject,
    blobIds: readonly string[],
  ): Promise<Replaced> {
    // Keys are unique; this one is nobody's, and gone with the transaction.
    await this.unitOfWork.rows('UPDATE pool_objects SET key = $2 WHERE id = $1', [former?.id, `\u007f${randomUUID()}`]);
    const inserted = await this.insert(poolId, object, blobIds);
    const freed = former === undefined ? [] : await this.drop(former.id);
    return { object: inserted, freed };
  }

  private async insert(poolId: string, object: NewObject, blobIds: readonly string[]): Promise<ObjectRow> {
    const id = randomUUID();
    const { key, sizeBytes, etag, sha256, contentType, metadata } = object;
    const [row] = await this.unitOfWork.rows<RawObject>(
      `INSERT INTO pool_objects (id, pool_id, key, size_bytes, etag, sha256, content_type, metadata)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *`,
      [id, poolId, key, sizeBytes, etag, sha256, contentType, JSON.stringify(metadata)],
    );
    if (row === undefined) throw new Error('no row was inserted');
    await this.unitOfWork.rows(
      `INSERT INTO pool_extents (object_id, seq, blob_id, length_bytes)
       SELECT $1::uuid, n.seq, b.id, b.size_bytes
         FROM unnest($2::uuid[]) WITH ORDINALITY AS n (blob_id, seq) JOIN pool_blobs b ON b.id = n.blob_id`,
      [id, blobIds],
    );
    await this.unitOfWork.rows(
      `UPDATE pool_blobs b SET refs = b.refs + n.refs, state = 'stored'
         FROM (SELECT blob_id, count(*)::int AS refs FROM unnest($1::uuid[]) AS u (blob_id) GROUP BY blob_id) AS n
        WHERE b.id = n.blob_id`,
      [blobIds],
    );
    return toObject(row);
  }

  private async drop(objectId: string): Promise<Blob[]> {
    const rows = await this.unitOfWork.rows<RawBlob & { readonly refs: number }>(
      `UPDATE pool_blobs b SET refs = b.refs - n.refs
         FROM (SELECT blob_id, count(*)::int AS refs FROM pool_extents WHERE object_id = $1 GROUP BY blob_id) AS n
        WHERE b.id = n.blob_id RETURNING b.*`,
      [objectId],
    );
    await this.unitOfWork.rows('DELETE FROM pool_objects WHERE id = $1', [objectId]);
    return rows.filter(({ refs }) => refs === 0).map(toBlob);
  }
}

function expectPrecondition(former: ObjectRow | undefined, { ifMatch, ifNoneMatch }: Precondition): void {
  const names = (tags: readonly string[]): boolean =>
    former !== undefined && tags.some((tag) => tag === '*' || tag === `"${former.etag}"`);
  if (ifMatch !== undefined && !names(ifMatch)) throw new PreconditionFailedError();
  if (ifNoneMatch !== undefined && names(ifNoneMatch)) throw new PreconditionFailedError();
}

function toObject(row: RawObject): ObjectRow {
  return {
    id: row.id,
    key: row.key,
    sizeBytes: Number(row.size_bytes),
    etag: row.etag,
    sha256: row.sha256,
    contentType: row.content_type,
    metadata: row.metadata,
    createdAt: row.created_at,
  };
}

function toBlob(row: RawBlob): Blob {
  return {
    id: row.id,
    chatId: Number(row.chat_id),
    messageId: Number(row.message_id),
    sizeBytes: Number(row.size_bytes),
    sha256: row.sha256 ?? '',
    uploaderId: row.uploader_id,
    storedAt: row.stored_at,
  };
}
