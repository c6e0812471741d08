import { userPeer } from '../world/peer.js';
import { SERVICE_ACCOUNT_ID } from '../world/accounts.js';
import type { LoginAttempt } from '../world/codes.js';
import type { World } from '../world/world.js';

/** A code sent "by app" is a message of the service account in the account's own chats. */
export function announceCode({ accounts, posting }: World, { route, code, accountId }: LoginAttempt): void {
  if (route !== 'app') return;
  const text = `Login code: ${code}. Do not give this code to anyone, even if they say they are from Telegram!`;
  posting.post(accounts.get(SERVICE_ACCOUNT_ID), userPeer(accountId), { text });
}
