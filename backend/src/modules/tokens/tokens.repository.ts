import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { TokenScope } from '../../common/http/index.js';

/** A token as a request meets it. */
export interface StoredToken {
  readonly id: string;
  readonly name: string | undefined;
  readonly enabled: boolean;
  readonly scope: TokenScope;
}

/** What a token's scope may name, and where that is. */
export type ScopeKind = 'app' | 'session';

interface TokenRow {
  readonly id: string;
  readonly name: string | null;
  readonly enabled: boolean;
  readonly all_sessions: boolean;
  readonly app_ids: readonly string[];
  readonly session_ids: readonly string[];
}

/** The tables of scopes: names that are never anybody's input. */
const TABLES = {
  app: { things: 'apps', scopes: 'api_token_apps', column: 'app_id' },
  session: { things: 'sessions', scopes: 'api_token_sessions', column: 'session_id' },
} as const satisfies Record<ScopeKind, { things: string; scopes: string; column: string }>;

/** The statements on tokens and their scopes. */
@Injectable()
export class TokensRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @param hash SHA-256 of the token */
  findByHash(hash: Buffer): Promise<StoredToken | undefined> {
    return this.findBy('secret_hash', hash);
  }

  find(id: string): Promise<StoredToken | undefined> {
    return this.findBy('id', id);
  }

  /** What these tokens name, by token id, in the order of the ids. */
  async named(kind: ScopeKind, tokenIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const { scopes, column } = TABLES[kind];
    const rows = await this.unitOfWork.rows<{ token_id: string; ids: string[] }>(
      `SELECT token_id, array_agg(${column}::text ORDER BY ${column}) AS ids
         FROM ${scopes} WHERE token_id = ANY($1::uuid[]) GROUP BY token_id`,
      [tokenIds],
    );
    return new Map(rows.map((row) => [row.token_id, row.ids]));
  }

  /** Of these ids, those that exist; they go on existing until the transaction ends. */
  async existing(kind: ScopeKind, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.unitOfWork.rows<{ id: string }>(
      `SELECT id FROM ${TABLES[kind].things} WHERE id = ANY($1::uuid[]) FOR KEY SHARE`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Puts these ids in the place of what the token named before. */
  async name(kind: ScopeKind, tokenId: string, ids: readonly string[]): Promise<void> {
    const { scopes, column } = TABLES[kind];
    await this.unitOfWork.rows(`DELETE FROM ${scopes} WHERE token_id = $1 AND ${column} <> ALL($2::uuid[])`, [
      tokenId,
      ids,
    ]);
    await this.unitOfWork.rows(
      `INSERT INTO ${scopes} (token_id, ${column}) SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING`,
      [tokenId, ids],
    );
  }

  /** Keeps others from changing the token until the transaction ends. @returns false when there is none */
  async lock(id: string): Promise<boolean> {
    return (await this.unitOfWork.rows('SELECT 1 FROM api_tokens WHERE id = $1 FOR UPDATE', [id])).length === 1;
  }

  /** Notes that these tokens were used just now. */
  async noteUse(ids: readonly string[]): Promise<void> {
    await this.unitOfWork.rows('UPDATE api_tokens SET last_used_at = now() WHERE id = ANY($1::uuid[])', [ids]);
  }

  private async findBy(column: 'id' | 'secret_hash', value: string | Buffer): Promise<StoredToken | undefined> {
    const [row] = await this.unitOfWork.rows<TokenRow>(
      `SELECT t.id, t.name, t.enabled, t.all_sessions,
              ARRAY(SELECT app_id::text FROM api_token_apps WHERE token_id = t.id) AS app_ids,
              ARRAY(SELECT session_id::text FROM api_token_sessions WHERE token_id = t.id) AS session_ids
         FROM api_tokens t WHERE t.${column} = $1`,
      [value],
    );
    if (!row) return undefined;
    const scope = {
      allSessions: row.all_sessions,
      appIds: new Set(row.app_ids),
      sessionIds: new Set(row.session_ids),
    };
    return { id: row.id, name: row.name ?? undefined, enabled: row.enabled, scope };
  }
}
