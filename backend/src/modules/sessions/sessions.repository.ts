import { Injectable } from '@nestjs/common';
import { keysetPage } from '../../common/db/keyset.js';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import type { Page, PageRequest, TokenScope } from '../../common/http/index.js';
import { coverageSql } from '../tokens/index.js';
import { SessionEntity, type SessionStatus } from './session.entity.js';

/** Where a session's requests have to go. */
export interface SessionRoute {
  readonly id: string;
  readonly kind: 'bot' | 'user';
  readonly status: SessionStatus;
  /** The worker it belongs to, when that one is alive. */
  readonly owner: { readonly id: string; readonly addr: string } | undefined;
}

/** What a list shows beside the row itself. */
export interface SessionRelations {
  readonly appLabel: string | null;
  readonly proxy: string | null;
  readonly isOwnerAlive: boolean;
}

/** What a worker writes about a session it holds. */
export interface SessionReport {
  readonly status: SessionStatus;
  readonly since: Date;
  readonly lastError: string | undefined;
  readonly health: 'ok' | 'degraded' | 'down';
  readonly healthCause: string | undefined;
  readonly healthSince: Date;
  /** When an expired bot is to log in again by itself. */
  readonly loginAgainAt: Date | undefined;
  /** A user's Telegram id. */
  readonly accountId: string | undefined;
  readonly username: string | undefined;
  readonly phone: string | undefined;
  readonly isPremium: boolean | undefined;
  readonly frozen: boolean;
  readonly frozenSince: Date | undefined;
  readonly deletionDate: Date | undefined;
  readonly appealLink: string | undefined;
  readonly spamLimitedUntil: Date | undefined;
  /** The worker gives the session up with this report. */
  readonly release: boolean;
}

/** A session that a worker has claimed. */
export interface Claimed {
  readonly row: SessionEntity;
  /** The worker that had it before, when that one did not give it up; this one may have it from an earlier process. */
  readonly formerOwner: string | undefined;
}

/** A worker's right to one session, which its writes carry. */
export interface Lease {
  readonly sessionId: string;
  readonly workerId: string;
  readonly epoch: number;
}

interface RouteRow {
  readonly id: string;
  readonly kind: 'bot' | 'user';
  readonly status: SessionStatus;
  readonly worker_id: string | null;
  readonly addr: string | null;
}

/** Statuses in which somebody is expected to answer Telegram. */
export const PENDING_STATUSES = [
  'connecting',
  'awaiting_code',
  'awaiting_password',
  'awaiting_qr',
  'awaiting_email',
  'awaiting_email_code',
  'awaiting_registration',
] as const satisfies readonly SessionStatus[];

/** Whose lease holds. Both sides of the comparison are the database's clock. */
const OWNER_ALIVE = `w.expires_at > clock_timestamp()`;

/** Whose lease has run out, although the database was there to renew it. */
const OWNER_EXPIRED = `(w.expires_at <= clock_timestamp()
  AND pg_postmaster_start_time() < clock_timestamp() - interval '5 seconds')`;

/** Bots that are due to log in anew. */
const LOGS_IN_AGAIN = `(s.kind = 'bot' AND s.status = 'expired' AND s.login_again_at <= clock_timestamp())`;

/** What workers open without being asked. */
const OPENS_BY_ITSELF = `(s.status = 'authorized' OR ${LOGS_IN_AGAIN})`;

/** Sessions of which `which` holds that a worker may have; see {@link SessionsRepository.claim} for the parameters. */
const free = (which: string, limit: string): string => `
  SELECT s.id AS free_id, s.worker_id AS former_owner FROM sessions s LEFT JOIN workers w ON w.id = s.worker_id
   WHERE ${which} AND s.id <> ALL($5::uuid[])
     AND (s.moving_to = $1 OR s.moving_until IS NULL OR s.moving_until <= clock_timestamp())
     AND CASE WHEN s.worker_id = $1 THEN s.id = ANY($3::uuid[])
              ELSE w.id IS NULL OR ($4 AND ${OWNER_EXPIRED}) END
   ORDER BY s.updated_at LIMIT ${limit} FOR UPDATE OF s SKIP LOCKED`;

/** Of an UPDATE of sessions; `cause` is a parameter. */
const healthDown = (cause: string): string =>
  `health_since = CASE health WHEN 'down' THEN health_since ELSE now() END, health = 'down', health_cause = ${cause}`;

