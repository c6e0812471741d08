import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { violates } from '../../common/db/database-failure.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { NotFoundError } from '../../common/errors/index.js';
import type { Bucket } from './stored-object.js';

interface RawBucket {
  readonly id: string;
  readonly pool_id: string;
  readonly name: string;
  readonly chunk_bytes: number;
  readonly is_encrypted: boolean;
  readonly created_at: Date;
}

const SELECT = 'SELECT b.*, p.chunk_bytes, p.is_encrypted FROM pool_buckets b JOIN pools p ON p.id = b.pool_id';

/** Where keys are. The bucket of a pool's own comes and goes with the pool. */
@Injectable()
export class BucketsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** By name. */
  async list(): Promise<Bucket[]> {
    return (await this.unitOfWork.rows<RawBucket>(`${SELECT} ORDER BY b.name COLLATE "C"`)).map(toBucket);
  }

  async find(name: string): Promise<Bucket | undefined> {
    const [row] = await this.unitOfWork.rows<RawBucket>(`${SELECT} WHERE b.name = $1`, [name]);
    return row && toBucket(row);
  }

  /** @returns false when the name is taken. @throws NotFoundError when there is no such pool */
  async create(poolId: string, name: string): Promise<boolean> {
    try {
      const created = await this.unitOfWork.rows(
        `INSERT INTO pool_buckets (id, pool_id, name) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING id`,
        [randomUUID(), poolId, name],
      );
      return created.length > 0;
    } catch (error) {
      throw violates(error, 'pool_buckets_pool_fk') ? new NotFoundError('pool', poolId) : error;
    }
  }

  /** @returns false while it has objects. @throws what the database says, as of an upload that has just begun */
  async remove(id: string): Promise<boolean> {
    try {
      await this.unitOfWork.rows('DELETE FROM pool_buckets WHERE id = $1', [id]);
      return true;
    } catch (error) {
      if (violates(error, 'pool_objects_bucket_fk')) return false;
      throw error;
    }
  }
}

function toBucket(row: RawBucket): Bucket {
  return {
    id: row.id,
    poolId: row.pool_id,
    name: row.name,
    chunkBytes: row.chunk_bytes,
    isEncrypted: row.is_encrypted,
    createdAt: row.created_at,
  };
}
