import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { type Page, pageOf, type PagePosition } from '../../common/http/index.js';

/** Where Telegram told of a flood: in the answer of a call, or later, of a message that it had taken. */
export type FloodOrigin = 'call' | 'send';

/** Telegram found that a session did something too often. */
export interface Flood {
  readonly id: string;
  readonly sessionId: string;
  readonly at: Date;
  readonly origin: FloodOrigin;
  /** Not known of a message that was refused later. */
  readonly method: string | undefined;
  /** What was closed for it. */
  readonly scope: string;
  readonly chatId: number | undefined;
  readonly code: number;
  readonly message: string;
  /** In seconds; undefined when Telegram named no time. */
  readonly retryAfter: number | undefined;
}

/** Which floods of a session are meant. */
export interface FloodsRequest {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly scope: string | undefined;
  readonly method: string | undefined;
  readonly chatId: number | undefined;
}

/** How many floods of one scope there were in a stretch of time. */
export interface FloodCount {
  readonly at: Date;
  readonly scope: string;
  readonly count: number;
  /** The longest wait that Telegram asked for, in seconds. */
  readonly longest: number;
}

interface FloodRow {
  readonly id: string;
  readonly session_id: string;
  readonly created_at: Date;
  readonly origin: FloodOrigin;
  readonly method: string | null;
  readonly scope: string;
  readonly chat_id: string | null;
  readonly code: number;
  readonly message: string;
  readonly retry_after: string | null;
}

/** What {@link FloodsRequest} asks for: $1 the session, $2 to $6 the rest. */
const MEANT = `session_id = $1 AND ($2::timestamptz IS NULL OR created_at >= $2) AND ($3::timestamptz IS NULL OR created_at < $3)
  AND ($4::text IS NULL OR scope = $4) AND ($5::text IS NULL OR method = $5) AND ($6::bigint IS NULL OR chat_id = $6)`;

const meant = (sessionId: string, request: FloodsRequest): readonly unknown[] => [
  sessionId,
  request.from ?? null,
  request.to ?? null,
  request.scope ?? null,
  request.method ?? null,
  request.chatId ?? null,
];

/** How many old floods one statement removes at most. */
export const FLOODS_SWEPT_AT_ONCE = 5_000;

/** The ledger of floods. */
@Injectable()
export class FloodsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Those of sessions that are gone meanwhile are left out. */
  async insert(floods: readonly Flood[]): Promise<void> {
    await this.unitOfWork.rows(
      `INSERT INTO limit_floods (id, session_id, created_at, origin, method, scope, chat_id, code, message, retry_after)
       SELECT f.* FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[],
                              $7::bigint[], $8::integer[], $9::text[], $10::bigint[])
                AS f (id, session_id, created_at, origin, method, scope, chat_id, code, message, retry_after)
        WHERE EXISTS (SELECT 1 FROM sessions s WHERE s.id = f.session_id FOR KEY SHARE)
       ON CONFLICT (id) DO NOTHING`,
      [
        floods.map(({ id }) => id),
        floods.map(({ sessionId }) => sessionId),
        floods.map(({ at }) => at),
        floods.map(({ origin }) => origin),
        floods.map(({ method }) => method ?? null),
        floods.map(({ scope }) => scope),
        floods.map(({ chatId }) => chatId ?? null),
        floods.map(({ code }) => code),
        floods.map(({ message }) => message),
        floods.map(({ retryAfter }) => retryAfter ?? null),
      ],
    );
  }

  /** Newest first. */
  async page(sessionId: string, request: FloodsRequest, limit: number, before?: PagePosition): Promise<Page<Flood>> {
    const rows = await this.unitOfWork.rows<FloodRow>(
      `SELECT id, session_id, created_at, origin, method, scope, chat_id, code, message, retry_after FROM limit_floods
        WHERE ${MEANT} AND ($7::timestamptz IS NULL OR (created_at, id) < ($7::timestamptz, $8::uuid))
        ORDER BY created_at DESC, id DESC LIMIT $9`,
      [...meant(sessionId, request), before?.createdAt ?? null, before?.id ?? null, limit + 1],
    );
    return pageOf(
      rows.map((row) => ({ ...toFlood(row), createdAt: row.created_at })),
      limit,
    );
  }

  /** In the order of time; stretches without floods are left out. @param by of UTC */
  async counts(sessionId: string, request: FloodsRequest, by: 'hour' | 'day'): Promise<readonly FloodCount[]> {
    return this.unitOfWork.rows<FloodCount>(
      `SELECT date_trunc($7, created_at, 'UTC') AS at, scope, count(*)::integer AS count,
              coalesce(max(retry_after), 0)::float8 AS longest
         FROM limit_floods WHERE ${MEANT} GROUP BY 1, 2 ORDER BY 1, 2`,
      [...meant(sessionId, request), by],
    );
  }

  /** @returns how many it removed */
  async sweep(olderThanMs: number): Promise<number> {
    const rows = await this.unitOfWork.rows(
      `DELETE FROM limit_floods WHERE id IN (
         SELECT id FROM limit_floods WHERE created_at < now() - $1 * interval '1 ms'
          ORDER BY created_at LIMIT ${FLOODS_SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED) RETURNING id`,
      [olderThanMs],
    );
    return rows.length;
  }
}

function toFlood(row: FloodRow): Flood {
  return {
    id: row.id,
    sessionId: row.session_id,
    at: row.created_at,
    origin: row.origin,
    method: row.method ?? undefined,
    scope: row.scope,
    chatId: row.chat_id === null ? undefined : Number(row.chat_id),
    code: row.code,
    message: row.message,
    retryAfter: row.retry_after === null ? undefined : Number(row.retry_after),
  };
}
