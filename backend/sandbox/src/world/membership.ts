import { RpcError } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import type { Account } from './accounts.js';
import type { Channel, Chats, Group } from './chats.js';
import { addMember, currentMembers, hasRight, isKicked, isMember } from './chats.js';
import type { VirtualClock } from './clock.js';
import type { Notice, Origin, WorldListener } from './listener.js';
import { channelPeer, groupPeer } from './peer.js';
import type { Posted, Posting } from './posting.js';
import type { AdminRight, Ban } from './rights.js';

/** Members shown to a channel's ordinary member are few; a basic group holds 200 (https://limits.tginfo.me). */
const MAX_GROUP_MEMBERS = 200;

/** Who is in which chat, with the service messages and notices that a change causes. */
export class Membership {
  constructor(
    private readonly chats: Chats,
    private readonly posting: Posting,
    private readonly clock: VirtualClock,
    private readonly listener: () => WorldListener,
  ) {}

  createGroup(creator: Account, title: string, members: readonly Account[], origin?: Origin): [Group, Posted] {
    const group = this.chats.createGroup(creator, title, members, this.clock.seconds());
    const users = [creator, ...members].map(({ id }) => id);
    const posted = this.serviceInGroup(group, creator, { _: 'messageActionChatCreate', title, users }, origin);
    this.noticeGroup(group, { type: 'participants', groupId: group.id }, origin);
    return [group, posted];
  }

  /** @throws RpcError when the group or the rights do not allow it. */
  addToGroup(inviter: Account, group: Group, user: Account, origin?: Origin): Posted {
    if (!group.members.has(inviter.id)) throw new RpcError(403, 'CHAT_WRITE_FORBIDDEN');
    if (group.members.has(user.id)) throw new RpcError(400, 'USER_ALREADY_PARTICIPANT');
    if (group.members.size >= MAX_GROUP_MEMBERS) throw new RpcError(400, 'USERS_TOO_MUCH');
    this.addGroupMember(group, user.id, inviter.id);
    return this.afterJoin(group, inviter, { _: 'messageActionChatAddUser', users: [user.id] }, origin);
  }

  /** Joining by the invite link. @throws RpcError `400 USER_ALREADY_PARTICIPANT` */
  joinGroup(user: Account, group: Group, origin?: Origin): Posted {
    if (group.members.has(user.id)) throw new RpcError(400, 'USER_ALREADY_PARTICIPANT');
    this.addGroupMember(group, user.id, group.creatorId);
    const action = { _: 'messageActionChatJoinedByLink', inviter_id: group.creatorId };
    return this.afterJoin(group, user, action, origin);
  }

  /** Leaving, or being removed by the creator or an administrator. @throws RpcError */
  removeFromGroup(actor: Account, group: Group, userId: number, origin?: Origin): Posted {
    if (!group.members.has(userId)) throw new RpcError(400, 'USER_NOT_PARTICIPANT');
    const mayRemove = actor.id === userId || (group.members.get(actor.id)?.admin ?? false);
    if (!mayRemove) throw new RpcError(400, 'CHAT_ADMIN_REQUIRED');
    const action = { _: 'messageActionChatDeleteUser', user_id: userId };
    const posted = this.serviceInGroup(group, actor, action, origin);
    group.members.delete(userId);
    group.version += 1;
    const notice: Notice = { type: 'participants', groupId: group.id };
    this.noticeGroup(group, notice, origin);
    this.listener().notice(userId, notice);
    return posted;
  }

  /** @throws RpcError `400 CHAT_ADMIN_REQUIRED` or `400 USER_NOT_PARTICIPANT` */
  setGroupAdmin(actor: Account, group: Group, userId: number, admin: boolean): void {
    if (actor.id !== group.creatorId) throw new RpcError(400, 'CHAT_ADMIN_REQUIRED');
    const member = group.members.get(userId);
    if (!member) throw new RpcError(400, 'USER_NOT_PARTICIPANT');
    member.admin = admin;
    group.version += 1;
    this.noticeGroup(group, { type: 'participants', groupId: group.id });
  }

  createChannel(
    creator: Account,
    options: { title: string; about?: string; megagroup: boolean },
    origin?: Origin,
  ): [Channel, Posted] {
    const channel = this.chats.createChannel(creator, options, this.clock.seconds());
    const action = { _: 'messageActionChannelCreate', title: channel.title };
    const posted = this.posting.post(creator, channelPeer(channel.id), { action }, { origin });
    this.notice(channel, creator.id);
    return [channel, posted];
  }

