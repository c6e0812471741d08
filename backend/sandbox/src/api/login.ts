import type { Transport } from '../rpc.js';
import { RpcError } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import type { Account } from '../world/accounts.js';
import type { Authorization } from '../world/authorizations.js';
import type { LoginToken } from '../world/login-tokens.js';
import type { World } from '../world/world.js';
import type { Call } from './call.js';
import { renderUser } from './render/users.js';
import { updateShort } from './render/updates.js';

/**
 * The first factor was right: ends in a login, or in the question for the password.
 * @throws RpcError `401 SESSION_PASSWORD_NEEDED`
 */
export function logIn(call: Call, account: Account, apiId: number): TlObject {
  if (!account.password) return finishLogin(call, account, apiId);
  call.context.key.pendingUserId = account.id;
  throw new RpcError(401, 'SESSION_PASSWORD_NEEDED');
}

/** All factors were right: the key now belongs to the account. */
export function finishLogin(call: Call, account: Account, apiId: number): TlObject {
  const { key, client, dc } = call.context;
  key.pendingUserId = undefined;
  key.ownerId = account.id;
  account.homeDc = dc;
  const now = call.world.clock.seconds();
  const authorization = call.world.authorizations.add({
    keyId: key.id,
    accountId: account.id,
    createdAt: now,
    activeAt: now,
    apiId,
    deviceModel: client.deviceModel,
    systemVersion: client.systemVersion,
    appVersion: client.appVersion,
  });
  call.world.notify(account.id, newAuthorization(authorization), call.origin);
  return { _: 'auth.authorization', user: renderUser(call.world, account.id, account) };
}

/** The client logs itself out. */
export function logOut(call: Call): void {
  const { key } = call.context;
  call.world.authorizations.remove(key.id);
  key.ownerId = undefined;
  key.pendingUserId = undefined;
}

/** The account scanned a QR code; the client that shows it is told to ask again. @throws RpcError */
export function acceptLoginToken(world: World, transport: Transport, link: string, accountId: number): LoginToken {
  const token = world.loginTokens.accept(link, accountId);
  transport.pushToKey(token.keyId, updateShort(world, { _: 'updateLoginToken' }));
  return token;
}

/** `authorization` for a client whose QR code was just accepted: it has no entry of its own yet. */
export function authorizationOf({ world }: Call, { keyId, apiId }: LoginToken): TlObject {
  const now = world.clock.seconds();
  return renderAuthorization(
    {
      hash: keyId,
      keyId,
      accountId: 0,
      createdAt: now,
      activeAt: now,
      apiId,
      deviceModel: 'Unknown',
      systemVersion: '',
      appVersion: '',
    },
    undefined,
  );
}

/** An entry of "Active sessions"; the caller's own has hash 0. */
export function renderAuthorization(authorization: Authorization, ownKeyId: bigint | undefined): TlObject {
  const isCurrent = authorization.keyId === ownKeyId;
  return {
    _: 'authorization',
    ...(isCurrent && { current: true }),
    hash: isCurrent ? 0n : authorization.hash,
    device_model: authorization.deviceModel,
    platform: '',
    system_version: authorization.systemVersion,
    api_id: authorization.apiId,
    app_name: 'tgcontrol',
    app_version: authorization.appVersion,
    date_created: authorization.createdAt,
    date_active: authorization.activeAt,
    ip: '127.0.0.1',
    country: 'Sandbox',
    region: '',
  };
}

function newAuthorization({ hash, createdAt, deviceModel }: Authorization) {
  return { type: 'new-authorization', hash, date: createdAt, device: deviceModel, location: 'Sandbox' } as const;
}
