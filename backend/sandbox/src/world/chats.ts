import { RpcError } from '../rpc.js';
import type { Account } from './accounts.js';
import type { Box } from './boxes.js';
import { emptyBox } from './boxes.js';
import { randomLong, randomToken } from './random.js';
import type { AdminRight, Ban } from './rights.js';
import { ALL_ADMIN_RIGHTS } from './rights.js';

/** A member of a basic group. */
export interface GroupMember {
  readonly userId: number;
  readonly inviterId: number;
  readonly date: number;
  admin: boolean;
}

/** A basic group: small, every member keeps copies of its messages in the own box. */
export interface Group {
  readonly id: number;
  title: string;
  readonly date: number;
  readonly creatorId: number;
  /** Grows with each change of the members; TDLib reloads the list when it sees a newer one. */
  version: number;
  readonly members: Map<number, GroupMember>;
  readonly inviteHash: string;
}

/** Everybody who is, or was, in a channel; who left without a ban is removed. */
export interface ChannelMember {
  readonly userId: number;
  readonly inviterId: number;
  readonly date: number;
  /** Admin rights; undefined for a plain member. */
  rights: readonly AdminRight[] | undefined;
  promotedBy: number | undefined;
  rank: string | undefined;
  ban: Ban | undefined;
  kickedBy: number | undefined;
}

/** A channel (`megagroup` false) or supergroup (true). Its messages live in one box of its own. */
export interface Channel {
  readonly id: number;
  readonly accessHash: bigint;
  readonly megagroup: boolean;
  title: string;
  about: string;
  username: string | undefined;
  readonly date: number;
  readonly creatorId: number;
  signatures: boolean;
  /** Seconds between two messages of one plain member; 0 is off. */
  slowmodeSeconds: number;
  readonly lastSent: Map<number, number>;
  readonly members: Map<number, ChannelMember>;
  readonly inviteHash: string;
  readonly box: Box;
  /** How far each member has read. */
  readonly readInbox: Map<number, number>;
  /** What each member had when joining: older messages do not count as unread. */
  readonly joinedAtId: Map<number, number>;
  deleted: boolean;
}

export interface ChatsState {
  nextGroupId: number;
  nextChannelId: number;
  readonly groups: Map<number, Group>;
  readonly channels: Map<number, Channel>;
}

/** Above 2^31, so that whoever squeezes ids into 32 bits fails in a test. */
const FIRST_CHANNEL_ID = 3_000_000_001;

/** Basic groups, channels and supergroups. Membership rules are here; telling anybody is not. */
export class Chats {
  state: ChatsState = Chats.emptyState();

  static emptyState(): ChatsState {
    return { nextGroupId: 1001, nextChannelId: FIRST_CHANNEL_ID, groups: new Map(), channels: new Map() };
  }

  createGroup(creator: Account, title: string, members: readonly Account[], date: number): Group {
    const group: Group = {
      id: this.state.nextGroupId++,
      title,
      date,
      creatorId: creator.id,
      version: 1,
      members: new Map(),
      inviteHash: randomToken(16),
    };
    for (const { id } of [creator, ...members]) {
      group.members.set(id, { userId: id, inviterId: creator.id, date, admin: id === creator.id });
    }
    this.state.groups.set(group.id, group);
    return group;
  }

  createChannel(
    creator: Account,
    options: { title: string; about?: string; megagroup: boolean },
    date: number,
  ): Channel {
    const channel: Channel = {
      id: this.state.nextChannelId++,
      accessHash: randomLong(),
      megagroup: options.megagroup,
      title: options.title,
      about: options.about ?? '',
      username: undefined,
      date,
      creatorId: creator.id,
      signatures: false,
      slowmodeSeconds: 0,
      lastSent: new Map(),
      members: new Map(),
      inviteHash: randomToken(16),
      box: emptyBox(),
      readInbox: new Map(),
      joinedAtId: new Map(),
      deleted: false,
    };
    this.state.channels.set(channel.id, channel);
    const member = addMember(channel, creator.id, creator.id, date);
    member.rights = ALL_ADMIN_RIGHTS;
    return channel;
  }

  findGroup(id: number): Group | undefined {
    return this.state.groups.get(id);
  }

  findChannel(id: number): Channel | undefined {
    return this.state.channels.get(id);
  }

  /** @throws RpcError `400 CHAT_ID_INVALID` */
  group(id: number): Group {
    const group = this.findGroup(id);
    if (!group) throw new RpcError(400, 'CHAT_ID_INVALID');
    return group;
  }

  /** @throws RpcError `400 CHANNEL_INVALID` */
  channel(id: number): Channel {
    const channel = this.findChannel(id);
    if (!channel) throw new RpcError(400, 'CHANNEL_INVALID');
    return channel;
  }

  findByInvite(hash: string): Group | Channel | undefined {
    const all = [...this.state.groups.values(), ...this.state.channels.values()];
    return all.find((chat) => chat.inviteHash === hash);
  }

  channelsOf(userId: number): Channel[] {
    return [...this.state.channels.values()].filter((channel) => isMember(channel, userId));
  }

  groupsOf(userId: number): Group[] {
    return [...this.state.groups.values()].filter((group) => group.members.has(userId));
  }
}

export function isChannel(chat: Group | Channel): chat is Channel {
  return 'box' in chat;
}

/** Adds a member, lifting an earlier ban. */
export function addMember(channel: Channel, userId: number, inviterId: number, date: number): ChannelMember {
  const member: ChannelMember = {
    userId,
    inviterId,
    date,
    rights: undefined,
    promotedBy: undefined,
    rank: undefined,
    ban: undefined,
    kickedBy: undefined,
  };
  channel.members.set(userId, member);
  channel.joinedAtId.set(userId, channel.box.nextId - 1);
  return member;
}

/** Banned from seeing the channel at all. */
export function isKicked(channel: Channel, userId: number): boolean {
  return channel.members.get(userId)?.ban?.rights.includes('view_messages') ?? false;
}

/** In the channel now: neither left nor kicked. A restricted member is one. */
export function isMember(channel: Channel, userId: number): boolean {
  return channel.members.has(userId) && !isKicked(channel, userId) && !channel.deleted;
}

export function hasRight(channel: Channel, userId: number, right: AdminRight): boolean {
  return channel.creatorId === userId || (channel.members.get(userId)?.rights?.includes(right) ?? false);
}

export function isAdmin(channel: Channel, userId: number): boolean {
  return channel.creatorId === userId || channel.members.get(userId)?.rights !== undefined;
}

/** Members who are in the channel now. */
export function currentMembers(channel: Channel): ChannelMember[] {
  return [...channel.members.values()].filter((member) => isMember(channel, member.userId));
}
