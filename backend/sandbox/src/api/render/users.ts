import type { TlObject } from '../../schema/tl-object.js';
import type { Account } from '../../world/accounts.js';
import { SERVICE_ACCOUNT_ID } from '../../world/accounts.js';
import type { World } from '../../world/world.js';

/** An account as `viewerId` sees it: names from the viewer's contact list, the number only for contacts. */
export function renderUser(world: World, viewerId: number, account: Account): TlObject {
  const viewer = world.accounts.find(viewerId);
  const card = viewer?.contacts.get(account.id);
  const isSelf = viewerId === account.id;
  const lastName = card ? card.lastName : account.lastName;
  return {
    _: 'user',
    id: account.id,
    access_hash: account.accessHash,
    first_name: card ? card.firstName : account.firstName,
    ...(lastName !== '' && { last_name: lastName }),
    ...(account.username !== undefined && { username: account.username }),
    ...(account.phone !== undefined && (isSelf || card) && { phone: account.phone }),
    ...(isSelf && { self: true }),
    ...(card && { contact: true }),
    ...(viewer && card && world.accounts.areMutualContacts(viewer, account) && { mutual_contact: true }),
    ...(account.premium && { premium: true }),
    ...(account.banned && { deleted: true }),
    ...(account.id === SERVICE_ACCOUNT_ID && { verified: true, support: true }),
    // Privacy mode is off in the sandbox: bots in groups get every message.
    ...(account.kind === 'bot' && { bot: true, bot_chat_history: true, bot_info_version: 1 }),
    ...(account.kind === 'user' && { status: { _: 'userStatusRecently' } }),
  };
}
