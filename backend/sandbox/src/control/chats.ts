import { inviteLink } from '../api/render/invites.js';
import type { Account } from '../world/accounts.js';
import type { Channel, Group } from '../world/chats.js';
import { currentMembers, isChannel } from '../world/chats.js';
import { forgetEvents } from '../world/boxes.js';
import { RefusedError } from '../world/errors.js';
import { channelPeer, fromChatId, groupPeer, toChatId, userPeer } from '../world/peer.js';
import type { AdminRight } from '../world/rights.js';
import { ALL_ADMIN_RIGHTS } from '../world/rights.js';
import type { World } from '../world/world.js';
import { UnknownError } from './unknown-error.js';

/** A chat to be made. */
export interface NewChat {
  readonly type: 'private' | 'group' | 'supergroup' | 'channel';
  /** Not used for private chats. */
  readonly title?: string | undefined;
  readonly username?: string | undefined;
  /** Account ids. The first administrator, else the first member, is the creator. */
  readonly members?: readonly number[] | undefined;
  readonly admins?: readonly number[] | undefined;
}

/** A chat as the control API shows it. */
export interface ChatInfo {
  /** td_api's chat id. */
  readonly chatId: number;
  readonly type: NewChat['type'];
  readonly title: string;
  readonly username: string | undefined;
  readonly members: readonly number[];
  readonly inviteLink: string;
}

/** Chats and who is in them. */
export class ChatControl {
  constructor(private readonly world: World) {}

  /** @throws UnknownError for an account that does not exist, RpcError for a username that is taken. */
  createChat(chat: NewChat): { readonly chatId: number; readonly inviteLink: string } {
    const admins = (chat.admins ?? []).map((id) => this.account(id));
    const members = (chat.members ?? []).map((id) => this.account(id));
    const [creator, ...rest] = [...new Set([...admins, ...members])];
    if (!creator) throw new RefusedError('chat_empty', 'a chat needs at least one member or administrator');
    if (chat.type === 'private') return this.createPrivate(creator, rest);
    const title = chat.title ?? 'Untitled';
    if (chat.type === 'group') {
      const [group] = this.world.membership.createGroup(creator, title, rest);
      for (const { id } of admins) this.world.membership.setGroupAdmin(creator, group, id, true);
      return { chatId: toChatId(groupPeer(group.id)), inviteLink: inviteLink(group) };
    }
    if (chat.username !== undefined) this.world.usernames.assertFree(chat.username);
    const [channel] = this.world.membership.createChannel(creator, { title, megagroup: chat.type === 'supergroup' });
    channel.username = chat.username;
    this.world.membership.addToChannel(creator, channel, rest);
    for (const admin of admins.slice(1)) this.world.membership.promote(creator, channel, admin, ALL_ADMIN_RIGHTS);
    return { chatId: toChatId(channelPeer(channel.id)), inviteLink: inviteLink(channel) };
  }

  /** @throws UnknownError */
  chat(chatId: number): ChatInfo {
    const chat = this.get(chatId);
    const channel = isChannel(chat) ? chat : undefined;
    return {
      chatId,
      type: channel ? (channel.megagroup ? 'supergroup' : 'channel') : 'group',
      title: chat.title,
      username: channel?.username,
      members: channel ? currentMembers(channel).map(({ userId }) => userId) : [...chat.members.keys()],
      inviteLink: inviteLink(chat),
    };
  }

  chats(): ChatInfo[] {
    const { groups, channels } = this.world.chats.state;
    const ids = [
      ...[...groups.keys()].map((id) => toChatId(groupPeer(id))),
      ...[...channels.keys()].map((id) => toChatId(channelPeer(id))),
    ];
    return ids.map((id) => this.chat(id));
  }

  /** @throws UnknownError */
  addMember(chatId: number, userId: number): void {
    const chat = this.get(chatId);
    const user = this.account(userId);
    const creator = this.account(chat.creatorId);
    if (isChannel(chat)) this.world.membership.addToChannel(creator, chat, [user]);
    else this.world.membership.addToGroup(creator, chat, user);
  }

  /** Removes from a group; bans from a channel or supergroup. @throws UnknownError */
  removeMember(chatId: number, userId: number): void {
    const chat = this.get(chatId);
    const user = this.account(userId);
    const creator = this.account(chat.creatorId);
    if (!isChannel(chat)) this.world.membership.removeFromGroup(creator, chat, userId);
    else this.world.membership.restrict(creator, chat, user, { rights: ['view_messages'], untilDate: 0 });
  }

  /** Gives rights in a channel or supergroup; none takes all. @throws UnknownError */
  promote(chatId: number, userId: number, rights: readonly AdminRight[] = ALL_ADMIN_RIGHTS): void {
    const chat = this.get(chatId);
    const creator = this.account(chat.creatorId);
    if (isChannel(chat)) this.world.membership.promote(creator, chat, this.account(userId), rights);
    else this.world.membership.setGroupAdmin(creator, chat, userId, rights.length > 0);
  }

  /** Seconds between two messages of a plain member of a supergroup. @throws UnknownError */
  setSlowMode(chatId: number, seconds: number): void {
    const chat = this.get(chatId);
    if (!isChannel(chat)) throw new UnknownError('supergroup', chatId);
    chat.slowmodeSeconds = seconds;
    this.world.membership.announce(chat);
  }

  /** The next difference of the channel is too long. @throws UnknownError */
  forgetUpdates(chatId: number): void {
    const chat = this.get(chatId);
    if (isChannel(chat)) forgetEvents(chat.box);
  }

  /** A private chat needs no making; it exists for both once somebody wrote. */
  private createPrivate(account: Account, others: readonly Account[]): { chatId: number; inviteLink: string } {
    const other = others[0] ?? account;
    this.world.posting.post(account, userPeer(other.id), { text: 'Hello' });
    return { chatId: other.id, inviteLink: '' };
  }

  private get(chatId: number): Group | Channel {
    const peer = fromChatId(chatId);
    const chat = peer.kind === 'group' ? this.world.chats.findGroup(peer.id) : this.world.chats.findChannel(peer.id);
    if (!chat || peer.kind === 'user') throw new UnknownError('chat', chatId);
    return chat;
  }

  private account(id: number): Account {
    const account = this.world.accounts.find(id);
    if (!account) throw new UnknownError('account', id);
    return account;
  }
}
