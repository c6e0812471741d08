import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { PoolAccess } from '../tokens/index.js';
import type { Grant } from './s3-call.js';
import { S3KeyEntity } from './s3-key.entity.js';

/** An access key as a request meets it. */
export interface StoredKey {
  readonly grant: Grant;
  readonly enabled: boolean;
  /** In Unix milliseconds; undefined for never. */
  readonly expiresAt: number | undefined;
}

interface KeyRow {
  readonly token_id: string;
  readonly enabled: boolean;
  readonly expires_at: Date | null;
  readonly pool_ids: readonly string[];
  readonly pool_access: PoolAccess;
}

/** The statements on access keys. */
@Injectable()
export class S3KeysRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** With what its token may do; undefined when there is no such key. */
  async find(keyId: string): Promise<StoredKey | undefined> {
    const [row] = await this.unitOfWork.rows<KeyRow>(
      `SELECT k.token_id, t.enabled, t.expires_at, t.pool_ids::text[] AS pool_ids, t.pool_access
         FROM s3_keys k JOIN api_tokens t ON t.id = k.token_id WHERE k.id = $1`,
      [keyId],
    );
    if (!row) return undefined;
    const pools = new Map(row.pool_ids.map((id) => [id, row.pool_access]));
    return { grant: { tokenId: row.token_id, pools }, enabled: row.enabled, expiresAt: row.expires_at?.getTime() };
  }

  /** The keys of a token, oldest first; undefined when there is no such token. */
  async of(tokenId: string): Promise<readonly S3KeyEntity[] | undefined> {
    const { manager } = this.unitOfWork;
    const keys = await manager.find(S3KeyEntity, { where: { tokenId }, order: { createdAt: 'ASC', id: 'ASC' } });
    return keys.length > 0 || (await this.hasToken(tokenId)) ? keys : undefined;
  }

  /** Keeps others from adding keys to the token until the transaction ends. @returns false when there is no such token */
  async lockToken(tokenId: string): Promise<boolean> {
    return (await this.unitOfWork.rows('SELECT 1 FROM api_tokens WHERE id = $1 FOR UPDATE', [tokenId])).length === 1;
  }

  async insert(id: string, tokenId: string): Promise<void> {
    await this.unitOfWork.manager.insert(S3KeyEntity, { id, tokenId });
  }

  /** @returns whether there was one */
  async remove(id: string, tokenId: string): Promise<boolean> {
    return (await this.unitOfWork.manager.delete(S3KeyEntity, { id, tokenId })).affected === 1;
  }

  private async hasToken(id: string): Promise<boolean> {
    return (await this.unitOfWork.rows('SELECT 1 FROM api_tokens WHERE id = $1', [id])).length === 1;
  }
}
