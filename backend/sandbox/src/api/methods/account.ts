import { RpcError } from '../../rpc.js';
import type { TlObject } from '../../schema/tl-object.js';
import { bigintOf, objectOf, optionalStringOf, stringOf } from '../../schema/tl-object.js';
import type { Account } from '../../world/accounts.js';
import type { Call, Methods } from '../call.js';
import { announceCode } from '../login-codes.js';
import { renderAuthorization } from '../login.js';
import { changePassword, checkPasswordOf, renderPassword } from '../passwords.js';
import { renderUser } from '../render/users.js';
import { endSession } from '../sessions.js';
import { emailPattern, sentCode } from './auth.js';

/** Days after which an idle login ends; Telegram's default. */
const AUTHORIZATION_TTL_DAYS = 180;

/** https://core.telegram.org/methods#account */
export const accountMethods: Methods = {
  'account.getPassword': (call) => renderPassword(call, passwordOwner(call)),
  'account.getPasswordSettings': (call, query) => {
    checkPasswordOf(call, query);
    return { _: 'account.passwordSettings' };
  },
  'account.updatePasswordSettings': (call, query) => {
    checkPasswordOf(call, query);
    changePassword(call.account, objectOf(query, 'new_settings'));
    return true;
  },
  'account.sendVerifyEmailCode': (call, query) => {
    const address = stringOf(query, 'email');
    if (!/^\S+@\S+\.\S+$/.test(address)) throw new RpcError(400, 'EMAIL_INVALID');
    const length = call.world.codes.startEmailSetup(emailSetup(call, query), address);
    return { _: 'account.sentEmailCode', email_pattern: emailPattern(address), length };
  },
  'account.verifyEmail': (call, query) => {
    const attempt = emailSetup(call, query);
    const { pendingEmail } = attempt;
    if (stringOf(objectOf(query, 'verification'), 'code') !== pendingEmail?.code)
      throw new RpcError(400, 'CODE_INVALID');
    call.world.accounts.get(attempt.accountId).email = pendingEmail.address;
    attempt.route = 'email';
    call.world.codes.restart(attempt);
    announceCode(call.world, attempt);
    return { _: 'account.emailVerifiedLogin', email: pendingEmail.address, sent_code: sentCode(call, attempt) };
  },
  'account.getAuthorizations': ({ world, account, context }) => ({
    _: 'account.authorizations',
    authorization_ttl_days: AUTHORIZATION_TTL_DAYS,
    authorizations: world.authorizations
      .ofAccount(account.id)
      .map((authorization) => renderAuthorization(authorization, context.key.id)),
  }),
  'account.resetAuthorization': (call, query) => {
    const hash = bigintOf(query, 'hash');
    const found = call.world.authorizations.ofAccount(call.account.id).find((entry) => entry.hash === hash);
    if (!found) throw new RpcError(400, 'HASH_INVALID');
    endSession(call.world, call.transport, found.keyId, 'SESSION_REVOKED');
    return true;
  },
  'account.changeAuthorizationSettings': () => true,
  'account.setAuthorizationTTL': () => true,
  'account.updateStatus': () => true,
  'account.registerDevice': () => true,
  'account.unregisterDevice': () => true,
  'account.getNotifySettings': () => ({ _: 'peerNotifySettings' }),
  'account.updateNotifySettings': () => true,
  'account.getContentSettings': () => ({ _: 'account.contentSettings' }),
  'account.getAccountTTL': () => ({ _: 'accountDaysTTL', days: 365 }),
  'account.updateProfile': (call, query) => {
    const { account } = call;
    const firstName = optionalStringOf(query, 'first_name') ?? account.firstName;
    if (firstName.trim() === '') throw new RpcError(400, 'FIRSTNAME_INVALID');
    account.firstName = firstName;
    account.lastName = optionalStringOf(query, 'last_name') ?? account.lastName;
    account.about = optionalStringOf(query, 'about') ?? account.about;
    return selfChanged(call);
  },
  'account.checkUsername': (call, query) => {
    call.world.usernames.assertFree(stringOf(query, 'username'));
    return true;
  },
  'account.updateUsername': (call, query) => {
    const username = stringOf(query, 'username');
    if (username !== '') call.world.usernames.assertFree(username);
    call.account.username = username === '' ? undefined : username;
    return selfChanged(call);
  },
};

/** A client that has only given its code may ask about the password too. */
function passwordOwner(call: Call): Account {
  const { pendingUserId } = call.context.key;
  return pendingUserId === undefined ? call.account : call.world.accounts.get(pendingUserId);
}

function emailSetup({ world }: Call, query: TlObject) {
  const purpose = objectOf(query, 'purpose');
  if (purpose._ !== 'emailVerifyPurposeLoginSetup') throw new RpcError(400, 'EMAIL_NOT_ALLOWED');
  return world.codes.attempt(stringOf(purpose, 'phone_number'), stringOf(purpose, 'phone_code_hash'));
}

function selfChanged(call: Call): TlObject {
  const { world, account } = call;
  world.notify(account.id, { type: 'user', userId: account.id }, call.origin);
  return renderUser(world, account.id, account);
}
