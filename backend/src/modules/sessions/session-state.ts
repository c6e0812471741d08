import { objectMember, stringMember, type TdObject } from '../../telegram/index.js';
import type { Held } from './held-session.js';
import type { LiveSession } from './live-session.js';
import type { LiveState } from './session.dto.js';
import type { SessionEntity } from './session.entity.js';
import type { SessionReport } from './sessions.repository.js';

/** The state of a session that no client is open for. */
export function stateOfRow(row: SessionEntity): LiveState {
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    since: row.since.toISOString(),
    health: row.health,
    ...(row.healthCause !== null && { health_cause: row.healthCause }),
    ...(row.lastError !== null && { last_error: row.lastError }),
    ...(row.isPremium !== null && { is_premium: row.isPremium }),
    frozen: row.frozen,
    spam_limited: row.spamLimited,
  };
}

/** The state of a session as its client shows it. */
export function stateOf({ session }: Held): LiveState {
  const { lastError, monitor, awaitedCode, passwordHint, qrLink, me, isPremium } = session;
  const { level, cause } = monitor.health;
  return {
    id: session.id,
    kind: session.kind,
    status: session.status,
    since: session.since.toISOString(),
    health: level,
    ...(cause !== undefined && { health_cause: cause }),
    ...(lastError !== undefined && { last_error: lastError }),
    ...(awaitedCode && { code_info: awaitedCode }),
    ...(passwordHint !== undefined && { password_hint: passwordHint }),
    ...(qrLink !== undefined && { qr: { link: qrLink } }),
    ...(me && { me }),
    ...(isPremium !== undefined && { is_premium: isPremium }),
    frozen: session.freeze.frozen,
    spam_limited: false,
  };
}

/** What of a live session is written to the registry. */
export function reportOf(session: LiveSession): Omit<SessionReport, 'release'> {
  const { me, freeze, monitor } = session;
  return {
    status: session.status,
    since: session.since,
    lastError: session.lastError,
    health: monitor.health.level,
    healthCause: monitor.health.cause,
    username: usernameOf(me),
    phone: session.kind === 'user' && me !== undefined ? stringMember(me, 'phone_number') || undefined : undefined,
    isPremium: session.isPremium,
    frozen: freeze.frozen,
    frozenSince: freeze.since,
    deletionDate: freeze.deletionDate,
    appealLink: freeze.appealLink,
  };
}

/** The same of a row that was changed without a client. */
export function reportOfRow(row: SessionEntity): Omit<SessionReport, 'release'> {
  return {
    status: row.status,
    since: row.since,
    lastError: row.lastError ?? undefined,
    health: row.health,
    healthCause: row.healthCause ?? undefined,
    username: undefined,
    phone: undefined,
    isPremium: undefined,
    frozen: row.frozen,
    frozenSince: row.frozenSince ?? undefined,
    deletionDate: row.deletionDate ?? undefined,
    appealLink: row.appealLink ?? undefined,
  };
}

function usernameOf(me: TdObject | undefined): string | undefined {
  const usernames = me && objectMember(me, 'usernames');
  return usernames && (stringMember(usernames, 'editable_username') || undefined);
}
