import { RpcError } from '../../rpc.js';
import type { TlObject } from '../../schema/tl-object.js';
import { flagOf, numberOf, objectOf, objectsOf, optionalStringOf, stringOf } from '../../schema/tl-object.js';
import type { Channel } from '../../world/chats.js';
import { isMember } from '../../world/chats.js';
import { channelPeer } from '../../world/peer.js';
import type { Posted } from '../../world/posting.js';
import { ADMIN_RIGHTS, BANNED_RIGHTS } from '../../world/rights.js';
import { randomLong } from '../../world/random.js';
import type { Call, Methods } from '../call.js';
import { assertMayRead, channelOf, peerOf, readChannel, readUser } from '../input.js';
import { renderPosted } from '../posted.js';
import { Cast } from '../render/cast.js';
import { renderNotice } from '../render/notices.js';
import { updatesOf } from '../render/updates.js';
import { fullChannel } from '../render/full-channel.js';
import { titleOf } from './chats.js';

/** Channels and supergroups (https://core.telegram.org/api/channel). */
export const channelsMethods: Methods = {
  'channels.createChannel': (call, query) => {
    const megagroup = flagOf(query, 'megagroup');
    const options = { title: titleOf(query), about: stringOf(query, 'about'), megagroup };
    const [channel, posted] = call.world.membership.createChannel(call.account, options, call.origin);
    const update = { _: 'updateChannel', channel_id: channel.id };
    // TDLib wants the new message together with a random id, although it chose none.
    return renderPosted(call, [{ posted, randomId: randomLong() }], [update]);
  },
  'channels.getChannels': (call, query) => {
    const channels = objectsOf(query, 'id').map((input) => readChannel(call, input));
    return { _: 'messages.chats', chats: castOf(call, ...channels).render().chats };
  },
  'channels.getFullChannel': (call, query) => {
    const channel = channelOf(call, query);
    assertMayRead(call, channel);
    const full = fullChannel(call.world, call.account.id, channel);
    return { _: 'messages.chatFull', full_chat: full, ...castOf(call, channel).render() };
  },
  'channels.joinChannel': (call, query) => {
    const channel = channelOf(call, query);
    if (channel.username === undefined && !isMember(channel, call.account.id))
      throw new RpcError(400, 'CHANNEL_PRIVATE');
    return changed(call, channel, call.world.membership.joinChannel(call.account, channel, false, call.origin));
  },
  'channels.leaveChannel': (call, query) => {
    const channel = channelOf(call, query);
    call.world.membership.leaveChannel(call.account, channel);
    return changed(call, channel, undefined);
  },
  'channels.inviteToChannel': (call, query) => {
    const { world, account, origin } = call;
    const channel = channelOf(call, query);
    const users = objectsOf(query, 'users').map((input) => readUser(call, input));
    if (!channel.megagroup) world.membership.assertRight(account, channel, 'invite_users');
    if (!isMember(channel, account.id)) throw new RpcError(400, 'CHANNEL_PRIVATE');
    // Telegram puts bots into channels as administrators only.
    if (!channel.megagroup && users.some((user) => user.kind === 'bot')) throw new RpcError(400, 'USER_BOT');
    const posted = world.membership.addToChannel(account, channel, users, origin);
    return { _: 'messages.invitedUsers', updates: changed(call, channel, posted), missing_invitees: [] };
  },
  'channels.editAdmin': (call, query) => {
    const { world, account } = call;
    const channel = channelOf(call, query);
    world.membership.assertRight(account, channel, 'add_admins');
    const user = readUser(call, objectOf(query, 'user_id'));
    const flags = objectOf(query, 'admin_rights');
    const rights = ADMIN_RIGHTS.filter((right) => flagOf(flags, right));
    world.membership.promote(account, channel, user, rights, optionalStringOf(query, 'rank'));
    return changed(call, channel, undefined);
  },
  'channels.editBanned': (call, query) => {
    const { world, account } = call;
    const channel = channelOf(call, query);
    world.membership.assertRight(account, channel, 'ban_users');
    const user = world.accounts.get(peerOf(call, query, 'participant').id);
    if (user.id === channel.creatorId) throw new RpcError(400, 'USER_ADMIN_INVALID');
    const flags = objectOf(query, 'banned_rights');
    const rights = BANNED_RIGHTS.filter((right) => flagOf(flags, right));
    world.membership.restrict(account, channel, user, { rights, untilDate: numberOf(flags, 'until_date') });
    return changed(call, channel, undefined);
  },
  'channels.editTitle': (call, query) => {
    const channel = channelOf(call, query);
    call.world.membership.assertRight(call.account, channel, 'change_info');
    channel.title = titleOf(query);
    const action = { _: 'messageActionChatEditTitle', title: channel.title };
    const peer = channelPeer(channel.id);
    return changed(call, channel, call.world.posting.post(call.account, peer, { action }, { origin: call.origin }));
  },
  'channels.checkUsername': (call, query) => {
    call.world.usernames.assertFree(stringOf(query, 'username'));
    return true;
  },
  'channels.updateUsername': (call, query) => {
    const channel = channelOf(call, query);
    if (channel.creatorId !== call.account.id) throw new RpcError(400, 'CHAT_ADMIN_REQUIRED');
    const username = stringOf(query, 'username');
    if (username !== '') call.world.usernames.assertFree(username);
    channel.username = username === '' ? undefined : username;
    call.world.membership.announce(channel);
    return true;
  },
  'channels.toggleSlowMode': (call, query) => {
    const channel = channelOf(call, query);
    call.world.membership.assertRight(call.account, channel, 'ban_users');
    channel.slowmodeSeconds = numberOf(query, 'seconds');
    call.world.membership.announce(channel);
    return changed(call, channel, undefined);
  },
  'channels.deleteChannel': (call, query) => {
    const channel = channelOf(call, query);
    if (channel.creatorId !== call.account.id) throw new RpcError(400, 'CHAT_ADMIN_REQUIRED');
    call.world.membership.deleteChannel(channel);
    return changed(call, channel, undefined);
  },
  'channels.getSendAs': (call) => ({ _: 'channels.sendAsPeers', peers: [], ...castOf(call).render() }),
};

function castOf({ world, account }: Call, ...channels: readonly Channel[]): Cast {
  return new Cast(world, account.id).add(...channels.map(({ id }) => channelPeer(id)));
}

/** The service message if there is one, and the channel as the caller sees it now. */
function changed(call: Call, channel: Channel, posted: Posted | undefined): TlObject {
  const { world, account } = call;
  const update = { _: 'updateChannel', channel_id: channel.id };
  if (posted) return renderPosted(call, [{ posted, randomId: undefined }], [update]);
  return renderNotice(world, account.id, { type: 'channel', channelId: channel.id }) ?? updatesOf(world, []);
}
