import { TdlibError } from '../../common/errors/index.js';
import { endOf, endOfRefusedBot, isLoss } from './session-end.js';

describe('endOf', () => {
  it.each([
    ['USER_DEACTIVATED_BAN', 'banned', 'Telegram has banned the account (USER_DEACTIVATED_BAN)'],
    ['USER_DEACTIVATED', 'logged_out', 'the account was deleted (USER_DEACTIVATED)'],
  ])('says of %s that the account is gone, whoever it is', (reason, status, cause) => {
    expect(endOf('user', reason)).toEqual({ status, cause });
    expect(endOf('bot', reason)).toEqual({ status, cause });
  });

  it('leaves a user who was logged out to people, and a bot to its token', () => {
    const cause = 'the session was ended from another device or by Telegram (SESSION_REVOKED)';
    expect(endOf('user', 'SESSION_REVOKED')).toEqual({ status: 'logged_out', cause });
    expect(endOf('bot', 'SESSION_REVOKED')).toEqual({
      status: 'expired',
      cause: `${cause}; the bot logs in again with its token`,
      againAfterMs: 0,
    });
  });

  it('brings a bot back once in ten minutes', () => {
    expect(endOf('bot', undefined, 599_999)).toMatchObject({ status: 'logged_out' });
    expect(endOf('bot', undefined, 600_000)).toMatchObject({ status: 'expired', againAfterMs: 0 });
  });
});

describe('endOfRefusedBot', () => {
  it.each([
    [new TdlibError(400, 'ACCESS_TOKEN_INVALID'), 'logged_out'],
    [new TdlibError(400, 'ACCESS_TOKEN_EXPIRED'), 'logged_out'],
    [new TdlibError(401, 'USER_DEACTIVATED_BAN'), 'banned'],
    [new TdlibError(401, 'USER_DEACTIVATED'), 'logged_out'],
  ])('does not try again after %s', (refusal, status) => {
    const end = endOfRefusedBot(refusal);
    expect(end.status).toBe(status);
    expect(end.cause).toContain(refusal.message);
    expect(end).not.toHaveProperty('againAfterMs');
  });

  it('tries again after what may pass, as late as Telegram asks', () => {
    expect(endOfRefusedBot(new TdlibError(500, 'INTERNAL'))).toMatchObject({ status: 'expired', againAfterMs: 60_000 });
    expect(endOfRefusedBot(new TdlibError(429, 'Too Many Requests: retry after 3600'))).toMatchObject({
      status: 'expired',
      againAfterMs: 3_600_000,
    });
  });
});

describe('isLoss', () => {
  it.each([
    [401, 'AUTH_KEY_UNREGISTERED', true],
    [401, 'SESSION_REVOKED', true],
    [406, 'AUTH_KEY_DUPLICATED', true],
    [401, 'SESSION_PASSWORD_NEEDED', false],
    [401, 'Unauthorized', false],
    [406, 'FROZEN_METHOD_INVALID', false],
    [400, 'USER_DEACTIVATED', false],
  ])('reads %i %s as %p: for others of the chat may be deactivated too', (code, message, expected) => {
    expect(isLoss(new TdlibError(code, message))).toBe(expected);
  });
});
