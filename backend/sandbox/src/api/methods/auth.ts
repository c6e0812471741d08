import { RpcError } from '../../rpc.js';
import type { TlObject } from '../../schema/tl-object.js';
import { bytesOf, numberOf, objectOf, optionalObjectOf, optionalStringOf, stringOf } from '../../schema/tl-object.js';
import type { Account } from '../../world/accounts.js';
import { normalizePhone } from '../../world/accounts.js';
import type { CodeRoute, LoginAttempt } from '../../world/codes.js';
import { nextRoute, RESEND_SECONDS } from '../../world/codes.js';
import type { Call, Methods } from '../call.js';
import { announceCode } from '../login-codes.js';
import { acceptLoginToken, authorizationOf, finishLogin, logIn, logOut } from '../login.js';
import { changePassword, checkPassword } from '../passwords.js';
import { endSessions } from '../sessions.js';

/** https://core.telegram.org/api/auth */
export const authMethods: Methods = {
  'auth.sendCode': (call, query) => {
    assertApp(query);
    const phone = stringOf(query, 'phone_number');
    const account = accountFor(call, phone);
    const attempt = call.world.codes.send(account, phone, numberOf(query, 'api_id'), routeFor(call, account));
    announceCode(call.world, attempt);
    return sentCode(call, attempt);
  },
  'auth.resendCode': (call, query) => {
    const attempt = call.world.codes.resend(stringOf(query, 'phone_number'), stringOf(query, 'phone_code_hash'));
    announceCode(call.world, attempt);
    return sentCode(call, attempt);
  },
  'auth.cancelCode': (call, query) => {
    call.world.codes.cancel(stringOf(query, 'phone_code_hash'));
    return true;
  },
  'auth.signIn': (call, query) => {
    const attempt = attemptOf(call, query);
    call.world.codes.check(attempt, codeOf(query));
    const account = call.world.accounts.get(attempt.accountId);
    assertNotBanned(account);
    if (!account.registered) {
      attempt.confirmed = true;
      return { _: 'auth.authorizationSignUpRequired' };
    }
    call.world.codes.cancel(attempt.hash);
    return logIn(call, account, attempt.apiId);
  },
  'auth.signUp': (call, query) => {
    const attempt = attemptOf(call, query);
    if (!attempt.confirmed) throw new RpcError(400, 'PHONE_CODE_INVALID');
    const firstName = stringOf(query, 'first_name').trim();
    if (firstName === '') throw new RpcError(400, 'FIRSTNAME_INVALID');
    const account = call.world.accounts.get(attempt.accountId);
    account.registered = true;
    account.firstName = firstName;
    account.lastName = stringOf(query, 'last_name').trim();
    call.world.codes.cancel(attempt.hash);
    return finishLogin(call, account, attempt.apiId);
  },
  'auth.checkPassword': (call, query) => {
    const account = pendingAccount(call);
    checkPassword(call, account, objectOf(query, 'password'));
    return finishLogin(call, account, call.context.client.apiId);
  },
  'auth.requestPasswordRecovery': (call) => {
    const account = pendingAccount(call);
    if (!account.password) throw new RpcError(400, 'PASSWORD_EMPTY');
    if (account.recoveryEmail === undefined) throw new RpcError(400, 'PASSWORD_RECOVERY_NA');
    call.world.codes.sendRecovery(account);
    return { _: 'auth.passwordRecovery', email_pattern: emailPattern(account.recoveryEmail) };
  },
  'auth.checkRecoveryPassword': (call, query) => {
    call.world.codes.checkRecovery(pendingAccount(call).id, stringOf(query, 'code'));
    return true;
  },
  'auth.recoverPassword': (call, query) => {
    const account = pendingAccount(call);
    call.world.codes.checkRecovery(account.id, stringOf(query, 'code'));
    account.password = undefined;
    const settings = optionalObjectOf(query, 'new_settings');
    if (settings) changePassword(account, settings);
    return finishLogin(call, account, call.context.client.apiId);
  },
  'auth.importBotAuthorization': (call, query) => {
    assertApp(query);
    const bot = call.world.accounts.findByToken(stringOf(query, 'bot_auth_token'));
    if (!bot) throw new RpcError(400, 'ACCESS_TOKEN_INVALID');
    if (bot.banned) throw new RpcError(400, 'ACCESS_TOKEN_EXPIRED');
    return finishLogin(call, bot, numberOf(query, 'api_id'));
  },
  'auth.logOut': (call) => {
    logOut(call);
    return { _: 'auth.loggedOut' };
  },
  // Asked right after a login, and without one: refusing it makes TDLib repeat it in a loop.
  'auth.dropTempAuthKeys': () => true,
  'auth.resetAuthorizations': (call) => {
    endSessions(call.world, call.transport, call.account.id, 'SESSION_REVOKED', call.context.key.id);
    return true;
  },
  'auth.exportLoginToken': (call, query) => {
    assertApp(query);
    const accountId = call.world.loginTokens.takeAccepted(call.context.key.id);
    const apiId = numberOf(query, 'api_id');
    if (accountId !== undefined) {
      const authorization = logIn(call, call.world.accounts.get(accountId), apiId);
      return { _: 'auth.loginTokenSuccess', authorization };
    }
    const { token, expires } = call.world.loginTokens.issue(call.context.key.id, apiId);
    return { _: 'auth.loginToken', expires, token };
  },
  'auth.acceptLoginToken': (call, query) => {
    const token = bytesOf(query, 'token').toString('base64url');
    const accepted = acceptLoginToken(call.world, call.transport, token, call.account.id);
    return authorizationOf(call, accepted);
  },
};

