import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { PartUploadNotFoundError } from './bot-pool.errors.js';
import type { Precondition, UploadRow } from './stored-object.js';

/** What an upload is to become once all of it is stored. */
export interface Completion {
  /** What the whole must have, hexadecimal. */
  readonly sha256?: string | undefined;
  readonly precondition: Precondition;
}

/** Why an upload does not go on, as a client is told it. */
export interface UploadFailure {
  readonly code: string | number;
  readonly message: string;
  /** Nothing but giving it up helps. */
  readonly isFinal: boolean;
}

/** An upload that may go on after a cut. */
export interface Resumable extends UploadRow {
  readonly poolId: string;
  /** Whose parts they are among those that wait for bots. */
  readonly ownerId: string;
  /** Of the messages that it is cut into; what the pool says may change meanwhile. */
  readonly chunkBytes: number;
  readonly lengthBytes: number | undefined;
  /** How many bytes have come. */
  readonly offsetBytes: number;
  /** The file of those that are no chunk yet, and how many they are. */
  readonly tailName: string;
  readonly tailBytes: number;
  /** Of the next chunk. */
  readonly nextNumber: number;
  /** Of the SHA-256 of all chunks. */
  readonly hashState: Buffer;
  readonly completion: Completion | undefined;
  readonly failure: UploadFailure | undefined;
  readonly storedBytes: number;
  readonly storedParts: number;
  /** Chunks that are not stored yet. */
  readonly waiting: number;
  readonly touchedAt: Date;
}

/** A chunk that lies on the disk. */
export interface Chunk {
  readonly uploadId: string;
  readonly number: number;
  readonly fileName: string;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly md5: string;
  /** Sends of it that have failed. */
  readonly failures: number;
}

/** A chunk with what a sender has to know of its upload. */
export interface ClaimedChunk extends Chunk {
  readonly poolId: string;
  readonly ownerId: string;
}

/** How far a writer has come. */
export type Progress = Pick<Resumable, 'offsetBytes' | 'tailName' | 'tailBytes' | 'nextNumber' | 'hashState'>;

interface RawResumable {
  readonly id: string;
  readonly pool_id: string;
  readonly key: string;
  readonly content_type: string;
  readonly headers: Record<string, string>;
  readonly metadata: Record<string, string>;
  readonly created_at: Date;
  readonly owner_id: string;
  readonly chunk_bytes: number;
  readonly length_bytes: string | null;
  readonly offset_bytes: string;
  readonly tail_name: string;
  readonly tail_bytes: number;
  readonly next_number: number;
  readonly hash_state: Buffer;
  readonly completion: Completion | null;
  readonly error: UploadFailure | null;
  readonly stored_bytes: string;
  readonly stored_parts: number;
  readonly waiting: number;
  readonly touched_at: Date;
}

interface RawChunk {
  readonly upload_id: string;
  readonly number: number;
  readonly file_name: string;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly md5: string;
  readonly failures: number;
}

const SELECT = `
  SELECT u.*, r.*, p.stored_bytes, p.stored_parts, c.waiting
    FROM pool_resumables r JOIN pool_uploads u ON u.id = r.upload_id
   CROSS JOIN LATERAL (SELECT coalesce(sum(size_bytes), 0) AS stored_bytes, count(*)::int AS stored_parts
                         FROM pool_parts WHERE upload_id = u.id) AS p
   CROSS JOIN LATERAL (SELECT count(*)::int AS waiting FROM pool_chunks WHERE upload_id = u.id) AS c`;

/** A writer and a sender renew what they hold; what was not renewed for so long is nobody's. On the database's clock. */
const HELD = `now() + interval '20 seconds'`;
/** What cannot be mended stays told. */
const NOT_FINAL = `coalesce(error->>'isFinal', 'false') = 'false'`;

