import type { TokenScope } from '../../common/http/index.js';

/** What the predicate looks at of a session. */
export interface ScopedSession {
  readonly id: string;
  /** Undefined for a session that does not exist. */
  readonly appId: string | undefined;
}

/**
 * The one rule of what a scope covers: all sessions, the session itself, or the app it belongs to. The grant asks here, lists ask
 * {@link coverageSql}, and a test on random scopes proves that both say the same.
 */
export function covers(scope: TokenScope, { id, appId }: ScopedSession): boolean {
  return scope.allSessions || scope.sessionIds.has(id) || (appId !== undefined && scope.appIds.has(appId));
}

/** {@link covers} as a condition for TypeORM's query builder. */
export interface CoverageSql {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** @param alias of the table `sessions` in the query */
export function coverageSql(scope: TokenScope, alias: string): CoverageSql {
  return {
    sql: `(:scopeAll OR ${alias}.id = ANY(:scopeSessions) OR ${alias}.app_id = ANY(:scopeApps))`,
    parameters: {
      scopeAll: scope.allSessions,
      scopeSessions: [...scope.sessionIds],
      scopeApps: [...scope.appIds],
    },
  };
}