  /** Joining by name or by link. @returns the service message that supergroups get. @throws RpcError */
  joinChannel(user: Account, channel: Channel, byLink: boolean, origin?: Origin): Posted | undefined {
    if (channel.deleted || isKicked(channel, user.id)) throw new RpcError(400, 'CHANNEL_PRIVATE');
    if (isMember(channel, user.id)) throw new RpcError(400, 'USER_ALREADY_PARTICIPANT');
    addMember(channel, user.id, user.id, this.clock.seconds());
    const action = byLink
      ? { _: 'messageActionChatJoinedByLink', inviter_id: channel.creatorId }
      : { _: 'messageActionChatAddUser', users: [user.id] };
    return this.afterChannelJoin(channel, user, [user.id], action, origin);
  }

  /** Adds members without asking whether they want. @returns the service message that supergroups get. */
  addToChannel(inviter: Account, channel: Channel, users: readonly Account[], origin?: Origin): Posted | undefined {
    const added = users.filter((user) => !isMember(channel, user.id));
    if (added.length === 0) return undefined;
    for (const user of added) addMember(channel, user.id, inviter.id, this.clock.seconds());
    const ids = added.map(({ id }) => id);
    return this.afterChannelJoin(channel, inviter, ids, { _: 'messageActionChatAddUser', users: ids }, origin);
  }

  /** @throws RpcError `400 USER_NOT_PARTICIPANT` */
  leaveChannel(user: Account, channel: Channel): void {
    if (!isMember(channel, user.id)) throw new RpcError(400, 'USER_NOT_PARTICIPANT');
    channel.members.delete(user.id);
    this.notice(channel, user.id);
  }

  /** Gives administrator rights, or takes them when the list is empty. Who is not in the channel yet is added. */
  promote(actor: Account, channel: Channel, user: Account, rights: readonly AdminRight[], rank?: string): void {
    if (!isMember(channel, user.id)) addMember(channel, user.id, actor.id, this.clock.seconds());
    const member = channel.members.get(user.id);
    if (!member) return;
    member.rights = rights.length === 0 ? undefined : rights;
    member.promotedBy = rights.length === 0 ? undefined : actor.id;
    member.rank = rank;
    this.notice(channel, user.id);
  }

  /** Restricts, bans, or lifts both when no right is taken. */
  restrict(actor: Account, channel: Channel, user: Account, ban: Ban): void {
    const wasMember = channel.members.has(user.id);
    if (ban.rights.length === 0) {
      if (isKicked(channel, user.id)) channel.members.delete(user.id);
      const member = channel.members.get(user.id);
      if (member) member.ban = undefined;
    } else {
      const member = channel.members.get(user.id) ?? addMember(channel, user.id, actor.id, this.clock.seconds());
      member.ban = ban;
      member.kickedBy = actor.id;
      member.rights = undefined;
    }
    if (wasMember) this.notice(channel, user.id);
  }

  /** @throws RpcError `403 CHAT_ADMIN_REQUIRED` */
  assertRight(actor: Account, channel: Channel, right: AdminRight): void {
    if (!hasRight(channel, actor.id, right)) throw new RpcError(400, 'CHAT_ADMIN_REQUIRED');
  }

  deleteChannel(channel: Channel): void {
    const members = currentMembers(channel);
    channel.deleted = true;
    // Afterwards nobody counts as a member any more, so `announce` would reach no one.
    for (const { userId } of members) this.notice(channel, userId);
  }

  /** Tells every member that something about the channel changed. */
  announce(channel: Channel): void {
    for (const { userId } of currentMembers(channel)) this.notice(channel, userId);
  }

  private notice(channel: Channel, userId: number): void {
    this.listener().notice(userId, { type: 'channel', channelId: channel.id });
  }

  private noticeGroup(group: Group, notice: Notice, origin?: Origin): void {
    for (const userId of group.members.keys()) this.listener().notice(userId, notice, origin);
  }

  private addGroupMember(group: Group, userId: number, inviterId: number): void {
    group.members.set(userId, { userId, inviterId, date: this.clock.seconds(), admin: false });
    group.version += 1;
  }

  private afterJoin(group: Group, actor: Account, action: TlObject, origin: Origin | undefined): Posted {
    const posted = this.serviceInGroup(group, actor, action, origin);
    this.noticeGroup(group, { type: 'participants', groupId: group.id }, origin);
    return posted;
  }

  private serviceInGroup(group: Group, actor: Account, action: TlObject, origin?: Origin): Posted {
    return this.posting.post(actor, groupPeer(group.id), { action }, { origin });
  }

  private afterChannelJoin(
    channel: Channel,
    actor: Account,
    joinedIds: readonly number[],
    action: TlObject,
    origin: Origin | undefined,
  ): Posted | undefined {
    const posted = channel.megagroup
      ? this.posting.post(actor, channelPeer(channel.id), { action }, { origin })
      : undefined;
    for (const id of joinedIds) this.notice(channel, id);
    return posted;
  }
}
