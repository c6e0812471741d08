import type { TlObject } from '../../schema/tl-object.js';
import type { Channel } from '../../world/chats.js';
import { currentMembers, isAdmin } from '../../world/chats.js';
import type { World } from '../../world/world.js';
import { renderInvite } from './invites.js';

/** `channelFull` as `viewerId` sees it. */
export function fullChannel(world: World, viewerId: number, channel: Channel): TlObject {
  const members = currentMembers(channel);
  const viewerIsAdmin = isAdmin(channel, viewerId);
  return {
    _: 'channelFull',
    id: channel.id,
    about: channel.about,
    ...((channel.megagroup || viewerIsAdmin) && { can_view_participants: true }),
    participants_count: members.length,
    ...(viewerIsAdmin && { admins_count: members.filter(({ userId }) => isAdmin(channel, userId)).length }),
    ...(channel.creatorId === viewerId && { can_set_username: true, can_delete_channel: true }),
    read_inbox_max_id: world.reading.readInboxOf(viewerId, channel),
    read_outbox_max_id: 0,
    unread_count: world.reading.unreadInChannel(viewerId, channel),
    chat_photo: { _: 'photoEmpty', id: 0n },
    notify_settings: { _: 'peerNotifySettings' },
    ...(viewerIsAdmin && { exported_invite: renderInvite(channel) }),
    bot_info: [],
    available_reactions: { _: 'chatReactionsAll' },
    ...(channel.slowmodeSeconds > 0 && { slowmode_seconds: channel.slowmodeSeconds }),
    pts: channel.box.pts,
  };
}
