import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { Blob, Extent } from './stored-object.js';

interface RawBlob {
  readonly id: string;
  readonly chat_id: string;
  readonly message_id: string;
  readonly size_bytes: string;
  readonly sha256: string | null;
  readonly uploader_id: string;
  readonly stored_at: Date;
}

/** A message that something refers to. */
export interface KeptBlob extends Blob {
  /** When it was looked for it was not there, or was another one. */
  readonly isLost: boolean;
}

interface RawExtent extends RawBlob {
  readonly offset_bytes: string;
  readonly length_bytes: string;
}

/** What is made of extents, with their table and the column that names it there. */
const OWNERS = {
  object: { table: 'pool_extents', column: 'object_id' },
  part: { table: 'pool_part_extents', column: 'part_id' },
} as const;
type Owner = keyof typeof OWNERS;

/** Messages, and what refers to them. Blobs never change; how many extents refer to each is counted with every change. */
@Injectable()
export class BlobsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Of one object, or of parts in the order of `ids`. */
  async extents(of: Owner, ids: readonly string[]): Promise<Extent[]> {
    const { table, column } = OWNERS[of];
    const rows = await this.unitOfWork.rows<RawExtent>(
      `SELECT b.*, e.offset_bytes, e.length_bytes
         FROM unnest($1::uuid[]) WITH ORDINALITY AS o (id, n)
         JOIN ${table} e ON e.${column} = o.id
         JOIN pool_blobs b ON b.id = e.blob_id ORDER BY o.n, e.seq`,
      [ids],
    );
    return rows.map((row) => ({
      blob: toBlob(row),
      offset: Number(row.offset_bytes),
      sizeBytes: Number(row.length_bytes),
    }));
  }

  /** Within a transaction: these are what it is made of. A message that is gone meanwhile makes it fail. */
  async attach(to: Owner, id: string, extents: readonly Extent[]): Promise<void> {
    const { table, column } = OWNERS[to];
    const blobIds = extents.map(({ blob }) => blob.id);
    await this.unitOfWork.rows(
      `INSERT INTO ${table} (${column}, seq, blob_id, offset_bytes, length_bytes)
       SELECT $1::uuid, n.seq, n.blob_id, n.offset_bytes, n.length_bytes
         FROM unnest($2::uuid[], $3::bigint[], $4::bigint[])
              WITH ORDINALITY AS n (blob_id, offset_bytes, length_bytes, seq)`,
      [id, blobIds, extents.map(({ offset }) => offset), extents.map(({ sizeBytes }) => sizeBytes)],
    );
    await this.unitOfWork.rows(
      `UPDATE pool_blobs b SET refs = b.refs + n.refs, state = 'stored'
         FROM (SELECT blob_id, count(*)::int AS refs FROM unnest($1::uuid[]) AS u (blob_id) GROUP BY blob_id) AS n
        WHERE b.id = n.blob_id`,
      [blobIds],
    );
  }

  /** Within a transaction, before they are deleted. @returns what nothing refers to any more */
  async release(from: Owner, ids: readonly string[]): Promise<Blob[]> {
    const { table, column } = OWNERS[from];
    const rows = await this.unitOfWork.rows<RawBlob & { readonly refs: number }>(
      `UPDATE pool_blobs b SET refs = b.refs - n.refs
         FROM (SELECT blob_id, count(*)::int AS refs FROM ${table} WHERE ${column} = ANY($1) GROUP BY blob_id) AS n
        WHERE b.id = n.blob_id RETURNING b.*`,
      [ids],
    );
    await this.unitOfWork.rows(`DELETE FROM ${table} WHERE ${column} = ANY($1)`, [ids]);
    return rows.filter(({ refs }) => refs === 0).map(toBlob);
  }

  /** Messages that nothing refers to and that may still be deleted, in the order of their ids. @param after only those behind it */
  async free(
    poolId: string,
    {
      olderThanMs,
      after,
      limit,
    }: { readonly olderThanMs: number; readonly after?: string | undefined; readonly limit: number },
  ): Promise<Blob[]> {
    const rows = await this.unitOfWork.rows<RawBlob>(
      `SELECT b.* FROM pool_blobs b JOIN pools p ON p.id = b.pool_id
        WHERE b.pool_id = $1 AND b.refs = 0 AND b.message_id IS NOT NULL
          AND b.stored_at < now() - $2 * interval '1 millisecond'
          AND (b.state <> 'unlinked' OR p.janitor_id IS NOT NULL) AND ($3::uuid IS NULL OR b.id > $3)
        ORDER BY b.id LIMIT $4`,
      [poolId, olderThanMs, after ?? null, limit],
    );
    return rows.map(toBlob);
  }

  /** Messages that something refers to, in the order of their ids. @param after only those behind it */
  async kept(poolId: string, after: string | undefined, limit: number): Promise<KeptBlob[]> {
    const rows = await this.unitOfWork.rows<RawBlob & { readonly state: string }>(
      `SELECT * FROM pool_blobs WHERE pool_id = $1 AND refs > 0 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`,
      [poolId, after ?? null, limit],
    );
    return rows.map((row) => ({ ...toBlob(row), isLost: row.state === 'lost' }));
  }

  async countKept(poolId: string): Promise<number> {
    const [row] = await this.unitOfWork.rows<{ count: number }>(
      'SELECT count(*)::int AS count FROM pool_blobs WHERE pool_id = $1 AND refs > 0',
      [poolId],
    );
    return row?.count ?? 0;
  }

  /** The keys of objects that a message carries a part of, the first few. */
  async keysOf(id: string, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.rows<{ key: string }>(
      `SELECT DISTINCT o.key FROM pool_objects o JOIN pool_extents e ON e.object_id = o.id
        WHERE e.blob_id = $1 ORDER BY o.key LIMIT $2`,
      [id, limit],
    );
    return rows.map(({ key }) => key);
  }

  /** The message is gone. */
  async forget(id: string): Promise<void> {
    await this.unitOfWork.rows('DELETE FROM pool_blobs WHERE id = $1 AND refs = 0', [id]);
  }

  /** The message could not be deleted, now or never again; is gone from its chat or another one; or is well again. */
  async note(id: string, state: 'orphan' | 'unlinked' | 'lost' | 'stored', reason?: string): Promise<void> {
    await this.unitOfWork.rows('UPDATE pool_blobs SET state = $2, reason = $3 WHERE id = $1', [
      id,
      state,
      reason ?? null,
    ]);
  }
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
