import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/db/unit-of-work.js';
import { type Page, pageOf, type PageRequest } from '../../common/http/index.js';
import type { Cooldown } from './cooldowns.js';
import type { LimitRule, LimitTarget } from './limit-rule.js';
import type { LimitPeriod, LimitWindow } from './limit-window.js';
import type { Charge, ChargePart } from './quota-charger.js';

/** A cooldown with the time that is left of it on the database's clock, in milliseconds. */
export interface StoredCooldown {
  readonly cooldown: Cooldown;
  readonly leftMs: number;
}

/** A cooldown that was ended early. */
export interface Lift {
  readonly scope: string;
  readonly at: Date;
  /** What the master said about it. */
  readonly reason: string | undefined;
}

/** How many counts one statement removes at most. */
export const COUNTERS_SWEPT_AT_ONCE = 5_000;

/** How often a rule was used in a session in one window. */
export interface UsedOf {
  readonly sessionId: string;
  readonly ruleId: string;
  readonly window: LimitWindow;
  readonly used: number;
}

/** What only one rule may have. */
export type LimitPlace = LimitTarget & Pick<LimitRule, 'per' | 'methods'>;

/** What may change of a rule. */
export type LimitRuleChange = Partial<
  Pick<LimitRule, 'methods' | 'max' | 'per' | 'timezone' | 'enabled'> & { readonly label: string | null }
>;

interface CooldownRow {
  readonly session_id: string;
  readonly scope: string;
  readonly started_at: Date;
  readonly until: Date;
  readonly reason: string;
  readonly left_ms: number;
}

interface RuleRow {
  readonly id: string;
  readonly kind: 'bot' | 'user' | null;
  readonly session_id: string | null;
  readonly token_id: string | null;
  readonly methods: readonly string[];
  readonly max: string;
  readonly per: LimitPeriod;
  readonly timezone: string;
  readonly label: string | null;
  readonly enabled: boolean;
  readonly created_at: Date;
}

interface CounterRow {
  readonly session_id: string;
  readonly rule_id: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly used: string;
}

const RULE_COLUMNS = `id, kind, session_id, token_id, methods, max, per, timezone, label, enabled, created_at`;
/** The unique index of a rule's target, time and methods. */
export const RULE_PLACE_KEY = 'limit_rules_place_key';