/** How far resumable uploads are. One process at a time writes an upload, and one at a time sends a chunk; any may be next. */
@Injectable()
export class ResumablesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Within the transaction that has made the upload's row. */
  async create(
    uploadId: string,
    upload: Pick<Resumable, 'ownerId' | 'chunkBytes' | 'lengthBytes' | 'tailName' | 'hashState'>,
  ): Promise<void> {
    const { ownerId, chunkBytes, lengthBytes, tailName, hashState } = upload;
    await this.unitOfWork.rows(
      `INSERT INTO pool_resumables (upload_id, owner_id, chunk_bytes, length_bytes, tail_name, hash_state)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [uploadId, ownerId, chunkBytes, lengthBytes ?? null, tailName, hashState],
    );
  }

  /** @throws PartUploadNotFoundError */
  async find(poolId: string, id: string): Promise<Resumable> {
    const [row] = await this.unitOfWork.rows<RawResumable>(`${SELECT} WHERE u.pool_id = $1 AND u.id = $2`, [
      poolId,
      id,
    ]);
    if (row === undefined) throw new PartUploadNotFoundError();
    return toResumable(row);
  }

  /** The newest first. */
  async list(
    poolId: string,
    { limit, after }: { readonly limit: number; readonly after?: { readonly createdAt: Date; readonly id: string } },
  ): Promise<Resumable[]> {
    const rows = await this.unitOfWork.rows<RawResumable>(
      `${SELECT} WHERE u.pool_id = $1 AND ($2::timestamptz IS NULL OR (u.created_at, u.id) < ($2, $3::uuid))
        ORDER BY u.created_at DESC, u.id DESC LIMIT $4`,
      [poolId, after?.createdAt ?? null, after?.id ?? null, limit],
    );
    return rows.map(toResumable);
  }

  async count(poolId: string): Promise<number> {
    const [row] = await this.unitOfWork.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM pool_uploads WHERE pool_id = $1 AND kind = 'resumable'`,
      [poolId],
    );
    return row?.count ?? 0;
  }

  /** What of all uploads lies on the disk, in bytes. */
  async bytesOnDisk(): Promise<number> {
    const [row] = await this.unitOfWork.rows<{ bytes: string }>(
      `SELECT (SELECT coalesce(sum(tail_bytes), 0) FROM pool_resumables)
            + (SELECT coalesce(sum(size_bytes), 0) FROM pool_chunks) AS bytes`,
    );
    return Number(row?.bytes ?? 0);
  }

  /** @returns false while somebody else writes it, or when there is none */
  async beginWriting(id: string, writer: string): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `UPDATE pool_resumables SET writer = $2, writer_until = ${HELD}, touched_at = now()
        WHERE upload_id = $1 AND (writer IS NULL OR writer_until < now()) RETURNING upload_id`,
      [id, writer],
    );
    return rows.length > 0;
  }

  /** Another one waits: unless whoever writes it says in so long that it still does, it is nobody's. */
  async doubtWriter(id: string, forMs: number): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE pool_resumables SET writer_until = least(writer_until, now() + $2 * interval '1 millisecond')
        WHERE upload_id = $1`,
      [id, forMs],
    );
  }

  /** @returns false when somebody else has taken it, or it is gone */
  async keepWriting(id: string, writer: string): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `UPDATE pool_resumables SET writer_until = ${HELD}, touched_at = now()
        WHERE upload_id = $1 AND writer = $2 RETURNING upload_id`,
      [id, writer],
    );
    return rows.length > 0;
  }

  async endWriting(id: string, writer: string): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE pool_resumables SET writer = NULL, writer_until = NULL WHERE upload_id = $1 AND writer = $2`,
      [id, writer],
    );
  }

  /** @param chunk what has become whole by that. @returns false when the writer is not the one any more */
  save(id: string, writer: string, progress: Progress, chunk?: Omit<Chunk, 'uploadId' | 'failures'>): Promise<boolean> {
    const { offsetBytes, tailName, tailBytes, nextNumber, hashState } = progress;
    return this.unitOfWork.run(async () => {
      const rows = await this.unitOfWork.rows(
        `UPDATE pool_resumables SET offset_bytes = $3, tail_name = $4, tail_bytes = $5, next_number = $6, hash_state = $7,
                writer_until = ${HELD}, touched_at = now()
          WHERE upload_id = $1 AND writer = $2 RETURNING upload_id`,
        [id, writer, offsetBytes, tailName, tailBytes, nextNumber, hashState],
      );
      if (rows.length > 0 && chunk !== undefined) {
        await this.unitOfWork.rows(
          `INSERT INTO pool_chunks (upload_id, number, file_name, size_bytes, sha256, md5) VALUES ($1, $2, $3, $4, $5, $6)`,
          [id, chunk.number, chunk.fileName, chunk.sizeBytes, chunk.sha256, chunk.md5],
        );
      }
      return rows.length > 0;
    });
  }

  /** Says what it is to become, or that it is not any more; `failure` is what keeps it from that. */
  async note(id: string, completion: Completion | undefined, failure: UploadFailure | undefined): Promise<void> {
    await this.unitOfWork.rows(
      'UPDATE pool_resumables SET completion = $2, error = $3, touched_at = now() WHERE upload_id = $1',
      [
        id,
        completion === undefined ? null : JSON.stringify(completion),
        failure === undefined ? null : JSON.stringify(failure),
      ],
    );
  }

  /** Takes chunks that nobody sends, the oldest first, for a sender. */
  async claim(sender: string, limit: number): Promise<ClaimedChunk[]> {
    const rows = await this.unitOfWork.rows<RawChunk & { readonly pool_id: string; readonly owner_id: string }>(
      `UPDATE pool_chunks c SET claimed_by = $1, claimed_until = ${HELD}
         FROM (SELECT w.upload_id, w.number, u.pool_id, r.owner_id
                 FROM pool_chunks w
                 JOIN pool_resumables r ON r.upload_id = w.upload_id
                 JOIN pool_uploads u ON u.id = w.upload_id
                WHERE w.sent_from <= now() AND (w.claimed_until IS NULL OR w.claimed_until < now())
                ORDER BY w.sent_from, w.number LIMIT $2 FOR UPDATE OF w SKIP LOCKED) AS n
        WHERE c.upload_id = n.upload_id AND c.number = n.number RETURNING c.*, n.pool_id, n.owner_id`,
      [sender, limit],
    );
    return rows.map((row) => ({ ...toChunk(row), poolId: row.pool_id, ownerId: row.owner_id }));
  }

  /** A sender still sends these. */
  async renew(sender: string, chunks: readonly Chunk[]): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE pool_chunks c SET claimed_until = ${HELD}
         FROM unnest($2::uuid[], $3::int[]) AS n (upload_id, number)
        WHERE c.claimed_by = $1 AND c.upload_id = n.upload_id AND c.number = n.number`,
      [sender, chunks.map(({ uploadId }) => uploadId), chunks.map(({ number }) => number)],
    );
  }

  /** A send has failed: nobody has the chunk for so long, and then anybody; for good when nothing helps. */
  async release({ uploadId, number }: Chunk, afterMs: number, failure: UploadFailure): Promise<void> {
    await this.unitOfWork.rows(
      `WITH chunk AS (
         UPDATE pool_chunks SET claimed_by = NULL, claimed_until = NULL, failures = failures + 1,
                sent_from = CASE WHEN $5 THEN 'infinity' ELSE now() + $3 * interval '1 millisecond' END
          WHERE upload_id = $1 AND number = $2)
       UPDATE pool_resumables SET error = $4 WHERE upload_id = $1 AND ${NOT_FINAL}`,
      [uploadId, number, afterMs, JSON.stringify(failure), failure.isFinal],
    );
  }

  /** What a sender that ends has not sent is anybody's at once. */
  async releaseAll(sender: string): Promise<void> {
    await this.unitOfWork.rows('UPDATE pool_chunks SET claimed_by = NULL, claimed_until = NULL WHERE claimed_by = $1', [
      sender,
    ]);
  }

  /**
   * Within the transaction that makes a part of it. What failed before is forgotten: it goes on.
   * @returns false when it was stored already
   */
  async chunkStored({ uploadId, number }: Chunk): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      'DELETE FROM pool_chunks WHERE upload_id = $1 AND number = $2 RETURNING number',
      [uploadId, number],
    );
    await this.unitOfWork.rows(
      `UPDATE pool_resumables SET error = NULL, touched_at = now() WHERE upload_id = $1 AND ${NOT_FINAL}`,
      [uploadId],
    );
    return rows.length > 0;
  }

  /** The files of an upload. */
  async files(id: string): Promise<string[]> {
    const rows = await this.unitOfWork.rows<{ name: string }>(
      `SELECT tail_name AS name FROM pool_resumables WHERE upload_id = $1
        UNION ALL SELECT file_name FROM pool_chunks WHERE upload_id = $1`,
      [id],
    );
    return rows.map(({ name }) => name);
  }

  /** Those of which all is stored and that are to be objects. */
  ripe(): Promise<{ readonly poolId: string; readonly id: string }[]> {
    return this.some(
      `r.completion IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pool_chunks c WHERE c.upload_id = r.upload_id)`,
      [],
    );
  }

  /** Those that nobody has touched for so long. */
  abandoned(forMs: number): Promise<{ readonly poolId: string; readonly id: string }[]> {
    return this.some(`r.touched_at < now() - $1 * interval '1 millisecond'`, [forMs]);
  }

  /** Of these files, those that no upload has. */
  async unknownFiles(names: readonly string[]): Promise<string[]> {
    const rows = await this.unitOfWork.rows<{ name: string }>(
      `SELECT n.name FROM unnest($1::text[]) AS n (name)
        WHERE NOT EXISTS (SELECT 1 FROM pool_resumables WHERE tail_name = n.name)
          AND NOT EXISTS (SELECT 1 FROM pool_chunks WHERE file_name = n.name)`,
      [names],
    );
    return rows.map(({ name }) => name);
  }

  private async some(
    condition: string,
    parameters: readonly unknown[],
  ): Promise<{ readonly poolId: string; readonly id: string }[]> {
    const rows = await this.unitOfWork.rows<{ pool_id: string; id: string }>(
      `SELECT u.pool_id, u.id FROM pool_resumables r JOIN pool_uploads u ON u.id = r.upload_id WHERE ${condition} LIMIT 100`,
      parameters,
    );
    return rows.map(({ pool_id: poolId, id }) => ({ poolId, id }));
  }
}

function toResumable(row: RawResumable): Resumable {
  return {
    id: row.id,
    poolId: row.pool_id,
    key: row.key,
    contentType: row.content_type,
    headers: row.headers,
    metadata: row.metadata,
    createdAt: row.created_at,
    ownerId: row.owner_id,
    chunkBytes: row.chunk_bytes,
    lengthBytes: row.length_bytes === null ? undefined : Number(row.length_bytes),
    offsetBytes: Number(row.offset_bytes),
    tailName: row.tail_name,
    tailBytes: row.tail_bytes,
    nextNumber: row.next_number,
    hashState: row.hash_state,
    completion: row.completion ?? undefined,
    failure: row.error ?? undefined,
    storedBytes: Number(row.stored_bytes),
    storedParts: row.stored_parts,
    waiting: row.waiting,
    touchedAt: row.touched_at,
  };
}

function toChunk(row: RawChunk): Chunk {
  return {
    uploadId: row.upload_id,
    number: row.number,
    fileName: row.file_name,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    md5: row.md5,
    failures: row.failures,
  };
}
