import { RpcError } from '../../rpc.js';
import type { TlObject } from '../../schema/tl-object.js';
import { stringOf } from '../../schema/tl-object.js';
import type { Channel, Group } from '../../world/chats.js';
import { isAdmin, isChannel, isMember } from '../../world/chats.js';
import { channelPeer, groupPeer } from '../../world/peer.js';
import type { Call, Methods } from '../call.js';
import { peerOf } from '../input.js';
import { renderPosted } from '../posted.js';
import { Cast } from '../render/cast.js';
import { renderInvite, renderInvitePreview } from '../render/invites.js';
import { renderNotice } from '../render/notices.js';
import { updatesOf } from '../render/updates.js';

/** Invite links (https://core.telegram.org/api/invites). */
export const invitesMethods: Methods = {
  'messages.exportChatInvite': (call, query) => {
    const peer = peerOf(call, query);
    if (peer.kind === 'user') throw new RpcError(400, 'PEER_ID_INVALID');
    const chat = peer.kind === 'group' ? call.world.chats.group(peer.id) : call.world.chats.channel(peer.id);
    if (!mayInvite(chat, call.account.id)) throw new RpcError(400, 'CHAT_ADMIN_REQUIRED');
    return renderInvite(chat);
  },
  'messages.checkChatInvite': (call, query) => {
    const { world, account } = call;
    const chat = chatBehind(call, query);
    const isIn = isChannel(chat) ? isMember(chat, account.id) : chat.members.has(account.id);
    if (!isIn) return renderInvitePreview(chat);
    const { chats } = new Cast(world, account.id).add(peerOfChat(chat)).render();
    return { _: 'chatInviteAlready', chat: chats[0] };
  },
  'messages.importChatInvite': (call, query) => {
    const { world, account, origin } = call;
    const chat = chatBehind(call, query);
    const posted = isChannel(chat)
      ? world.membership.joinChannel(account, chat, true, origin)
      : world.membership.joinGroup(account, chat, origin);
    if (posted) return renderPosted(call, [{ posted, randomId: undefined }]);
    return renderNotice(world, account.id, { type: 'channel', channelId: chat.id }) ?? updatesOf(world, []);
  },
};

function chatBehind({ world }: Call, query: TlObject): Group | Channel {
  const chat = world.chats.findByInvite(stringOf(query, 'hash'));
  if (!chat) throw new RpcError(400, 'INVITE_HASH_EXPIRED');
  return chat;
}

function mayInvite(chat: Group | Channel, userId: number): boolean {
  return isChannel(chat) ? isAdmin(chat, userId) : (chat.members.get(userId)?.admin ?? false);
}

function peerOfChat(chat: Group | Channel) {
  return isChannel(chat) ? channelPeer(chat.id) : groupPeer(chat.id);
}
