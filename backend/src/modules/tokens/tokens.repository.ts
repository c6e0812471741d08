import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { MethodClass, PoolAccess, TokenCaller } from '../../common/http/index.js';

/** A token as a request meets it. */
export interface StoredToken {
  readonly caller: TokenCaller;
  readonly enabled: boolean;
  /** In Unix milliseconds, as all times of it. */
  readonly expiresAt: number | undefined;
  /** Until when the secret serves that it was found by; undefined for the present one. */
  readonly secretUntil: number | undefined;
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
  readonly classes: readonly MethodClass[];
  readonly methods: readonly string[] | null;
  readonly chats: readonly string[] | null;
  readonly pool_ids: readonly string[];
  readonly pool_access: PoolAccess;
  readonly expires_at: Date | null;
  readonly secret_until: Date | null;
}

/** What a token is read with: `api_tokens t`, and when the secret ends that it was found by. */
const selectToken = (secretUntil: string): string => `
  SELECT t.id, t.name, t.enabled, t.all_sessions, t.classes, t.methods, t.chats, t.expires_at, ${secretUntil} AS secret_until,
         t.pool_ids::text[] AS pool_ids, t.pool_access,
         ARRAY(SELECT app_id::text FROM api_token_apps WHERE token_id = t.id) AS app_ids,
         ARRAY(SELECT session_id::text FROM api_token_sessions WHERE token_id = t.id) AS session_ids
    FROM api_tokens t`;

function toStored(row: TokenRow): StoredToken {
  const { methods, chats } = row;
  return {
    caller: {
      kind: 'token',
      tokenId: row.id,
      ...(row.name !== null && { name: row.name }),
      scope: {
        allSessions: row.all_sessions,
        appIds: new Set(row.app_ids),
        sessionIds: new Set(row.session_ids),
        pools: new Map(row.pool_ids.map((id) => [id, row.pool_access])),
      },
      rights: {
        classes: row.classes,
        ...(methods !== null && { methods }),
        ...(chats !== null && { chats: chats.map(Number) }),
      },
    },
    enabled: row.enabled,
    expiresAt: row.expires_at?.getTime(),
    secretUntil: row.secret_until?.getTime(),
  };
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

  /** @param hash SHA-256 of the token, or of one that it has replaced */
  async findByHash(hash: Buffer): Promise<StoredToken | undefined> {
    const [row] = await this.unitOfWork.rows<TokenRow>(
      `${selectToken('NULL::timestamptz')} WHERE t.secret_hash = $1
       UNION ALL
       ${selectToken('f.expires_at')} JOIN api_token_former_secrets f ON f.token_id = t.id WHERE f.secret_hash = $1`,
      [hash],
    );
    return row && toStored(row);
  }

  async find(id: string): Promise<StoredToken | undefined> {
    const sql = `${selectToken('NULL::timestamptz')} WHERE t.id = $1`;
    const [row] = await this.unitOfWork.rows<TokenRow>(sql, [id]);
    return row && toStored(row);
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

  /** Of these ids, those of pools that exist, or that the token names already: a pool may have gone since. */
  async existingPools(tokenId: string | undefined, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.unitOfWork.rows<{ id: string }>(
      `SELECT id FROM pools WHERE id = ANY($1::uuid[])
       UNION SELECT unnest(pool_ids) FROM api_tokens WHERE id = $2`,
      [ids, tokenId ?? null],
    );
    return new Set(rows.map(({ id }) => id));
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

  /** Until when the last of the replaced secrets of these tokens serves, by token id. */
  async formerSecretsUntil(tokenIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    const rows = await this.unitOfWork.rows<{ token_id: string; until: Date }>(
      `SELECT token_id, max(expires_at) AS until FROM api_token_former_secrets
        WHERE token_id = ANY($1::uuid[]) AND expires_at > now() GROUP BY token_id`,
      [tokenIds],
    );
    return new Map(rows.map(({ token_id, until }) => [token_id, until]));
  }

  /** Notes the present secret as one that serves until then; those before it serve no longer either. What is over goes. */
  async retireSecret(tokenId: string, until: Date): Promise<void> {
    await this.unitOfWork.rows('DELETE FROM api_token_former_secrets WHERE token_id = $1 AND expires_at <= now()', [
      tokenId,
    ]);
    await this.unitOfWork.rows(
      'UPDATE api_token_former_secrets SET expires_at = least(expires_at, $2) WHERE token_id = $1',
      [tokenId, until],
    );
    await this.unitOfWork.rows(
      `INSERT INTO api_token_former_secrets (secret_hash, token_id, expires_at)
       SELECT secret_hash, id, $2 FROM api_tokens WHERE id = $1`,
      [tokenId, until],
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
}