/** The statements on cooldowns, rules and what they have counted. */
@Injectable()
export class LimitsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Those that run, by session id. */
  async cooldowns(sessionIds: readonly string[]): Promise<ReadonlyMap<string, readonly StoredCooldown[]>> {
    const rows = await this.unitOfWork.rows<CooldownRow>(
      `SELECT session_id, scope, started_at, until, reason,
              (extract(epoch FROM ends_at - clock_timestamp()) * 1000)::float8 AS left_ms
         FROM limit_cooldowns WHERE session_id = ANY($1::uuid[]) AND ends_at > clock_timestamp() ORDER BY scope`,
      [sessionIds],
    );
    const found = new Map<string, StoredCooldown[]>();
    for (const { session_id, scope, started_at, until, reason, left_ms } of rows) {
      const stored = { cooldown: { scope, startedAt: started_at, until, reason }, leftMs: left_ms };
      found.set(session_id, [...(found.get(session_id) ?? []), stored]);
    }
    return found;
  }

  /**
   * Notes a cooldown, unless a longer one is known. Its dates are those that were told; how long it lasts goes by the database's clock.
   * @param leftMs what is left of it
   */
  async saveCooldown(sessionId: string, { scope, startedAt, until, reason }: Cooldown, leftMs: number): Promise<void> {
    await this.unitOfWork.rows(
      `INSERT INTO limit_cooldowns (session_id, scope, started_at, until, ends_at, reason)
       SELECT $1::uuid, $2, $3::timestamptz, $4::timestamptz, clock_timestamp() + $5 * interval '1 ms', $6
        WHERE EXISTS (SELECT 1 FROM sessions WHERE id = $1::uuid FOR KEY SHARE)
       ON CONFLICT (session_id, scope) DO UPDATE
          SET started_at = excluded.started_at, until = excluded.until, ends_at = excluded.ends_at,
              reason = excluded.reason
        WHERE limit_cooldowns.ends_at < excluded.ends_at`,
      [sessionId, scope, startedAt, until, leftMs, reason],
    );
  }

  /** @returns whether it ran */
  async removeCooldown(sessionId: string, scope: string): Promise<boolean> {
    const rows = await this.unitOfWork.rows<{ runs: boolean }>(
      `DELETE FROM limit_cooldowns WHERE session_id = $1 AND scope = $2 RETURNING ends_at > clock_timestamp() AS runs`,
      [sessionId, scope],
    );
    return rows[0]?.runs === true;
  }

  /** Notes that a cooldown was ended early. Nothing for a session that is gone. */
  async noteLift(sessionId: string, scope: string, reason: string | undefined): Promise<void> {
    await this.unitOfWork.rows(
      `INSERT INTO limit_lifts (session_id, scope, reason)
       SELECT $1::uuid, $2, $3 WHERE EXISTS (SELECT 1 FROM sessions WHERE id = $1::uuid FOR KEY SHARE)
       ON CONFLICT (session_id, scope) DO UPDATE SET lifted_at = now(), reason = excluded.reason`,
      [sessionId, scope, reason ?? null],
    );
  }

  /** The last lift of each scope, newest first. */
  async lifts(sessionId: string): Promise<readonly Lift[]> {
    const rows = await this.unitOfWork.rows<{ scope: string; lifted_at: Date; reason: string | null }>(
      'SELECT scope, lifted_at, reason FROM limit_lifts WHERE session_id = $1 ORDER BY lifted_at DESC, scope LIMIT 100',
      [sessionId],
    );
    return rows.map(({ scope, lifted_at: at, reason }) => ({ scope, at, reason: reason ?? undefined }));
  }

  /** All rules, oldest first. */
  async rules(): Promise<readonly LimitRule[]> {
    const rows = await this.unitOfWork.rows<RuleRow>(`SELECT ${RULE_COLUMNS} FROM limit_rules ORDER BY created_at, id`);
    return rows.map(toRule);
  }

  async rulesPage({ limit, after }: PageRequest): Promise<Page<LimitRule>> {
    const rows = await this.unitOfWork.rows<RuleRow>(
      `SELECT ${RULE_COLUMNS} FROM limit_rules
        WHERE $1::timestamptz IS NULL OR (created_at, id) > ($1::timestamptz, $2::uuid)
        ORDER BY created_at, id LIMIT $3`,
      [after?.createdAt ?? null, after?.id ?? null, limit === undefined ? null : limit + 1],
    );
    return pageOf(rows.map(toRule), limit);
  }

  async rule(id: string): Promise<LimitRule | undefined> {
    const [row] = await this.unitOfWork.rows<RuleRow>(`SELECT ${RULE_COLUMNS} FROM limit_rules WHERE id = $1`, [id]);
    return row && toRule(row);
  }

  /** The rule that has this place already. */
  async ruleAt({ kind, sessionId, tokenId, per, methods }: LimitPlace): Promise<string | undefined> {
    const [row] = await this.unitOfWork.rows<{ id: string }>(
      `SELECT id FROM limit_rules
        WHERE coalesce(kind, session_id::text, token_id::text) = $1 AND per = $2 AND methods = $3::text[]`,
      [kind ?? sessionId ?? tokenId ?? '', per, methods],
    );
    return row?.id;
  }

  /** The database refuses a second rule of one place ({@link RULE_PLACE_KEY}). */
  async insertRule(rule: Omit<LimitRule, 'createdAt'>): Promise<void> {
    await this.unitOfWork.rows(
      `INSERT INTO limit_rules (id, kind, session_id, token_id, methods, max, per, timezone, label, enabled)
       VALUES ($1, $2, $3, $4, $5::text[], $6, $7, $8, $9, $10)`,
      [
        rule.id,
        rule.kind ?? null,
        rule.sessionId ?? null,
        rule.tokenId ?? null,
        rule.methods,
        rule.max,
        rule.per,
        rule.timezone,
        rule.label ?? null,
        rule.enabled,
      ],
    );
  }

  /** @returns false when there is none */
  async changeRule(id: string, { label, ...change }: LimitRuleChange): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `UPDATE limit_rules SET methods = coalesce($2::text[], methods), max = coalesce($3, max), per = coalesce($4, per),
              timezone = coalesce($5, timezone), enabled = coalesce($6, enabled),
              label = CASE WHEN $7 THEN $8 ELSE label END, updated_at = now()
        WHERE id = $1 RETURNING id`,
      [
        id,
        change.methods ?? null,
        change.max ?? null,
        change.per ?? null,
        change.timezone ?? null,
        change.enabled ?? null,
        label !== undefined,
        label ?? null,
      ],
    );
    return rows.length > 0;
  }

  /** @returns false when there was none */
  async removeRule(id: string): Promise<boolean> {
    const rows = await this.unitOfWork.rows(
      `WITH counted AS (DELETE FROM limit_counters WHERE rule_id = $1)
       DELETE FROM limit_rules WHERE id = $1 RETURNING id`,
      [id],
    );
    return rows.length > 0;
  }

  /** Whether the session or token of a target exists; they go on existing until the transaction ends. */
  async targetExists({ sessionId, tokenId }: LimitTarget): Promise<boolean> {
    if (sessionId === undefined && tokenId === undefined) return true;
    const rows = await this.unitOfWork.rows(
      `SELECT 1 FROM ${sessionId === undefined ? 'api_tokens' : 'sessions'} WHERE id = $1 FOR KEY SHARE`,
      [sessionId ?? tokenId],
    );
    return rows.length > 0;
  }

  /** The tokens that may use a session. */
  async tokensOf(sessionId: string): Promise<ReadonlySet<string>> {
    const rows = await this.unitOfWork.rows<{ id: string }>(
      `SELECT t.id FROM api_tokens t JOIN sessions s ON s.id = $1
        WHERE t.all_sessions
           OR EXISTS (SELECT 1 FROM api_token_sessions o WHERE o.token_id = t.id AND o.session_id = s.id)
           OR EXISTS (SELECT 1 FROM api_token_apps a WHERE a.token_id = t.id AND a.app_id = s.app_id)`,
      [sessionId],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** What was counted in windows that may not be over yet. */
  async used(sessionIds: readonly string[], ruleIds: readonly string[]): Promise<readonly UsedOf[]> {
    if (sessionIds.length === 0 || ruleIds.length === 0) return [];
    const rows = await this.unitOfWork.rows<CounterRow>(
      `SELECT session_id, rule_id, starts_at, ends_at, used FROM limit_counters
        WHERE session_id = ANY($1::uuid[]) AND rule_id = ANY($2::uuid[]) AND ends_at > now() - interval '1 minute'`,
      [sessionIds, ruleIds],
    );
    return rows.map(toUsed);
  }

  /** The same of these rules, for each only the session with the highest count in a window. */
  async mostUsed(ruleIds: readonly string[]): Promise<readonly UsedOf[]> {
    const rows = await this.unitOfWork.rows<CounterRow>(
      `SELECT DISTINCT ON (rule_id, starts_at, ends_at) session_id, rule_id, starts_at, ends_at, used
         FROM limit_counters WHERE rule_id = ANY($1::uuid[]) AND ends_at > now() - interval '1 minute'
        ORDER BY rule_id, starts_at, ends_at, used DESC`,
      [ruleIds],
    );
    return rows.map(toUsed);
  }

  /**
   * Counts the calls of a session one after the other, each wholly or not at all.
   * @returns for each the part that had no room, or undefined
   */
  async charge(sessionId: string, charges: readonly Charge[]): Promise<readonly (ChargePart | undefined)[]> {
    const parts = charges.flatMap((charge, call) => charge.map((part) => ({ part, call })));
    const places = new Map<string, number>();
    const windows: ChargePart[] = [];
    const placeOf = (part: ChargePart): number => {
      const key = `${part.ruleId} ${part.window.startsAt} ${part.window.endsAt}`;
      const known = places.get(key);
      if (known !== undefined) return known;
      // Arrays of PostgreSQL begin with 1.
      const place = windows.push(part);
      places.set(key, place);
      return place;
    };
    const partWindows = parts.map(({ part }) => placeOf(part));
    const [row] = await this.unitOfWork.rows<{ refusing: readonly number[] }>(
      `SELECT limit_charge($1::uuid, $2::uuid[], $3::timestamptz[], $4::timestamptz[],
                           $5::integer[], $6::integer[], $7::bigint[], $8::bigint[]) AS refusing`,
      [
        sessionId,
        windows.map(({ ruleId }) => ruleId),
        windows.map(({ window }) => new Date(window.startsAt)),
        windows.map(({ window }) => new Date(window.endsAt)),
        parts.map(({ call }) => call),
        partWindows,
        parts.map(({ part }) => part.weight),
        parts.map(({ part }) => part.max),
      ],
    );
    return (row?.refusing ?? []).map((number) => parts[number - 1]?.part);
  }

  /** Removes some counts of windows that are over. @returns how many */
  async sweepCounters(): Promise<number> {
    const rows = await this.unitOfWork.rows(
      `DELETE FROM limit_counters WHERE (session_id, rule_id, starts_at, ends_at) IN (
         SELECT session_id, rule_id, starts_at, ends_at FROM limit_counters WHERE ends_at < now() - interval '1 hour'
          ORDER BY ends_at LIMIT ${COUNTERS_SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED) RETURNING 1 AS gone`,
    );
    return rows.length;
  }

  /** Removes cooldowns that are over, and lifts that are older: a session has few of either. */
  async sweepCooldowns(liftsOlderThanMs: number): Promise<void> {
    await this.unitOfWork.rows(`DELETE FROM limit_cooldowns WHERE ends_at < now() - interval '1 hour'`);
    await this.unitOfWork.rows(`DELETE FROM limit_lifts WHERE lifted_at < now() - $1 * interval '1 ms'`, [
      liftsOlderThanMs,
    ]);
  }
}

function toRule(row: RuleRow): LimitRule {
  return {
    id: row.id,
    ...(row.kind !== null && { kind: row.kind }),
    ...(row.session_id !== null && { sessionId: row.session_id }),
    ...(row.token_id !== null && { tokenId: row.token_id }),
    methods: row.methods,
    // At most 10^12, which a double holds exactly.
    max: Number(row.max),
    per: row.per,
    timezone: row.timezone,
    ...(row.label !== null && { label: row.label }),
    enabled: row.enabled,
    createdAt: row.created_at,
  };
}

function toUsed({ session_id, rule_id, starts_at, ends_at, used }: CounterRow): UsedOf {
  return {
    sessionId: session_id,
    ruleId: rule_id,
    window: { startsAt: starts_at.getTime(), endsAt: ends_at.getTime() },
    used: Number(used),
  };
}
