import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { BlobsRepository } from './blobs.repository.js';
import { ObjectNotFoundError, PreconditionFailedError } from './bot-pool.errors.js';
import { PoolEventsRepository } from './events/pool-events.repository.js';
import { behind } from './key-order.js';
import type {
  Blob,
  Bucket,
  Description,
  Extent,
  NewObject,
  ObjectRow,
  Precondition,
  Replaced,
} from './stored-object.js';

interface RawObject {
  readonly id: string;
  readonly key: string;
  readonly size_bytes: string;
  readonly etag: string;
  readonly sha256: string | null;
  readonly content_type: string;
  readonly headers: Record<string, string>;
  readonly metadata: Record<string, string>;
  readonly upload_id: string | null;
  readonly created_at: Date;
}

/** Where a bucket is among the others. */
type Place = Pick<Bucket, 'id' | 'poolId'>;

/** What a copy is made of: an object as its key names it, or only one version of it. */
export interface CopySource {
  readonly bucket: Place;
  readonly key: string;
  readonly version?: string | undefined;
}

/** Which objects are meant: those of a pool, or of its own bucket with this prefix, that were put until then. */
interface ObjectsBefore {
  readonly poolId: string;
  readonly prefix: string | undefined;
  readonly before: Date;
}

/** The index of what pools keep. */
@Injectable()
export class ObjectsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly blobs: BlobsRepository,
    private readonly events: PoolEventsRepository,
  ) {}

  /**
   * Puts an object under its key, in place of what was there.
   * @param uploadId of the upload in parts that it was
   * @throws PreconditionFailedError
   */
  put(
    bucket: Place,
    object: NewObject,
    extents: readonly Extent[],
    precondition: Precondition,
    uploadId?: string,
  ): Promise<Replaced> {
    return this.unitOfWork.run(async () => {
      const former = await this.lock(bucket, object.key);
      expectPrecondition(former, precondition);
      return this.replace(bucket, former, object, extents, uploadId);
    });
  }

  /**
   * Another object of the same bytes, in the same pool.
   * @param description another one than the source's
   * @throws ObjectNotFoundError, PreconditionFailedError
   */
  copy(
    from: CopySource,
    to: { readonly bucket: Place; readonly key: string },
    precondition: Precondition,
    description?: Description,
  ): Promise<Replaced> {
    return this.unitOfWork.run(async () => {
      const former = await this.lock(to.bucket, to.key);
      const { object, extents } = await this.source(from);
      expectPrecondition(former, precondition);
      return this.replace(to.bucket, former, { ...object, ...description, key: to.key }, extents);
    });
  }

  /**
   * Within a transaction: an object that is neither changed nor removed before the transaction ends, with what it is made of.
   * @throws ObjectNotFoundError
   */
  async locked(from: CopySource): Promise<{ readonly object: ObjectRow; readonly extents: readonly Extent[] }> {
    await this.lockPool(from.bucket.poolId);
    return this.source(from);
  }

  /**
   * Within a transaction: nobody else changes what the pool's messages are referred to by before it ends. One lock for all, as objects
   * share messages, and who locks those one by one may wait for each other; nothing slow is done under it.
   */
  async lockPool(poolId: string): Promise<void> {
    await this.unitOfWork.rows('SELECT pg_advisory_xact_lock(hashtextextended($1, 20260729))', [poolId]);
  }

  /** @returns what nothing refers to any more; undefined when there was no such object */
  remove(bucket: Place, key: string, precondition: Precondition): Promise<readonly Blob[] | undefined> {
    return this.unitOfWork.run(async () => {
      const former = await this.lock(bucket, key);
      expectPrecondition(former, precondition);
      return former && this.dropTold(bucket, former);
    });
  }

  /** One version of an object, whatever its key has now. @returns as {@link remove} */
  removeVersion(poolId: string, id: string): Promise<readonly Blob[] | undefined> {
    return this.unitOfWork.run(async () => {
      await this.lockPool(poolId);
      const [found] = await this.unitOfWork.rows<{ key: string; bucket_id: string }>(
        'SELECT key, bucket_id FROM pool_objects WHERE id = $1',
        [id],
      );
      return found && this.dropTold({ id: found.bucket_id, poolId }, { id, key: found.key });
    });
  }

  /** Objects that there were then: of the pool, or of its own bucket with keys that begin so. */
  async idsBefore(question: ObjectsBefore, limit: number): Promise<string[]> {
    const rows = await this.before<{ id: string }>('id', question, 'ORDER BY key LIMIT $5', [limit]);
    return rows.map(({ id }) => id);
  }

  /** How many {@link idsBefore} gives. */
  async countBefore(question: ObjectsBefore): Promise<number> {
    const [row] = await this.before<{ count: number }>('count(*)::int AS count', question);
    return row?.count ?? 0;
  }

  /** Forgets all objects, uploads and blobs of a pool; the messages stay where they are. */
  async detach(poolId: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.unitOfWork.rows('DELETE FROM pool_objects WHERE pool_id = $1', [poolId]);
      await this.unitOfWork.rows('DELETE FROM pool_uploads WHERE pool_id = $1', [poolId]);
      await this.unitOfWork.rows('DELETE FROM pool_blobs WHERE pool_id = $1', [poolId]);
    });
  }

  async find(bucketId: string, key: string): Promise<ObjectRow | undefined> {
    return (await this.raw(bucketId, key))?.object;
  }

  /** The object of a key, if it is what this upload in parts has become. */
  async madeBy(uploadId: string, bucketId: string, key: string): Promise<ObjectRow | undefined> {
    const found = await this.raw(bucketId, key);
    return found?.uploadId === uploadId ? found.object : undefined;
  }

  /** What an upload has become, while its key has it. */
  async ofUpload(poolId: string, uploadId: string): Promise<ObjectRow | undefined> {
    const [row] = await this.unitOfWork.rows<RawObject>(
      'SELECT * FROM pool_objects WHERE upload_id = $1 AND pool_id = $2',
      [uploadId, poolId],
    );
    return row && toObject(row);
  }

  /**
   * In the order of the keys' bytes.
   * @param from the first key that may be there
   * @param to the first one behind; undefined for all
   */
  async list(
    bucketId: string,
    { from, to, limit }: { readonly from: string; readonly to: string | undefined; readonly limit: number },
  ): Promise<ObjectRow[]> {
    const rows = await this.unitOfWork.rows<RawObject>(
      `SELECT * FROM pool_objects WHERE bucket_id = $1 AND key >= $2 ${to === undefined ? '' : 'AND key < $4'}
        ORDER BY key LIMIT $3`,
      [bucketId, from, limit, ...(to === undefined ? [] : [to])],
    );
    return rows.map(toObject);
  }

  /** What has to be there, at the moment. @throws PreconditionFailedError */
  async expect({ id }: Place, key: string, precondition: Precondition): Promise<void> {
    const { ifMatch, ifNoneMatch } = precondition;
    if (ifMatch !== undefined || ifNoneMatch !== undefined) {
      expectPrecondition(await this.find(id, key), precondition);
    }
  }

  private before<Row extends object>(
    columns: string,
    { poolId, prefix, before }: ObjectsBefore,
    rest = '',
    more: readonly unknown[] = [],
  ): Promise<Row[]> {
    return this.unitOfWork.rows<Row>(
      `SELECT ${columns} FROM pool_objects
        WHERE pool_id = $1 AND created_at <= $2 AND ($3::text IS NULL OR (bucket_id = $1 AND key >= $3))
          AND ($4::text IS NULL OR key < $4) ${rest}`,
      [poolId, before, prefix ?? null, (prefix === undefined ? undefined : behind(prefix)) ?? null, ...more],
    );
  }

  private async raw(
    bucketId: string,
    key: string,
  ): Promise<{ readonly object: ObjectRow; readonly uploadId: string | null } | undefined> {
    const [row] = await this.unitOfWork.rows<RawObject>(
      'SELECT * FROM pool_objects WHERE bucket_id = $1 AND key = $2',
      [bucketId, key],
    );
    return row && { object: toObject(row), uploadId: row.upload_id };
  }

  /** What a key has until the transaction ends. */
  private async lock({ id, poolId }: Place, key: string): Promise<ObjectRow | undefined> {
    await this.lockPool(poolId);
    return this.find(id, key);
  }

  private async source({ bucket, key, version }: CopySource): Promise<{ object: ObjectRow; extents: Extent[] }> {
    const object = await this.find(bucket.id, key);
    if (object === undefined || (version !== undefined && object.id !== version)) throw new ObjectNotFoundError(key);
    return { object, extents: await this.blobs.extents('object', [object.id]) };
  }

  /** The new one first: a copy onto itself must not free what it refers to. */
  private async replace(
    bucket: Place,
    former: ObjectRow | undefined,
    object: NewObject,
    extents: readonly Extent[],
    uploadId?: string,
  ): Promise<Replaced> {
    // Keys are unique; this one is nobody's, and gone with the transaction.
    await this.unitOfWork.rows('UPDATE pool_objects SET key = $2 WHERE id = $1', [former?.id, `\u007f${randomUUID()}`]);
    const inserted = await this.insert(bucket, object, extents, uploadId);
    const freed = former === undefined ? [] : await this.drop(former.id);
    const { id: version, key, sizeBytes: size, etag } = inserted;
    const data = {
      ...within(bucket),
      key,
      version,
      size,
      etag,
      ...(uploadId !== undefined && { upload_id: uploadId }),
    };
    await this.events.add(bucket.poolId, [{ type: 'object.stored', data }]);
    return { object: inserted, freed };
  }

  private async insert(
    bucket: Place,
    object: NewObject,
    extents: readonly Extent[],
    uploadId?: string,
  ): Promise<ObjectRow> {
    const id = randomUUID();
    const { key, sizeBytes, etag, sha256, contentType, headers, metadata } = object;
    const [row] = await this.unitOfWork.rows<RawObject>(
      `INSERT INTO pool_objects
         (id, pool_id, bucket_id, key, size_bytes, etag, sha256, content_type, headers, metadata, upload_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING *`,
      [
        id,
        bucket.poolId,
        bucket.id,
        key,
        sizeBytes,
        etag,
        sha256 ?? null,
        contentType,
        JSON.stringify(headers),
        JSON.stringify(metadata),
        uploadId ?? null,
      ],
    );
    if (row === undefined) throw new Error('no row was inserted');
    await this.blobs.attach('object', id, extents);
    return toObject(row);
  }

  private async dropTold(bucket: Place, { id, key }: Pick<ObjectRow, 'id' | 'key'>): Promise<Blob[]> {
    const freed = await this.drop(id);
    await this.events.add(bucket.poolId, [{ type: 'object.deleted', data: { ...within(bucket), key } }]);
    return freed;
  }

  private async drop(objectId: string): Promise<Blob[]> {
    const freed = await this.blobs.release('object', [objectId]);
    await this.unitOfWork.rows('DELETE FROM pool_objects WHERE id = $1', [objectId]);
    return freed;
  }
}

/** Of another bucket than the pool's own its events name it. */
function within({ id, poolId }: Place): { readonly bucket_id?: string } {
  return id === poolId ? {} : { bucket_id: id };
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
    sha256: row.sha256 ?? undefined,
    contentType: row.content_type,
    headers: row.headers,
    metadata: row.metadata,
    createdAt: row.created_at,
  };
}
