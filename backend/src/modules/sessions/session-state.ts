import { numberMember, objectMember, stringMember, type TdObject } from '../../telegram/index.js';
import type { Held } from './held-session.js';
import type { LiveSession } from './live-session.js';
import type { LiveState } from './session.dto.js';
import { type Health, healthAtRest } from './session-health.js';
import type { SessionEntity } from './session.entity.js';
import type { SessionReport } from './sessions.repository.js';

/** The state of a session that no client is open for. */
export function stateOfRow(row: SessionEntity): LiveState {
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    since: row.since.toISOString(),
    ...shownHealth(healthOfRow(row)),
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
export function stateOf({ session, limits }: Held): LiveState {
  const { lastError, awaitedCode, passwordStep, qr, me, facts } = session;
  const { isPremium, freeze } = facts;
  return {
    id: session.id,
    kind: session.kind,
    status: session.status,
    since: session.since.toISOString(),
    ...shownHealth(healthOf(session)),
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
      spamLimitedUntil: limits.spamLimitedUntil,
    }),
  };
}

type DatedHealth = Health & { readonly since: Date };

function healthOf({ status, since, lastError, monitor }: LiveSession): DatedHealth {
  // What it was down for when it ended says more than that it has ended; an operator's stop has nothing to do with it.
  const wasDown = status !== 'stopped' && monitor.health.level === 'down';
  const atRest = wasDown ? undefined : healthAtRest(status, lastError);
  return atRest === undefined ? { ...monitor.health, since: monitor.since } : { ...atRest, since };
}

/** What the row is down for comes first: also a stopped session may be known not to start. */
function healthOfRow({ status, since, lastError, health, healthCause, healthSince }: SessionEntity): DatedHealth {
  const atRest = health === 'down' ? undefined : healthAtRest(status, lastError ?? undefined);
  return atRest === undefined
    ? { level: health, ...(healthCause !== null && { cause: healthCause }), since: healthSince }
    : { ...atRest, since };
}

function shownHealth({
  level,
  cause,
  since,
}: DatedHealth): Pick<LiveState, 'health' | 'health_since' | 'health_cause'> {
  return { health: level, health_since: since.toISOString(), ...(cause !== undefined && { health_cause: cause }) };
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
export function reportOf({ session, limits }: Held): Omit<SessionReport, 'release'> {
  const { me, facts } = session;
  const { freeze } = facts;
  const health = healthOf(session);
  return {
    status: session.status,
    since: session.since,
    lastError: session.lastError,
    health: health.level,
    healthCause: health.cause,
    healthSince: health.since,
    loginAgainAt: session.loginAgainAt,
    accountId: session.kind === 'user' && me !== undefined ? String(numberMember(me, 'id')) : undefined,
    username: usernameOf(me),
    phone: session.kind === 'user' && me !== undefined ? stringMember(me, 'phone_number') || undefined : undefined,
    isPremium: facts.isPremium,
    frozen: freeze.frozen,
    frozenSince: freeze.since,
    deletionDate: freeze.deletionDate,
    appealLink: freeze.appealLink,
    spamLimitedUntil: limits.spamLimitedUntil,
  };
}

/** The same of a row that was changed without a client. */
export function reportOfRow(row: SessionEntity): Omit<SessionReport, 'release'> {
  const health = healthOfRow(row);
  return {
    status: row.status,
    since: row.since,
    lastError: row.lastError ?? undefined,
    health: health.level,
    healthCause: health.cause,
    healthSince: health.since,
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
