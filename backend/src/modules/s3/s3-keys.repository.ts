import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { Grant, PoolAccess } from './s3-call.js';
import { S3KeyEntity } from './s3-key.entity.js';

interface GrantRow {
  readonly token_id: string;
  readonly pool_ids: readonly string[] | null;
  readonly pool_access: PoolAccess | null;
}

/** The statements on access keys. */
@Injectable()
export class S3KeysRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** What the holder of a key may do; undefined for a key that is not there, or whose token is not in force. */
  async grantOf(keyId: string): Promise<Grant | undefined> {
    // The token's pools are read by name from the whole row: they come with a later migration of the tokens.
    const [row] = await this.unitOfWork.rows<GrantRow>(
      `SELECT k.token_id, t.row->'pool_ids' AS pool_ids, t.row->>'pool_access' AS pool_access
         FROM s3_keys k
         JOIN (SELECT id, enabled, to_jsonb(api_tokens) AS row FROM api_tokens) t ON t.id = k.token_id
        WHERE k.id = $1 AND t.enabled AND COALESCE((t.row->>'expires_at')::timestamptz > now(), true)`,
      [keyId],
    );
    if (!row) return undefined;
    const access = row.pool_access ?? 'read';
    return { tokenId: row.token_id, pools: new Map((row.pool_ids ?? []).map((id) => [id, access])) };
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
