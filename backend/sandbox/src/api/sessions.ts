import type { Transport } from '../rpc.js';
import type { World } from '../world/world.js';

/**
 * Ends one login from outside. The client learns of it by the 401 of its next call; an idle one is made to call by
 * `updatesTooLong`.
 * @param reason text of that 401, for instance `SESSION_REVOKED` (https://core.telegram.org/api/errors#401-unauthorized)
 */
export function endSession(world: World, transport: Transport, keyId: bigint, reason: string): void {
  const key = transport.keyById(keyId);
  world.authorizations.revoke(keyId, reason);
  if (!key) return;
  transport.pushToKey(keyId, { _: 'updatesTooLong' });
  key.ownerId = undefined;
  key.pendingUserId = undefined;
}

/** Ends all logins of an account but one. @returns how many were ended. */
export function endSessions(
  world: World,
  transport: Transport,
  accountId: number,
  reason: string,
  exceptKeyId?: bigint,
): number {
  const keys = transport.keysOf(accountId).filter(({ id }) => id !== exceptKeyId);
  for (const { id } of keys) endSession(world, transport, id, reason);
  return keys.length;
}
