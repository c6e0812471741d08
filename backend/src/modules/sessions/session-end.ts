import { TdlibError } from '../../common/errors/index.js';
import { describeFailure } from './login-plan.js';
import type { SessionStatus } from './session.entity.js';

/** What a session is whose account is no longer logged in. */
export interface SessionEnd {
  readonly status: Extract<SessionStatus, 'banned' | 'expired' | 'logged_out'>;
  /** In words, with Telegram's own. */
  readonly cause: string;
  /** In how many milliseconds it logs in again by itself; absent when it does not. */
  readonly againAfterMs?: number;
}

interface Loss {
  readonly status: 'banned' | 'logged_out';
  readonly cause: string;
  /** Whether the account itself is there and may log in again. */
  readonly mayLogIn: boolean;
}

/** A bot that loses what it has just logged in for by itself is left to its operator: else it would go on for ever. */
const AUTOMATIC_LOGIN_LASTS_MS = 600_000;
/** When a bot tries again whose login Telegram refused for a reason that may pass. */
export const LOGIN_AGAIN_MS = 60_000;

const TOKEN_REFUSED = /^ACCESS_TOKEN_/;

/** Telegram does not end the authorization by a 401 then: it answers every request of both copies with this. */
export const KEY_DUPLICATED = 'AUTH_KEY_DUPLICATED';

const LOSS = /^(?:AUTH_KEY_|SESSION_(?!PASSWORD_NEEDED)|USER_DEACTIVATED)/;

/**
 * What becomes of a session whose authorization Telegram has ended. A user has to log in again; a bot has its token.
 * @param reason the text of Telegram's 401 or 406; undefined when TDLib did not tell
 * @param automatic for a bot that had logged in by itself: how long ago that was, in milliseconds
 */
export function endOf(kind: 'bot' | 'user', reason: string | undefined, automatic?: number): SessionEnd {
  const { status, cause, mayLogIn } = lossOf(reason);
  if (kind === 'user' || !mayLogIn) {
    return { status, cause };
  }
  if (automatic !== undefined && automatic < AUTOMATIC_LOGIN_LASTS_MS) {
    return { status, cause: `${cause}, right after the bot had logged in by itself` };
  }
  return { status: 'expired', cause: `${cause}; the bot logs in again with its token`, againAfterMs: 0 };
}

/** What becomes of a bot that wanted to log in by itself: what may pass is tried again, what may not is told and left alone. */
export function endOfRefusedBot(refusal: Error): SessionEnd {
  const { message } = refusal;
  if (TOKEN_REFUSED.test(message)) {
    return { status: 'logged_out', cause: `Telegram refuses the stored token (${message}): log in with a new one` };
  }
  if (refusal instanceof TdlibError && isLoss(refusal) && !lossOf(message).mayLogIn) {
    const { status, cause } = lossOf(message);
    return { status, cause };
  }
  const seconds = refusal instanceof TdlibError ? (refusal.retryAfterSeconds ?? 0) : 0;
  return {
    status: 'expired',
    cause: describeFailure(refusal),
    againAfterMs: Math.max(LOGIN_AGAIN_MS, seconds * 1_000),
  };
}

/** https://core.telegram.org/api/errors#401-unauthorized */
function lossOf(reason: string | undefined): Loss {
  switch (reason) {
    case 'USER_DEACTIVATED_BAN':
      return { status: 'banned', cause: `Telegram has banned the account (${reason})`, mayLogIn: false };
    case 'USER_DEACTIVATED':
      return { status: 'logged_out', cause: `the account was deleted (${reason})`, mayLogIn: false };
    case 'SESSION_REVOKED':
      return loggedOut(`the session was ended from another device or by Telegram (${reason})`);
    case KEY_DUPLICATED:
      return loggedOut(`another copy of this session uses its key at the same time, so Telegram ended it (${reason})`);
    case undefined:
      return loggedOut('Telegram has ended the authorization');
    default:
      return loggedOut(`Telegram has ended the authorization (${reason})`);
  }
}

/** Whether a refused call tells that the authorization is over. */
export function isLoss({ tdCode, message }: TdlibError): boolean {
  return (tdCode === 401 && LOSS.test(message)) || (tdCode === 406 && message === KEY_DUPLICATED);
}

function loggedOut(cause: string): Loss {
  return { status: 'logged_out', cause, mayLogIn: true };
}
