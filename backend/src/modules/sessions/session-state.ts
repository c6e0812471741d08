import { numberMember, objectMember, stringMember, type TdObject } from '../../telegram/index.js';
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
    health_since: row.healthSince.toISOString(),
    ...(row.healthCause !== null && { health_cause: row.healthCause }),
    ...(row.lastError !== null && { last_error: row.lastError }),
    ...(row.isPremium !== null && { is_premium: row.isPremium }),
    ...limitsOf({
      frozen: row.frozen,
      frozenSince: row.frozenSince ?? undefined,
      deletionDate: row.deletionDate ?? undefined,
      appealLink: row.appealLink ?? undefined,
      spamLimitedUntil: row.spamLimitedUntil ?? undefined,
    }),
  };
}

/** The state of a session as its client shows it. */
export function stateOf({ session }: Held): LiveState {
  const { lastError, monitor, awaitedCode, passwordStep, qr, me, facts } = session;
  const { isPremium, freeze, spamLimitedUntil } = facts;
  const { level, cause } = monitor.health;
  return {
    id: session.id,
    kind: session.kind,
    status: session.status,
    since: session.since.toISOString(),
    health: level,
    health_since: monitor.since.toISOString(),
    ...(cause !== undefined && { health_cause: cause }),
    ...(lastError !== undefined && { last_error: lastError }),
    ...(awaitedCode && { code_info: awaitedCode }),
    ...(passwordStep && {
      password_hint: passwordStep.hint,
      has_recovery_email: passwordStep.hasRecoveryEmail,
      ...(passwordStep.emailPattern !== '' && { email_pattern: passwordStep.emailPattern }),
    }),
    ...(qr && { qr: { link: qr.link, expires_at: qr.expiresAt.toISOString() } }),
    ...(me && { me }),
    ...(isPremium !== undefined && { is_premium: isPremium }),
    ...limitsOf({
      frozen: freeze.frozen,
      frozenSince: freeze.since,
      deletionDate: freeze.deletionDate,
      appealLink: freeze.appealLink,
      spamLimitedUntil,
    }),
  };
}

/** What Telegram keeps an account from. */
type Limits = Pick<SessionReport, 'frozen' | 'frozenSince' | 'deletionDate' | 'appealLink' | 'spamLimitedUntil'>;

function limitsOf({
  frozen,
  frozenSince,
  deletionDate,
  appealLink,
  spamLimitedUntil,
}: Limits): Pick<
  LiveState,
  'frozen' | 'frozen_since' | 'deletion_date' | 'appeal_link' | 'spam_limited' | 'spam_limited_until'
> {
  const isLimited = spamLimitedUntil !== undefined && spamLimitedUntil.getTime() > Date.now();
  return {
    frozen,
    ...(frozen && frozenSince && { frozen_since: frozenSince.toISOString() }),
    ...(frozen && deletionDate && { deletion_date: deletionDate.toISOString() }),
    ...(frozen && appealLink !== undefined && { appeal_link: appealLink }),
    spam_limited: isLimited,
    ...(isLimited && { spam_limited_until: spamLimitedUntil.toISOString() }),
  };
}

/** What of a live session is written to the registry. */
export function reportOf(session: LiveSession): Omit<SessionReport, 'release'> {
  const { me, facts, monitor } = session;
  const { freeze } = facts;
  return {
    status: session.status,
    since: session.since,
    lastError: session.lastError,
    health: monitor.health.level,
    healthCause: monitor.health.cause,
    healthSince: monitor.since,
    loginAgainAt: session.loginAgainAt,
    accountId: session.kind === 'user' && me !== undefined ? String(numberMember(me, 'id')) : undefined,
    username: usernameOf(me),
    phone: session.kind === 'user' && me !== undefined ? stringMember(me, 'phone_number') || undefined : undefined,
    isPremium: facts.isPremium,
    frozen: freeze.frozen,
    frozenSince: freeze.since,
    deletionDate: freeze.deletionDate,
    appealLink: freeze.appealLink,
    spamLimitedUntil: facts.spamLimitedUntil,
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
    healthSince: row.healthSince,
    loginAgainAt: row.loginAgainAt ?? undefined,
    accountId: undefined,
    username: undefined,
    phone: undefined,
    isPremium: undefined,
    frozen: row.frozen,
    frozenSince: row.frozenSince ?? undefined,
    deletionDate: row.deletionDate ?? undefined,
    appealLink: row.appealLink ?? undefined,
    spamLimitedUntil: row.spamLimitedUntil ?? undefined,
  };
}

function usernameOf(me: TdObject | undefined): string | undefined {
  const usernames = me && objectMember(me, 'usernames');
  return usernames && (stringMember(usernames, 'editable_username') || undefined);
}
