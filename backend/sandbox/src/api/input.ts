import { RpcError } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import { bigintOf, numberOf, objectOf } from '../schema/tl-object.js';
import type { Account } from '../world/accounts.js';
import type { Channel } from '../world/chats.js';
import { isKicked, isMember } from '../world/chats.js';
import type { PeerRef } from '../world/peer.js';
import { channelPeer, groupPeer, userPeer } from '../world/peer.js';
import type { Call } from './call.js';

/**
 * The chat that an `InputPeer` names.
 * @throws RpcError `400 PEER_ID_INVALID` or `400 CHANNEL_INVALID` when there is none, or the access hash is not its own
 */
export function readPeer(call: Call, input: TlObject): PeerRef {
  switch (input._) {
    case 'inputPeerSelf':
      return userPeer(call.account.id);
    case 'inputPeerUser':
    case 'inputPeerUserFromMessage':
      return userPeer(readUser(call, input).id);
    case 'inputPeerChat':
      return groupPeer(call.world.chats.group(numberOf(input, 'chat_id')).id);
    case 'inputPeerChannel':
    case 'inputPeerChannelFromMessage':
      return channelPeer(readChannel(call, input).id);
    default:
      throw new RpcError(400, 'PEER_ID_INVALID');
  }
}

/** The field `peer`, or another one, of a query. @throws RpcError as `readPeer` */
export function peerOf(call: Call, query: TlObject, field = 'peer'): PeerRef {
  return readPeer(call, objectOf(query, field));
}

/**
 * The account that an `InputUser` or `InputPeerUser` names.
 * @throws RpcError `400 USER_ID_INVALID` or `400 PEER_ID_INVALID`
 */
export function readUser(call: Call, input: TlObject): Account {
  if (input._ === 'inputUserSelf' || input._ === 'inputPeerSelf') return call.account;
  if (input['user_id'] === undefined) throw new RpcError(400, 'USER_ID_INVALID');
  const account = call.world.accounts.get(numberOf(input, 'user_id'));
  if (account.id === call.account.id || input['peer'] !== undefined) return account;
  assertAccessHash(call, account.accessHash, bigintOf(input, 'access_hash'), () => hasMet(call, account));
  return account;
}

/**
 * The channel that an `InputChannel` or `InputPeerChannel` names.
 * @throws RpcError `400 CHANNEL_INVALID`
 */
export function readChannel(call: Call, input: TlObject): Channel {
  if (input['channel_id'] === undefined) throw new RpcError(400, 'CHANNEL_INVALID');
  const channel = call.world.chats.channel(numberOf(input, 'channel_id'));
  if (input['peer'] !== undefined) return channel;
  const accessHash = bigintOf(input, 'access_hash');
  // Bots name channels they never met by access hash 0 (https://core.telegram.org/api/peers).
  const accepted = accessHash === channel.accessHash || (accessHash === 0n && call.account.kind === 'bot');
  if (!accepted) throw new RpcError(400, 'CHANNEL_INVALID');
  return channel;
}

/** The field `channel` of a query. @throws RpcError as `readChannel` */
export function channelOf(call: Call, query: TlObject): Channel {
  return readChannel(call, objectOf(query, 'channel'));
}

/** A channel whose messages the caller may read: public, or with the caller in it. @throws RpcError `400 CHANNEL_PRIVATE` */
export function assertMayRead(call: Call, channel: Channel): void {
  const userId = call.account.id;
  const isPublic = channel.username !== undefined && !isKicked(channel, userId);
  if (channel.deleted || !(isMember(channel, userId) || isPublic)) throw new RpcError(400, 'CHANNEL_PRIVATE');
}

function assertAccessHash(call: Call, wanted: bigint, given: bigint, hasMetBefore: () => boolean): void {
  if (given === wanted) return;
  if (given === 0n && call.account.kind === 'bot' && hasMetBefore()) return;
  throw new RpcError(400, 'PEER_ID_INVALID');
}

/** Whether a bot has seen the account: in a chat with it, or as a member of one of its groups. */
function hasMet({ world, account }: Call, other: Account): boolean {
  if ((world.posting.box(account.id).dialogs.get(`u${String(other.id)}`)?.topId ?? 0) > 0) return true;
  const groups = world.chats.groupsOf(account.id);
  if (groups.some((group) => group.members.has(other.id))) return true;
  return world.chats.channelsOf(account.id).some((channel) => isMember(channel, other.id));
}
