import { RpcError } from '../../rpc.js';
import type { TlObject } from '../../schema/tl-object.js';
import { numberOf, objectOf } from '../../schema/tl-object.js';
import type { Account } from '../../world/accounts.js';
import type { Channel, ChannelMember } from '../../world/chats.js';
import { currentMembers, isAdmin, isKicked, isMember } from '../../world/chats.js';
import { ALL_ADMIN_RIGHTS } from '../../world/rights.js';
import { userPeer } from '../../world/peer.js';
import type { Call, Methods } from '../call.js';
import { assertMayRead, channelOf, peerOf } from '../input.js';
import { Cast } from '../render/cast.js';
import { renderAdminRights, renderBan } from '../render/chats.js';
import { renderPeer } from '../render/peers.js';

const MAX_LIMIT = 200;

/** Members of channels and supergroups (https://core.telegram.org/method/channels.getParticipants). */
export const participantsMethods: Methods = {
  'channels.getParticipants': (call, query) => {
    const channel = channelOf(call, query);
    assertMayRead(call, channel);
    if (!channel.megagroup && !isAdmin(channel, call.account.id)) throw new RpcError(400, 'CHAT_ADMIN_REQUIRED');
    const found = filtered(call, channel, objectOf(query, 'filter'));
    const offset = numberOf(query, 'offset');
    const shown = found.slice(offset, offset + Math.min(numberOf(query, 'limit'), MAX_LIMIT));
    return {
      _: 'channels.channelParticipants',
      count: found.length,
      participants: shown.map((member) => renderParticipant(call, channel, member)),
      ...castOf(call, shown),
    };
  },
  'channels.getParticipant': (call, query) => {
    const channel = channelOf(call, query);
    assertMayRead(call, channel);
    const member = channel.members.get(peerOf(call, query, 'participant').id);
    if (!member) throw new RpcError(400, 'USER_NOT_PARTICIPANT');
    const participant = renderParticipant(call, channel, member);
    return { _: 'channels.channelParticipant', participant, ...castOf(call, [member]) };
  },
};

function filtered({ world }: Call, channel: Channel, filter: TlObject): ChannelMember[] {
  const members = currentMembers(channel);
  const text = typeof filter['q'] === 'string' ? filter['q'].toLowerCase() : '';
  const isCalled = ({ userId }: ChannelMember): boolean => nameOf(world.accounts.find(userId)).includes(text);
  switch (filter._) {
    case 'channelParticipantsAdmins':
      return members.filter(({ userId }) => isAdmin(channel, userId));
    case 'channelParticipantsBots':
      return members.filter(({ userId }) => world.accounts.find(userId)?.kind === 'bot');
    case 'channelParticipantsKicked':
      return [...channel.members.values()].filter((member) => isKicked(channel, member.userId) && isCalled(member));
    case 'channelParticipantsBanned':
      return members.filter((member) => member.ban && isCalled(member));
    default:
      return members.filter(isCalled);
  }
}

function nameOf(account: Account | undefined): string {
  return account ? `${account.firstName} ${account.lastName} ${account.username ?? ''}`.toLowerCase() : '';
}

function renderParticipant({ account }: Call, channel: Channel, member: ChannelMember): TlObject {
  const { userId, inviterId, date } = member;
  const rank = member.rank === undefined ? {} : { rank: member.rank };
  if (userId === channel.creatorId) {
    const rights = renderAdminRights(ALL_ADMIN_RIGHTS);
    return { _: 'channelParticipantCreator', user_id: userId, admin_rights: rights, ...rank };
  }
  if (member.ban) {
    return {
      _: 'channelParticipantBanned',
      ...(!isMember(channel, userId) && { left: true }),
      peer: renderPeer(userPeer(userId)),
      kicked_by: member.kickedBy ?? channel.creatorId,
      date,
      banned_rights: renderBan(member.ban),
    };
  }
  if (member.rights) {
    return {
      _: 'channelParticipantAdmin',
      ...(channel.creatorId === account.id && { can_edit: true }),
      ...(userId === account.id && { self: true, inviter_id: inviterId }),
      user_id: userId,
      promoted_by: member.promotedBy ?? channel.creatorId,
      date,
      admin_rights: renderAdminRights(member.rights),
      ...rank,
    };
  }
  if (userId === account.id) return { _: 'channelParticipantSelf', user_id: userId, inviter_id: inviterId, date };
  return { _: 'channelParticipant', user_id: userId, date };
}

function castOf({ world, account }: Call, members: readonly ChannelMember[]) {
  const ids = members.flatMap(({ userId, inviterId, promotedBy, kickedBy }) => [
    userId,
    inviterId,
    promotedBy,
    kickedBy,
  ]);
  return new Cast(world, account.id).addUsers(ids.filter((id) => id !== undefined)).render();
}
