import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';

/** How long a reading stands that nobody renews: its process has died. */
const EXPIRES_MS = 60_000;
const RENEW_MS = 20_000;

/** A reading that has ended. @returns the messages that nothing refers to any more */
export type EndReading = () => Promise<ReadonlySet<string>>;

/** Messages that somebody reads: they are not deleted before the reading ends, whatever becomes of their object. */
@Injectable()
export class BlobReads {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @returns undefined when something does not refer to them any more: the object is another one now */
  async begin(blobIds: ReadonlySet<string>): Promise<EndReading | undefined> {
    const id = randomUUID();
    // Whoever takes the last reference away changes the row first, and waits for this, or this for that.
    const held = await this.unitOfWork.rows<{ blob_id: string }>(
      `INSERT INTO pool_reads (id, blob_id, expires_at)
       SELECT $1, b.id, now() + $3 * interval '1 millisecond'
         FROM (SELECT id FROM pool_blobs WHERE id = ANY($2::uuid[]) AND refs > 0 ORDER BY id FOR SHARE) AS b
       RETURNING blob_id`,
      [id, [...blobIds], EXPIRES_MS],
    );
    const renewing = setInterval(() => void this.renew(id).catch(() => undefined), RENEW_MS);
    renewing.unref();
    const end: EndReading = () => {
      clearInterval(renewing);
      return this.end(id);
    };
    if (held.length === blobIds.size) return end;
    await end();
    return undefined;
  }

  async isRead(blobId: string): Promise<boolean> {
    const found = await this.unitOfWork.rows('SELECT 1 FROM pool_reads WHERE blob_id = $1 AND expires_at > now()', [
      blobId,
    ]);
    return found.length > 0;
  }

  private async renew(id: string): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE pool_reads SET expires_at = now() + $2 * interval '1 millisecond' WHERE id = $1`,
      [id, EXPIRES_MS],
    );
  }

  private async end(id: string): Promise<ReadonlySet<string>> {
    const rows = await this.unitOfWork.rows<{ id: string }>(
      `WITH ended AS (DELETE FROM pool_reads WHERE id = $1 RETURNING blob_id)
       SELECT b.id FROM pool_blobs b JOIN ended ON ended.blob_id = b.id WHERE b.refs = 0`,
      [id],
    );
    return new Set(rows.map((row) => row.id));
  }
}
