import { RpcError } from '../../rpc.js';
import type { TlObject } from '../../schema/tl-object.js';
import { bigintOf, objectOf, objectsOf, stringOf } from '../../schema/tl-object.js';
import type { Account } from '../../world/accounts.js';
import type { PeerRef } from '../../world/peer.js';
import { channelPeer, userPeer } from '../../world/peer.js';
import type { Call, Methods } from '../call.js';
import { peerOf, readUser } from '../input.js';
import { Cast } from '../render/cast.js';
import { renderPeer } from '../render/peers.js';
import { updatesOf } from '../render/updates.js';

/** https://core.telegram.org/methods#contacts */
export const contactsMethods: Methods = {
  'contacts.resolveUsername': (call, query) => {
    const peer = call.world.usernames.resolve(stringOf(query, 'username'));
    if (!peer) throw new RpcError(400, 'USERNAME_NOT_OCCUPIED');
    return resolved(call, peer);
  },
  'contacts.resolvePhone': (call, query) => {
    const account = call.world.accounts.findByPhone(stringOf(query, 'phone'));
    if (!account?.registered) throw new RpcError(400, 'PHONE_NOT_OCCUPIED');
    return resolved(call, userPeer(account.id));
  },
  'contacts.getContacts': ({ world, account }) => {
    const known = [...account.contacts.keys()].flatMap((id) => world.accounts.find(id) ?? []);
    return {
      _: 'contacts.contacts',
      contacts: known.map((contact) => ({
        _: 'contact',
        user_id: contact.id,
        mutual: world.accounts.areMutualContacts(account, contact),
      })),
      saved_count: known.length,
      users: new Cast(world, account.id).addUsers(account.contacts.keys()).render().users,
    };
  },
  'contacts.importContacts': (call, query) => importContacts(call, objectsOf(query, 'contacts')),
  'contacts.addContact': (call, query) => {
    const user = readUser(call, objectOf(query, 'id'));
    addContact(call.account, user, query);
    return contactsChanged(call, [user]);
  },
  'contacts.deleteContacts': (call, query) => {
    const users = objectsOf(query, 'id').map((input) => readUser(call, input));
    for (const { id } of users) call.account.contacts.delete(id);
    return contactsChanged(call, users);
  },
  'contacts.search': (call, query) => search(call, stringOf(query, 'q').toLowerCase().replace(/^@/, '')),
  'contacts.block': (call, query) => {
    call.account.blocked.add(peerOf(call, query, 'id').id);
    return true;
  },
  'contacts.unblock': (call, query) => {
    call.account.blocked.delete(peerOf(call, query, 'id').id);
    return true;
  },
  'contacts.getBlocked': ({ world, account }) => ({
    _: 'contacts.blocked',
    blocked: [...account.blocked].map((id) => ({ _: 'peerBlocked', peer_id: renderPeer(userPeer(id)), date: 0 })),
    ...new Cast(world, account.id).addUsers(account.blocked).render(),
  }),
  'contacts.getStatuses': () => [],
  'contacts.getTopPeers': () => ({ _: 'contacts.topPeersDisabled' }),
};

function resolved({ world, account }: Call, peer: PeerRef): TlObject {
  return { _: 'contacts.resolvedPeer', peer: renderPeer(peer), ...new Cast(world, account.id).add(peer).render() };
}

function addContact(account: Account, user: Account, names: TlObject): void {
  account.contacts.set(user.id, { firstName: stringOf(names, 'first_name'), lastName: stringOf(names, 'last_name') });
}

function importContacts({ world, account }: Call, entries: readonly TlObject[]): TlObject {
  const imported = entries.flatMap((entry) => {
    const user = world.accounts.findByPhone(stringOf(entry, 'phone'));
    if (!user?.registered) return [];
    addContact(account, user, entry);
    return [{ _: 'importedContact', user_id: user.id, client_id: bigintOf(entry, 'client_id') }];
  });
  const ids = imported.map((entry) => entry.user_id);
  const { users } = new Cast(world, account.id).addUsers(ids).render();
  return { _: 'contacts.importedContacts', imported, popular_invites: [], retry_contacts: [], users };
}

function contactsChanged({ world, account }: Call, users: readonly Account[]): TlObject {
  const cast = new Cast(world, account.id).addUsers(users.map(({ id }) => id)).render();
  const updates = users.map(({ id }) => ({
    _: 'updatePeerSettings',
    peer: renderPeer(userPeer(id)),
    settings: { _: 'peerSettings' },
  }));
  return updatesOf(world, updates, cast);
}

/** By username, as a global search does; and by name among the own contacts. */
function search({ world, account }: Call, text: string): TlObject {
  const matches = (...names: readonly (string | undefined)[]): boolean =>
    names.some((name) => name?.toLowerCase().includes(text));
  const users = world.accounts
    .all()
    .filter(
      (user) => matches(user.username) || (account.contacts.has(user.id) && matches(user.firstName, user.lastName)),
    )
    .map(({ id }) => userPeer(id));
  const channels = [...world.chats.state.channels.values()]
    .filter((channel) => matches(channel.username))
    .map(({ id }) => channelPeer(id));
  const found = [...users, ...channels];
  const cast = new Cast(world, account.id).add(...found).render();
  return { _: 'contacts.found', my_results: [], results: found.map(renderPeer), ...cast };
}