/** Of an UPDATE of sessions whose authorization is gone. */
const BEGIN_LOGIN = `former_status = status, former_since = since, status = 'connecting', since = now(), last_error = NULL,
  login_again_at = NULL, health = 'ok', health_cause = NULL, health_since = now()`;

/** Of an UPDATE of sessions `s` in a login that nobody holds; `cause` is a parameter. */
const lostLogin = (cause: string): string => `
  status = coalesce(s.former_status, 'expired'), since = coalesce(s.former_since, now()), former_status = NULL,
  former_since = NULL, updated_at = now(), worker_id = NULL,
  login_again_at = CASE WHEN s.kind = 'bot' THEN now() END, last_error = ${cause}`;

const SELECT_ROUTE = `
  SELECT s.id, s.kind, s.status, CASE WHEN ${OWNER_ALIVE} THEN s.worker_id END AS worker_id, w.addr
    FROM sessions s LEFT JOIN workers w ON w.id = s.worker_id`;

/** The queries on sessions that are worth a name; whatever a worker writes is bound to its lease. */
@Injectable()
export class SessionsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  find(id: string): Promise<SessionEntity | null> {
    return this.unitOfWork.manager.findOneBy(SessionEntity, { id });
  }

  async insert(session: SessionEntity): Promise<void> {
    await this.unitOfWork.manager.insert(SessionEntity, session);
  }

  /** @param scope of a token that sees only what it covers; all sessions without one */
  page(request: PageRequest, scope?: TokenScope): Promise<Page<SessionEntity>> {
    const query = this.unitOfWork.manager.createQueryBuilder(SessionEntity, 'session');
    if (scope !== undefined) {
      const { sql, parameters } = coverageSql(scope, 'session');
      query.andWhere(sql, parameters);
    }
    return keysetPage(query, request);
  }

  /** By session id. */
  async relations(ids: readonly string[]): Promise<ReadonlyMap<string, SessionRelations>> {
    const rows = await this.unitOfWork.rows<{
      id: string;
      app_label: string | null;
      proxy: string | null;
      alive: boolean;
    }>(
      `SELECT s.id, a.label AS app_label, p.type || ' ' || p.host || ':' || p.port AS proxy,
              coalesce(${OWNER_ALIVE}, false) AS alive
         FROM sessions s JOIN apps a ON a.id = s.app_id LEFT JOIN proxies p ON p.id = s.proxy_id
         LEFT JOIN workers w ON w.id = s.worker_id
        WHERE s.id = ANY($1::uuid[])`,
      [ids],
    );
    return new Map(rows.map((row) => [row.id, { appLabel: row.app_label, proxy: row.proxy, isOwnerAlive: row.alive }]));
  }

  async route(id: string): Promise<SessionRoute | undefined> {
    const [row] = await this.unitOfWork.rows<RouteRow>(`${SELECT_ROUTE} WHERE s.id = $1`, [id]);
    return row && toRoute(row);
  }

  async routes(): Promise<readonly SessionRoute[]> {
    return (await this.unitOfWork.rows<RouteRow>(SELECT_ROUTE)).map(toRoute);
  }

  /** The session that stands in the way of a second one of this bot. */
  sessionOfBot(botId: string): Promise<string | undefined> {
    return this.firstId(`bot_id = $1 AND NOT allow_duplicate`, [botId]);
  }

  /** The login in progress for a number. */
  pendingLoginOf(phone: string): Promise<string | undefined> {
    return this.firstId(`kind = 'user' AND phone = $1 AND status = ANY($2)`, [phone, PENDING_STATUSES]);
  }

  /** Another session of the same number that is logged in. */
  authorizedSessionOf(phone: string): Promise<string | undefined> {
    return this.firstId(`kind = 'user' AND phone = $1 AND status = 'authorized'`, [phone]);
  }

  async anyHasProxy(): Promise<boolean> {
    return (await this.firstId('proxy_id IS NOT NULL', [])) !== undefined;
  }

  /** @returns false when the lease is no longer ours: nothing was written */
  async report({ sessionId, workerId, epoch }: Lease, report: SessionReport): Promise<boolean> {
    const rows = await this.unitOfWork.rows<{ id: string }>(
      `UPDATE sessions SET status = $4, since = $5, last_error = $6, health = $7, health_cause = $8,
              username = coalesce($9, username), phone = coalesce($10, phone), is_premium = coalesce($11, is_premium),
              frozen = $12, frozen_since = $13, deletion_date = $14, appeal_link = $15,
              worker_id = CASE WHEN $16 THEN NULL ELSE worker_id END, updated_at = now(),
              health_since = $17, login_again_at = $18, account_id = coalesce($19, account_id), spam_limited_until = $20,
              former_status = CASE WHEN $4 = ANY($21) THEN former_status END,
              former_since = CASE WHEN $4 = ANY($21) THEN former_since END
        WHERE id = $1 AND worker_id = $2 AND epoch = $3 RETURNING id`,
      [
        sessionId,
        workerId,
        epoch,
        report.status,
        report.since,
        report.lastError ?? null,
        report.health,
        report.healthCause ?? null,
        report.username ?? null,
        report.phone ?? null,
        report.isPremium ?? null,
        report.frozen,
        report.frozenSince ?? null,
        report.deletionDate ?? null,
        report.appealLink ?? null,
        report.release,
        report.healthSince,
        report.loginAgainAt ?? null,
        report.accountId ?? null,
        report.spamLimitedUntil ?? null,
        PENDING_STATUSES,
      ],
    );
    return rows.length > 0;
  }

  /** The sessions that a worker of this id held or holds. */
  async ownedBy(workerId: string): Promise<readonly string[]> {
    const rows = await this.unitOfWork.rows<{ id: string }>(
      `SELECT id FROM sessions s WHERE worker_id = $1 AND ${OPENS_BY_ITSELF}`,
      [workerId],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Takes sessions to open, and expired bots to log in again: those whose worker is gone, and of this worker's own the ones that are named. Own ones are never
   * found by what they are not: a session that is being created while this runs would be in no list yet.
   * @param limit how many altogether
   * @param logins how many of them may be bots that log in again
   * @param except those that it is not to take now
   * @param expired whether leases that ran out count; not right after the database was away, for nobody could renew one then
   */
  async claim(
    workerId: string,
    { limit, logins }: { readonly limit: number; readonly logins: number },
    own: readonly string[],
    except: readonly string[],
    expired: boolean,
  ): Promise<readonly Claimed[]> {
    const claimed = await this.unitOfWork.rows<{ id: string; former_owner: string | null }>(
      `UPDATE sessions SET worker_id = $1, epoch = epoch + 1, updated_at = now(), moving_to = NULL, moving_until = NULL,
              former_status = CASE status WHEN 'expired' THEN status END,
              former_since = CASE status WHEN 'expired' THEN since END,
              login_again_at = NULL, since = CASE status WHEN 'expired' THEN now() ELSE since END,
              health = CASE status WHEN 'expired' THEN 'ok' ELSE health END,
              health_cause = CASE status WHEN 'expired' THEN NULL ELSE health_cause END,
              health_since = CASE status WHEN 'expired' THEN now() ELSE health_since END,
              status = CASE status WHEN 'expired' THEN 'connecting' ELSE status END
         FROM (
          SELECT * FROM (${free("s.status = 'authorized'", '$2')}) AS opened
          UNION ALL SELECT * FROM (${free(LOGS_IN_AGAIN, '$6')}) AS logging_in
          LIMIT $2) AS free
        WHERE id = free_id
      RETURNING id, former_owner`,
      [workerId, limit, own, expired, except, logins],
    );
    if (claimed.length === 0) return [];
    const formerOwners = new Map(claimed.map(({ id, former_owner }) => [id, former_owner ?? undefined]));
    const rows = await this.unitOfWork.manager
      .createQueryBuilder(SessionEntity, 'session')
      .where('session.id = ANY(:ids)', { ids: [...formerOwners.keys()] })
      .getMany();
    return rows.map((row) => ({ row, formerOwner: formerOwners.get(row.id) }));
  }

  /**
   * Keeps a session, once it is given free, for the worker that it moves to.
   * @param withinMs after which anybody may have it
   * @returns false when the lease is no longer ours
   */
  async beginMove({ sessionId, workerId, epoch }: Lease, to: string, withinMs: number): Promise<boolean> {
    const rows = await this.unitOfWork.rows<{ id: string }>(
      `UPDATE sessions SET moving_to = $4, moving_until = clock_timestamp() + $5 * interval '1 ms', updated_at = now()
        WHERE id = $1 AND worker_id = $2 AND epoch = $3 RETURNING id`,
      [sessionId, workerId, epoch, to, withinMs],
    );
    return rows.length > 0;
  }

  /** Takes one session whatever its status, unless a live worker has it. @returns undefined when one has */
  async takeOver(id: string, workerId: string): Promise<SessionEntity | undefined> {
    const taken = await this.unitOfWork.rows<{ id: string }>(
      `UPDATE sessions SET worker_id = $2, epoch = epoch + 1, updated_at = now(), moving_to = NULL, moving_until = NULL
        WHERE id = $1 AND (worker_id IS NULL OR worker_id = $2
          OR NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = worker_id AND ${OWNER_ALIVE}))
      RETURNING id`,
      [id, workerId],
    );
    return taken.length === 0 ? undefined : ((await this.find(id)) ?? undefined);
  }

  /**
   * Begins a login of a session that is not logged in: it is this worker's then, and what it was is kept until the login has
   * succeeded. The database refuses it (sessions_pending_phone_key) while another login of its number is in progress.
   * @param from the statuses that allow it
   * @returns undefined when its status is another, or a live worker has it
   */
  async beginLogin(id: string, workerId: string, from: readonly SessionStatus[]): Promise<SessionEntity | undefined> {
    const begun = await this.unitOfWork.rows<{ id: string }>(
      `UPDATE sessions SET ${BEGIN_LOGIN}, worker_id = $2, epoch = epoch + 1, updated_at = now()
        WHERE id = $1 AND status = ANY($3) AND (worker_id IS NULL OR worker_id = $2
          OR NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = worker_id AND ${OWNER_ALIVE}))
      RETURNING id`,
      [id, workerId, from],
    );
    return begun.length === 0 ? undefined : ((await this.find(id)) ?? undefined);
  }

  /** A login that {@link beginLogin} began has failed before a client could tell of it. */
  async endLogin({ sessionId, workerId, epoch }: Lease, cause: string): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE sessions SET status = former_status, since = former_since, former_status = NULL, former_since = NULL,
              last_error = $4, worker_id = NULL, updated_at = now(),
              login_again_at = CASE WHEN kind = 'bot' AND former_status = 'expired' THEN now() + interval '1 minute' END
        WHERE id = $1 AND worker_id = $2 AND epoch = $3 AND former_status IS NOT NULL`,
      [sessionId, workerId, epoch, cause],
    );
  }

  /**
   * A bot whose database is lost: its token is all it needs, so that it logs in anew.
   * @param againAfterMs when it does so by itself, unless somebody asks for it before
   */
  async expireBot({ sessionId, workerId, epoch }: Lease, againAfterMs = 0): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE sessions SET status = 'expired', since = now(), worker_id = NULL, updated_at = now(),
              last_error = 'its folder is lost; the bot logs in again with its token',
              login_again_at = now() + $4 * interval '1 ms'
        WHERE id = $1 AND worker_id = $2 AND epoch = $3 AND kind = 'bot' AND status IN ('authorized', 'stopped')`,
      [sessionId, workerId, epoch, againAfterMs],
    );
  }

  /** A session of this worker did not open; `cause` says why, in words. */
  async reportUnopened({ sessionId, workerId, epoch }: Lease, cause: string): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE sessions SET ${healthDown('$4')}, updated_at = now()
        WHERE id = $1 AND worker_id = $2 AND epoch = $3`,
      [sessionId, workerId, epoch, cause],
    );
  }

  /** As {@link reportUnopened}, and gives it back: another worker may be able to open it. */
  async releaseUnopened({ sessionId, workerId, epoch }: Lease, cause: string): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE sessions SET worker_id = NULL, ${healthDown('$4')}, updated_at = now()
        WHERE id = $1 AND worker_id = $2 AND epoch = $3`,
      [sessionId, workerId, epoch, cause],
    );
  }

  /**
   * As {@link releaseUnopened}, for sessions that a worker will not even begin to open: these of its own, and all that nobody has and
   * nothing is said of yet.
   * @returns those that were its own
   */
  async releaseUnbegun(workerId: string, own: readonly string[], cause: string): Promise<readonly string[]> {
    const rows = await this.unitOfWork.rows<{ id: string }>(
      `UPDATE sessions SET worker_id = NULL, ${healthDown('$3')}, updated_at = now()
        WHERE status = 'authorized'
          AND ((worker_id = $1 AND id = ANY($2::uuid[])) OR (worker_id IS NULL AND health <> 'down'))
      RETURNING id`,
      [workerId, own, cause],
    );
    const released = new Set(rows.map(({ id }) => id));
    return own.filter((id) => released.has(id));
  }

  /** Gives back what is still ours, so that any worker may claim it at once. */
  async release(leases: readonly Lease[]): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE sessions s SET worker_id = NULL, updated_at = now()
         FROM unnest($1::uuid[], $2::int[]) AS held (id, epoch)
        WHERE s.id = held.id AND s.epoch = held.epoch AND s.worker_id = $3`,
      [leases.map(({ sessionId }) => sessionId), leases.map(({ epoch }) => epoch), leases[0]?.workerId ?? ''],
    );
  }

  /** Of these sessions, those that another claim has taken away from this worker, or that are deleted. */
  async lost(leases: readonly Lease[]): Promise<readonly string[]> {
    const rows = await this.unitOfWork.rows<{ id: string }>(
      `SELECT held.id FROM unnest($1::uuid[], $2::int[]) AS held (id, epoch)
        WHERE NOT EXISTS (SELECT 1 FROM sessions s
               WHERE s.id = held.id AND s.epoch = held.epoch AND s.worker_id = $3)`,
      [leases.map(({ sessionId }) => sessionId), leases.map(({ epoch }) => epoch), leases[0]?.workerId ?? ''],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Logins live in the memory of one process: those whose worker is gone end here.
   * @param predecessors whether those under this worker's own id are meant too; true only before it has made any
   */
  async expireLostLogins(workerId: string, predecessors: boolean): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE sessions s SET ${lostLogin('$4')}
        WHERE s.status = ANY($3)
          AND CASE WHEN s.worker_id = $1 THEN $2
                   ELSE NOT EXISTS (
                     SELECT 1 FROM workers w WHERE w.id = s.worker_id AND NOT ${OWNER_EXPIRED}) END`,
      [workerId, predecessors, PENDING_STATUSES, 'the worker that held this login is gone: log in again'],
    );
  }

  /** The logins that the registry says this worker holds. */
  async loginsOf(workerId: string): Promise<readonly Lease[]> {
    const rows = await this.unitOfWork.rows<{ id: string; epoch: number }>(
      'SELECT id, epoch FROM sessions WHERE worker_id = $1 AND status = ANY($2)',
      [workerId, PENDING_STATUSES],
    );
    return rows.map(({ id, epoch }) => ({ sessionId: id, workerId, epoch }));
  }

  /** Ends a login as {@link expireLostLogins} does: its worker lives and does not know of it. */
  async expireForgottenLogin({ sessionId, workerId, epoch }: Lease): Promise<void> {
    await this.unitOfWork.rows(
      `UPDATE sessions s SET ${lostLogin('$5')}
        WHERE s.id = $1 AND s.worker_id = $2 AND s.epoch = $3 AND s.status = ANY($4)`,
      [sessionId, workerId, epoch, PENDING_STATUSES, 'the database was away when this login began: log in again'],
    );
  }

  /** What lists show of it; the session's client, where one is open, writes it with the rest of its state. */
  async clearSpamLimit(id: string): Promise<void> {
    await this.unitOfWork.manager.update(SessionEntity, { id }, { spamLimitedUntil: null });
  }

  /** @returns false when there is no such session */
  async patch(
    id: string,
    change: Partial<Pick<SessionEntity, 'label' | 'proxyId' | 'botTokenSealed'>>,
  ): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.update(SessionEntity, { id }, change);
    return affected === 1;
  }

  /** @returns false when there was none */
  async delete(id: string): Promise<boolean> {
    const { affected } = await this.unitOfWork.manager.delete(SessionEntity, { id });
    return affected === 1;
  }

  private async firstId(where: string, parameters: readonly unknown[]): Promise<string | undefined> {
    const [row] = await this.unitOfWork.rows<{ id: string }>(
      `SELECT id FROM sessions WHERE ${where} ORDER BY created_at LIMIT 1`,
      parameters,
    );
    return row?.id;
  }
}

function toRoute({ id, kind, status, worker_id, addr }: RouteRow): SessionRoute {
  return { id, kind, status, owner: worker_id === null || addr === null ? undefined : { id: worker_id, addr } };
}
