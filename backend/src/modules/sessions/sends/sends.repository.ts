import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../common/db/unit-of-work.js';
import { encodeCursor, Page } from '../../../common/http/index.js';
import { AppConfig } from '../../../config/index.js';
import type { Lease } from '../sessions.repository.js';
import type { SendsRequest } from './send.dto.js';
import type { SendError, SendStatus } from './send.entity.js';
import { isServerId } from './send-reader.js';
import type { SendState } from './tracked-send.js';

/** A send with the lease under which it is written. */
export interface LeasedSend {
  readonly state: SendState;
  readonly lease: Lease;
}

interface SendRow {
  readonly id: string;
  readonly session_id: string;
  readonly epoch: number;
  readonly chat_id: string;
  readonly temporary_id: string;
  readonly told: boolean;
  readonly status: SendStatus;
  readonly message_id: string | null;
  readonly error: SendError | null;
  readonly fingerprint: number;
  readonly key_id: string | null;
  readonly created_at: Date;
  readonly decided_at: Date | null;
}

/** Any number that is ours: one process at a time sweeps. */
const SWEEP_LOCK = 7_404_012_020;
/** How many rows one statement removes at most. */
export const SENDS_SWEPT_AT_ONCE = 10_000;

const COLUMNS = `id, session_id, epoch, chat_id, temporary_id, told, status, message_id, error, fingerprint, key_id, created_at, decided_at`;
/** The sends of a session that are kept: $1 the session, $2 SEND_TTL in seconds. */
const KEPT = `FROM sends WHERE session_id = $1 AND created_at > now() - make_interval(secs => $2)`;
const DEFAULT_LIMIT = 100;
/** Failover takes seconds; a session that nobody opens for so long has no worker with its disk. */
const LOST_AFTER = `interval '1 hour'`;

