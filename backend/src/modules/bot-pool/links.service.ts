import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { Caller } from '../../common/http/index.js';
import { LinkNotFoundError, TooManyLinksError } from './bot-pool.errors.js';
import { ObjectsService } from './objects.service.js';
import { PoolReaders } from './pool-readers.js';
import type { Bucket } from './stored-object.js';

/** Links of one pool that have not ended. */
const MAX_LINKS = 10_000;

/** A link, without the secret that only whoever made it was told. */
export interface Link {
  readonly id: string;
  readonly poolId: string;
  readonly key: string;
  /** What the browser is to call the file. */
  readonly filename: string | undefined;
  /** Whose it is; undefined for the master. */
  readonly tokenId: string | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

interface RawLink {
  readonly id: string;
  readonly pool_id: string;
  readonly key: string;
  readonly filename: string | null;
  readonly token_id: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
}

const hashOf = (ticket: string): Buffer => createHash('sha256').update(ticket).digest();

/**
 * Links to objects, for whoever has them. A link leads to whatever its key has, and ends by its time, when it is revoked, and with the
 * rights of the token that has made it.
 */
@Injectable()
export class LinksService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly readers: PoolReaders,
    private readonly objects: ObjectsService,
  ) {}

  /**
   * @returns the link, and what opens it: 256 random bits that are told nowhere else
   * @throws ObjectNotFoundError, TooManyLinksError
   */
  async create(
    bucket: Bucket,
    caller: Caller,
    {
      key,
      filename,
      expiresInSeconds,
    }: { readonly key: string; readonly filename: string | undefined; readonly expiresInSeconds: number },
  ): Promise<{ readonly link: Link; readonly ticket: string }> {
    const { poolId } = bucket;
    await this.objects.find(bucket, key);
    const ticket = randomBytes(32).toString('base64url');
    // Those that have ended go with the next one.
    const [row] = await this.unitOfWork.rows<RawLink>(
      `WITH old AS (DELETE FROM pool_links WHERE expires_at < now())
       INSERT INTO pool_links (id, hash, pool_id, key, filename, token_id, expires_at)
       SELECT $1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7)
        WHERE (SELECT count(*) FROM pool_links WHERE pool_id = $3 AND expires_at > now()) < ${MAX_LINKS} RETURNING *`,
      [randomUUID(), hashOf(ticket), poolId, key, filename ?? null, tokenOf(caller), expiresInSeconds],
    );
    if (row === undefined) throw new TooManyLinksError(MAX_LINKS);
    return { link: toLink(row), ticket };
  }

  /** The caller's own, for the master all; the newest first. */
  async list(
    { poolId }: Bucket,
    caller: Caller,
    { limit, after }: { readonly limit: number; readonly after?: { readonly createdAt: Date; readonly id: string } },
  ): Promise<Link[]> {
    const rows = await this.unitOfWork.rows<RawLink>(
      `SELECT * FROM pool_links
        WHERE pool_id = $1 AND expires_at > now() AND ($2::uuid IS NULL OR token_id = $2)
          AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4::uuid))
        ORDER BY created_at DESC, id DESC LIMIT $5`,
      [poolId, tokenOf(caller), after?.createdAt ?? null, after?.id ?? null, limit],
    );
    return rows.map(toLink);
  }

  /** @throws LinkNotFoundError also for somebody else's */
  async revoke({ poolId }: Bucket, caller: Caller, id: string): Promise<void> {
    const rows = await this.unitOfWork.rows(
      'DELETE FROM pool_links WHERE id = $1 AND pool_id = $2 AND ($3::uuid IS NULL OR token_id = $3) RETURNING id',
      [id, poolId, tokenOf(caller)],
    );
    if (rows.length === 0) throw new LinkNotFoundError();
  }

  /** What a ticket opens now. @throws LinkNotFoundError, the same whatever it is that ended it */
  async open(ticket: string): Promise<Link> {
    const [row] = await this.unitOfWork.rows<RawLink>(
      'SELECT * FROM pool_links WHERE hash = $1 AND expires_at > now()',
      [hashOf(ticket)],
    );
    if (row === undefined) throw new LinkNotFoundError();
    const { token_id: tokenId, pool_id: poolId } = row;
    if (tokenId !== null && !(await this.readers.mayRead(tokenId, poolId))) throw new LinkNotFoundError();
    return toLink(row);
  }
}

function tokenOf(caller: Caller): string | null {
  return caller.kind === 'token' ? caller.tokenId : null;
}

function toLink(row: RawLink): Link {
  return {
    id: row.id,
    poolId: row.pool_id,
    key: row.key,
    filename: row.filename ?? undefined,
    tokenId: row.token_id ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