/** https://core.telegram.org/api/obtaining_api_id */
function assertApp(query: TlObject): void {
  if (numberOf(query, 'api_id') <= 0 || stringOf(query, 'api_hash') === '') throw new RpcError(400, 'API_ID_INVALID');
}

/** Any well-formed number gets a code, as with Telegram; one that nobody has can sign up with it. */
function accountFor({ world }: Call, phone: string): Account {
  const digits = normalizePhone(phone);
  if (!/^\d{5,15}$/.test(digits)) throw new RpcError(400, 'PHONE_NUMBER_INVALID');
  const account = world.accounts.findByPhone(digits) ?? world.accounts.createUser(digits, { registered: false });
  if (account.banned) throw new RpcError(400, 'PHONE_NUMBER_BANNED');
  return account;
}

function assertNotBanned(account: Account): void {
  if (account.banned) throw new RpcError(400, 'PHONE_NUMBER_BANNED');
}

/** Codes go to the login address if there is one, else to the app where somebody is logged in, else by SMS. */
function routeFor({ transport }: Call, account: Account): CodeRoute {
  if (account.email !== undefined) return account.email === '' ? 'email-setup' : 'email';
  return transport.keysOf(account.id).length > 0 ? 'app' : 'sms';
}

/** `auth.sentCode` for the attempt's current route. */
export function sentCode({ world }: Call, attempt: LoginAttempt): TlObject {
  const next = nextRoute(attempt.route);
  const email = world.accounts.get(attempt.accountId).email ?? '';
  return {
    _: 'auth.sentCode',
    type: sentCodeType(attempt, email),
    phone_code_hash: attempt.hash,
    ...(next && {
      next_type: { _: next === 'sms' ? 'auth.codeTypeSms' : 'auth.codeTypeCall' },
      timeout: RESEND_SECONDS,
    }),
  };
}

function sentCodeType({ route, code }: LoginAttempt, email: string): TlObject {
  const { length } = code;
  switch (route) {
    case 'app':
      return { _: 'auth.sentCodeTypeApp', length };
    case 'sms':
      return { _: 'auth.sentCodeTypeSms', length };
    case 'call':
      return { _: 'auth.sentCodeTypeCall', length };
    case 'email':
      return { _: 'auth.sentCodeTypeEmailCode', email_pattern: emailPattern(email), length };
    case 'email-setup':
      return { _: 'auth.sentCodeTypeSetUpEmailRequired' };
  }
}

/** `alice@example.org` becomes `a***e@example.org`. */
export function emailPattern(email: string): string {
  const [name = '', domain = ''] = email.split('@');
  return `${name.charAt(0)}***${name.charAt(name.length - 1)}@${domain}`;
}

function attemptOf({ world }: Call, query: TlObject): LoginAttempt {
  return world.codes.attempt(stringOf(query, 'phone_number'), stringOf(query, 'phone_code_hash'));
}

/** The code comes as such, or in `email_verification` when it was sent by e-mail. */
function codeOf(query: TlObject): string {
  const verification = optionalObjectOf(query, 'email_verification');
  return verification ? stringOf(verification, 'code') : (optionalStringOf(query, 'phone_code') ?? '');
}

function pendingAccount({ world, context }: Call): Account {
  const id = context.key.pendingUserId ?? context.key.ownerId;
  if (id === undefined) throw new RpcError(401, 'AUTH_KEY_UNREGISTERED');
  return world.accounts.get(id);
}