/** What is stored of sends. */
@Injectable()
export class SendsRepository {
  private readonly ttlSeconds: number;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    config: AppConfig,
  ) {
    this.ttlSeconds = config.sendTtlMs / 1_000;
  }

  /**
   * Writes sends as they are now. What Telegram has decided stays so. Sends of a session that this worker no longer leases, or
   * that is deleted, are passed over: its next holder finds them in the session's journal.
   * @returns the ids of the sessions whose sends were written
   */
  async save(sends: readonly LeasedSend[]): Promise<readonly string[]> {
    const column = <Value>(of: (send: SendState) => Value): Value[] => sends.map(({ state }) => of(state));
    const written = await this.unitOfWork.rows<{ session_id: string }>(
      `WITH given AS (
         SELECT i.id, s.id AS session_id, i.epoch, i.chat_id, i.temporary_id, i.told, i.status, i.message_id, i.error,
                i.fingerprint, k.id AS key_id, i.created_at, i.decided_at
           FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::int[], $6::bigint[], $7::bigint[], $8::boolean[],
                       $9::text[], $10::bigint[], $11::jsonb[], $12::int[], $13::uuid[], $14::timestamptz[],
                       $15::timestamptz[])
                AS i (id, session_id, worker_id, lease_epoch, epoch, chat_id, temporary_id, told, status, message_id,
                      error, fingerprint, key_id, created_at, decided_at)
           JOIN sessions s ON s.id = i.session_id AND s.worker_id = i.worker_id AND s.epoch = i.lease_epoch
           LEFT JOIN idempotency_keys k ON k.id = i.key_id),
       written AS (
         INSERT INTO sends (${COLUMNS}) SELECT ${COLUMNS} FROM given
         ON CONFLICT (session_id, chat_id, temporary_id, epoch) DO UPDATE
            SET status = excluded.status, message_id = excluded.message_id, error = excluded.error,
                decided_at = excluded.decided_at
          WHERE sends.status IN ('pending', 'unknown'))
       SELECT DISTINCT session_id FROM given`,
      [
        column(({ id }) => id),
        column(({ sessionId }) => sessionId),
        sends.map(({ lease }) => lease.workerId),
        sends.map(({ lease }) => lease.epoch),
        column(({ epoch }) => epoch),
        column(({ chatId }) => chatId),
        column(({ temporaryId }) => temporaryId),
        column(({ told }) => told),
        column(({ status }) => status),
        column(({ messageId }) => messageId ?? null),
        column(({ error }) => (error === undefined ? null : JSON.stringify(error))),
        column(({ fingerprint }) => fingerprint),
        column(({ keyId }) => keyId ?? null),
        column(({ createdAt }) => createdAt),
        column(({ decidedAt }) => decidedAt ?? null),
      ],
    );
    return written.map(({ session_id }) => session_id);
  }

  /** What Telegram has not decided of a session's sends, as far as is known, and those that are named. */
  async undecidedOf(sessionId: string, ids: readonly string[]): Promise<readonly SendState[]> {
    const rows = await this.unitOfWork.rows<SendRow>(
      `SELECT ${COLUMNS} FROM sends WHERE session_id = $1 AND (status IN ('pending', 'unknown') OR id = ANY($2::uuid[]))`,
      [sessionId, ids],
    );
    return rows.map(toState);
  }

  /**
   * By the temporary or the final id. A client of the session may use a temporary id again: of those that a caller was told the
   * newest is meant, before one that TDLib has only sent again.
   */
  async find(sessionId: string, chatId: number, messageId: number): Promise<SendState | undefined> {
    const id = isServerId(messageId) ? 'message_id' : 'temporary_id';
    const [row] = await this.unitOfWork.rows<SendRow>(
      `SELECT ${COLUMNS} ${KEPT} AND chat_id = $3 AND ${id} = $4 ORDER BY told DESC, epoch DESC LIMIT 1`,
      [sessionId, this.ttlSeconds, chatId, messageId],
    );
    return row && toState(row);
  }

  /** Which of these messages of a chat are known to be the outcome of a send. */
  async outcomesAmong(sessionId: string, chatId: number, messageIds: readonly number[]): Promise<ReadonlySet<number>> {
    const rows = await this.unitOfWork.rows<{ message_id: string }>(
      `SELECT message_id FROM sends WHERE session_id = $1 AND chat_id = $2 AND message_id = ANY($3::bigint[])`,
      [sessionId, chatId, messageIds],
    );
    return new Set(rows.map(({ message_id }) => Number(message_id)));
  }

  /** The last message of a chat that was sent before this moment, as far as is known. */
  async lastSentBefore(sessionId: string, chatId: number, at: Date): Promise<number | undefined> {
    const [row] = await this.unitOfWork.rows<{ message_id: string | null }>(
      `SELECT max(message_id) AS message_id FROM sends WHERE session_id = $1 AND chat_id = $2 AND created_at < $3`,
      [sessionId, chatId, at],
    );
    return row?.message_id ? Number(row.message_id) : undefined;
  }

  /** Newest first. */
  async newest(
    sessionId: string,
    { limit = DEFAULT_LIMIT, after, status, chats }: SendsRequest,
  ): Promise<Page<SendState>> {
    const rows = await this.unitOfWork.rows<SendRow>(
      `SELECT ${COLUMNS} ${KEPT} AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4::uuid))
          AND ($6::text IS NULL OR status = $6) AND ($7::bigint[] IS NULL OR chat_id = ANY($7))
        ORDER BY created_at DESC, id DESC LIMIT $5`,
      [
        sessionId,
        this.ttlSeconds,
        after?.createdAt ?? null,
        after?.id ?? null,
        limit + 1,
        status ?? null,
        chats ?? null,
      ],
    );
    const items = rows.slice(0, limit).map(toState);
    const last = items.at(-1);
    return rows.length > limit && last ? new Page(items, encodeCursor(last)) : new Page(items);
  }

  /** Whether one of these is on its way, as far as is stored. */
  async isAnyPending(ids: readonly string[]): Promise<boolean> {
    const [row] = await this.unitOfWork.rows<{ found: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM sends WHERE id = ANY($1::uuid[]) AND status = 'pending') AS found`,
      [ids],
    );
    return row?.found === true;
  }

  /** What was sent for a request with an Idempotency-Key, in the order of sending. */
  async ofKey(keyId: string): Promise<readonly SendState[]> {
    const rows = await this.unitOfWork.rows<SendRow>(
      `SELECT ${COLUMNS} FROM sends WHERE key_id = $1 ORDER BY epoch, temporary_id`,
      [keyId],
    );
    return rows.map(toState);
  }

  /**
   * Says that the outcome of sends is unknown whose session nobody has opened for long: its disk may be lost. Should it be
   * opened after all, they are looked for again.
   */
  async giveUpLost(): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE sends SET status = 'unknown', decided_at = now()
        WHERE status = 'pending' AND created_at < now() - ${LOST_AFTER}
          AND session_id IN (
            SELECT s.id FROM sessions s
             WHERE NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = s.worker_id AND w.expires_at > now()))`,
    );
  }

  /** Removes some sends that are older than SEND_TTL; how many, or undefined when another process is at it. */
  sweep(): Promise<number | undefined> {
    return this.unitOfWork.run(async () => {
      const [lock] = await this.unitOfWork.rows<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [
        SWEEP_LOCK,
      ]);
      if (lock?.got !== true) {
        return undefined;
      }
      const swept = await this.unitOfWork.rows(
        `DELETE FROM sends WHERE id IN (
           SELECT id FROM sends WHERE created_at <= now() - make_interval(secs => $1) LIMIT ${SENDS_SWEPT_AT_ONCE})
         RETURNING id`,
        [this.ttlSeconds],
      );
      return swept.length;
    });
  }
}

function toState(row: SendRow): SendState {
  return {
    id: row.id,
    sessionId: row.session_id,
    epoch: row.epoch,
    chatId: Number(row.chat_id),
    temporaryId: Number(row.temporary_id),
    told: row.told,
    fingerprint: row.fingerprint,
    keyId: row.key_id ?? undefined,
    createdAt: row.created_at,
    status: row.status,
    messageId: row.message_id === null ? undefined : Number(row.message_id),
    error: row.error ?? undefined,
    decidedAt: row.decided_at ?? undefined,
  };
}
