import type { TdlibError } from '../../common/errors/index.js';
import type { SessionStatus } from './session.entity.js';

/** What an account that is no longer logged in is shown as. */
export interface SessionEnd {
  readonly status: Extract<SessionStatus, 'banned' | 'logged_out'>;
  /** In words, with Telegram's own. */
  readonly cause: string;
  /** Whether the account itself is there and may log in again. */
  readonly mayLogIn: boolean;
}

/** Telegram does not end the authorization by a 401 then: it answers every request of both copies with this. */
export const KEY_DUPLICATED = 'AUTH_KEY_DUPLICATED';

const LOSS = /^(?:AUTH_KEY_|SESSION_(?!PASSWORD_NEEDED)|USER_DEACTIVATED)/;

/**
 * What an authorization ended with, from the text of Telegram's 401 or 406 (https://core.telegram.org/api/errors).
 * @param reason undefined when TDLib did not tell
 */
export function endOf(reason: string | undefined): SessionEnd {
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

function loggedOut(cause: string): SessionEnd {
  return { status: 'logged_out', cause, mayLogIn: true };
}
