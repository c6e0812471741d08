import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { BlobsRepository } from './blobs.repository.js';
import { PartUploadNotFoundError } from './bot-pool.errors.js';
import type { Blob, Bucket, Description, Extent, NewPart, PartRow, UploadRow } from './stored-object.js';

interface RawUpload {
  readonly id: string;
  readonly key: string;
  readonly content_type: string;
  readonly headers: Record<string, string>;
  readonly metadata: Record<string, string>;
  readonly created_at: Date;
}

interface RawPart {
  readonly id: string;
  readonly number: number;
  readonly size_bytes: string;
  readonly etag: string;
  readonly created_at: Date;
}

/** Which upload in parts is meant: its id with another key is none. */
export interface UploadName {
  readonly bucket: Pick<Bucket, 'id' | 'poolId'>;
  readonly key: string;
  readonly id: string;
}

/** How an upload comes: in S3's parts, of any numbers and order, or as one body that may be cut. */
export type UploadKind = 's3' | 'resumable';

/** Uploads in parts that are under way. */
@Injectable()
export class UploadsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly blobs: BlobsRepository,
  ) {}

  /** @returns its id, which nobody can guess */
  async create(
    { id, poolId }: Pick<Bucket, 'id' | 'poolId'>,
    key: string,
    said: Description,
    kind: UploadKind = 's3',
  ): Promise<string> {
    const uploadId = randomUUID();
    const { contentType, headers, metadata } = said;
    await this.unitOfWork.rows(
      `INSERT INTO pool_uploads (id, pool_id, bucket_id, key, content_type, headers, metadata, kind)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [uploadId, poolId, id, key, contentType, JSON.stringify(headers), JSON.stringify(metadata), kind],
    );
    return uploadId;
  }

  /** @throws PartUploadNotFoundError */
  async find({ id, bucket, key }: UploadName, kind: UploadKind = 's3'): Promise<UploadRow> {
    const [row] = await this.unitOfWork.rows<RawUpload>(
      'SELECT * FROM pool_uploads WHERE id = $1 AND bucket_id = $2 AND key = $3 AND kind = $4',
      [id, bucket.id, key, kind],
    );
    if (row === undefined) throw new PartUploadNotFoundError();
    return toUpload(row);
  }

  /** By number. @param after only those of higher numbers */
  async parts(uploadId: string, after = 0, limit?: number): Promise<PartRow[]> {
    const rows = await this.unitOfWork.rows<RawPart>(
      'SELECT * FROM pool_parts WHERE upload_id = $1 AND number > $2 ORDER BY number LIMIT $3',
      [uploadId, after, limit ?? null],
    );
    return rows.map(toPart);
  }

  /** Within a transaction: in place of a part of this number that is there. */
  async putPart(
    uploadId: string,
    { number, sizeBytes, etag }: NewPart,
    extents: readonly Extent[],
  ): Promise<{ readonly part: PartRow; readonly freed: readonly Blob[] }> {
    const former = await this.unitOfWork.rows<{ id: string }>(
      'SELECT id FROM pool_parts WHERE upload_id = $1 AND number = $2',
      [uploadId, number],
    );
    const ids = former.map(({ id }) => id);
    const id = randomUUID();
    await this.unitOfWork.rows('UPDATE pool_parts SET number = -number WHERE id = ANY($1)', [ids]);
    const [row] = await this.unitOfWork.rows<RawPart>(
      `INSERT INTO pool_parts (id, upload_id, number, size_bytes, etag) VALUES ($1, $2, $3, $4, $5) RETURNING *`,
      [id, uploadId, number, sizeBytes, etag],
    );
    if (row === undefined) throw new Error('no row was inserted');
    await this.blobs.attach('part', id, extents);
    const freed = await this.blobs.release('part', ids);
    await this.unitOfWork.rows('DELETE FROM pool_parts WHERE id = ANY($1)', [ids]);
    return { part: toPart(row), freed };
  }

  /** Within a transaction: forgets an upload with its parts. @returns what nothing refers to any more */
  async remove(uploadId: string): Promise<Blob[]> {
    const ids = (await this.parts(uploadId)).map(({ id }) => id);
    const freed = await this.blobs.release('part', ids);
    await this.unitOfWork.rows('DELETE FROM pool_uploads WHERE id = $1', [uploadId]);
    return freed;
  }

  /** Those of S3, by key, and then by when they began. @param after only those behind this one, or behind its key when it has no id */
  async list(
    bucketId: string,
    question: {
      readonly from: string;
      readonly to: string | undefined;
      readonly after: { readonly key: string; readonly id?: string } | undefined;
      readonly limit: number;
    },
  ): Promise<UploadRow[]> {
    const { from, to, after, limit } = question;
    const rows = await this.unitOfWork.rows<RawUpload>(
      `SELECT u.* FROM pool_uploads u LEFT JOIN pool_uploads a ON a.id = $5
        WHERE u.bucket_id = $1 AND u.kind = 's3' AND u.key >= $2 AND ($3::text IS NULL OR u.key < $3)
          AND ($4::text IS NULL OR u.key > $4
               OR (u.key = $4 AND a.id IS NOT NULL AND (u.created_at, u.id) > (a.created_at, a.id)))
        ORDER BY u.key, u.created_at, u.id LIMIT $6`,
      [bucketId, from, to ?? null, after?.key ?? null, after?.id ?? null, limit],
    );
    return rows.map(toUpload);
  }

  /** Those of a bucket, of any kind; or S3's of a pool that began so long ago. */
  async ids(
    of: { readonly bucketId: string } | { readonly poolId: string; readonly olderThanMs: number },
  ): Promise<string[]> {
    const rows =
      'bucketId' in of
        ? await this.unitOfWork.rows<{ id: string }>('SELECT id FROM pool_uploads WHERE bucket_id = $1', [of.bucketId])
        : await this.unitOfWork.rows<{ id: string }>(
            `SELECT id FROM pool_uploads
              WHERE pool_id = $1 AND kind = 's3' AND created_at < now() - $2 * interval '1 millisecond'`,
            [of.poolId, of.olderThanMs],
          );
    return rows.map(({ id }) => id);
  }
}

function toUpload(row: RawUpload): UploadRow {
  return {
    id: row.id,
    key: row.key,
    contentType: row.content_type,
    headers: row.headers,
    metadata: row.metadata,
    createdAt: row.created_at,
  };
}

function toPart(row: RawPart): PartRow {
  return {
    id: row.id,
    number: row.number,
    sizeBytes: Number(row.size_bytes),
    etag: row.etag,
    createdAt: row.created_at,
  };
}
