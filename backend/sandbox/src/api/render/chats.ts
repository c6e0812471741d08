import type { TlObject } from '../../schema/tl-object.js';
import type { Channel, Group, GroupMember } from '../../world/chats.js';
import { currentMembers, isKicked, isMember } from '../../world/chats.js';
import type { AdminRight, Ban, BannedRight } from '../../world/rights.js';
import { ALL_ADMIN_RIGHTS } from '../../world/rights.js';

/** `chatAdminRights`: one flag per right. */
export function renderAdminRights(rights: readonly AdminRight[]): TlObject {
  return { _: 'chatAdminRights', ...Object.fromEntries(rights.map((right) => [right, true])) };
}

/** `chatBannedRights`: one flag per thing forbidden. */
export function renderBan({ rights, untilDate }: Ban): TlObject {
  return { _: 'chatBannedRights', ...Object.fromEntries(rights.map((right) => [right, true])), until_date: untilDate };
}

/** Members of a group may do everything but what needs an administrator. */
const NO_DEFAULT_BAN: readonly BannedRight[] = [];

/** A basic group as `viewerId` sees it; who is no member sees only its name. */
export function renderGroup(viewerId: number, group: Group): TlObject {
  const member = group.members.get(viewerId);
  if (!member) return { _: 'chatForbidden', id: group.id, title: group.title };
  return {
    _: 'chat',
    id: group.id,
    title: group.title,
    photo: { _: 'chatPhotoEmpty' },
    participants_count: group.members.size,
    date: group.date,
    version: group.version,
    ...(group.creatorId === viewerId && { creator: true }),
    ...(member.admin && group.creatorId !== viewerId && { admin_rights: renderAdminRights(ALL_ADMIN_RIGHTS) }),
    default_banned_rights: renderBan({ rights: NO_DEFAULT_BAN, untilDate: 0 }),
  };
}

/** `updateChatParticipants` and `chatFull` carry this; TDLib changes its member list by nothing else. */
export function renderParticipants(group: Group): TlObject {
  return {
    _: 'chatParticipants',
    chat_id: group.id,
    participants: [...group.members.values()].map((member) => renderGroupMember(group, member)),
    version: group.version,
  };
}

function renderGroupMember(group: Group, { userId, inviterId, date, admin }: GroupMember): TlObject {
  if (userId === group.creatorId) return { _: 'chatParticipantCreator', user_id: userId };
  const name = admin ? 'chatParticipantAdmin' : 'chatParticipant';
  return { _: name, user_id: userId, inviter_id: inviterId, date };
}

/** A channel as `viewerId` sees it: kicked viewers get `channelForbidden`, those who left `left`. */
export function renderChannel(viewerId: number, channel: Channel): TlObject {
  const kind = channel.megagroup ? { megagroup: true } : { broadcast: true };
  if (channel.deleted || isKicked(channel, viewerId)) {
    const { id, accessHash, title } = channel;
    return { _: 'channelForbidden', ...kind, id, access_hash: accessHash, title };
  }
  const member = channel.members.get(viewerId);
  return {
    _: 'channel',
    ...kind,
    id: channel.id,
    access_hash: channel.accessHash,
    title: channel.title,
    ...(channel.username !== undefined && { username: channel.username }),
    photo: { _: 'chatPhotoEmpty' },
    date: channel.date,
    participants_count: currentMembers(channel).length,
    ...(channel.creatorId === viewerId && { creator: true }),
    ...(!isMember(channel, viewerId) && { left: true }),
    ...(channel.signatures && { signatures: true }),
    ...(channel.slowmodeSeconds > 0 && { slowmode_enabled: true }),
    ...(member?.rights && { admin_rights: renderAdminRights(member.rights) }),
    ...(member?.ban && { banned_rights: renderBan(member.ban) }),
    ...(channel.megagroup && { default_banned_rights: renderBan({ rights: NO_DEFAULT_BAN, untilDate: 0 }) }),
  };
}
