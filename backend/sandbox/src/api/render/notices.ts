import type { TlObject } from '../../schema/tl-object.js';
import type { Notice } from '../../world/listener.js';
import { channelPeer, groupPeer, userPeer } from '../../world/peer.js';
import type { World } from '../../world/world.js';
import { Cast } from './cast.js';
import { renderParticipants } from './chats.js';
import { renderReactions, renderScheduled } from './messages.js';
import { renderPeer } from './peers.js';
import { updateShort, updatesOf } from './updates.js';

/** The `Updates` for a notice; undefined when what it is about is gone. */
export function renderNotice(world: World, viewerId: number, notice: Notice): TlObject | undefined {
  if (notice.type === 'too-long') return { _: 'updatesTooLong' };
  if (notice.type === 'config') return updateShort(world, { _: 'updateConfig' });
  const cast = new Cast(world, viewerId);
  const update = renderUpdate(world, viewerId, notice, cast);
  return update && updatesOf(world, [update], cast.render());
}

type SequencelessNotice = Exclude<Notice, { readonly type: 'too-long' | 'config' }>;

function renderUpdate(world: World, viewerId: number, notice: SequencelessNotice, cast: Cast): TlObject | undefined {
  switch (notice.type) {
    case 'channel':
      cast.add(channelPeer(notice.channelId));
      return { _: 'updateChannel', channel_id: notice.channelId };
    case 'participants': {
      const group = world.chats.findGroup(notice.groupId);
      if (!group) return undefined;
      cast.add(groupPeer(group.id)).addUsers(group.members.keys());
      if (!group.members.has(viewerId)) return { _: 'updateChat', chat_id: group.id };
      return { _: 'updateChatParticipants', participants: renderParticipants(group) };
    }
    case 'user':
      cast.add(userPeer(notice.userId));
      return { _: 'updateUser', user_id: notice.userId };
    case 'contacts':
      return { _: 'updateContactsReset' };
    case 'typing':
      return renderTyping(notice, cast);
    case 'channel-read': {
      const pts = world.chats.findChannel(notice.channelId)?.box.pts ?? 1;
      const { channelId, maxId, unread } = notice;
      cast.add(channelPeer(channelId));
      return { _: 'updateReadChannelInbox', channel_id: channelId, max_id: maxId, still_unread_count: unread, pts };
    }
    case 'reactions':
      return renderReactionChange(world, viewerId, notice, cast);
    case 'scheduled': {
      const message = world.scheduled.state.waiting.get(notice.id);
      if (!message) return undefined;
      cast.add(message.peer, userPeer(viewerId));
      return { _: 'updateNewScheduledMessage', message: renderScheduled(world, message) };
    }
    case 'scheduled-gone': {
      const { peer, ids, sentIds } = notice;
      cast.add(peer);
      return {
        _: 'updateDeleteScheduledMessages',
        peer: renderPeer(peer),
        messages: ids,
        ...(sentIds.length > 0 && { sent_messages: sentIds }),
      };
    }
    case 'new-authorization': {
      const { hash, date, device, location } = notice;
      return { _: 'updateNewAuthorization', unconfirmed: true, hash, date, device, location };
    }
  }
}

function renderTyping({ peer, userId }: Extract<Notice, { type: 'typing' }>, cast: Cast): TlObject {
  const action = { _: 'sendMessageTypingAction' };
  cast.add(peer, userPeer(userId));
  const from = { from_id: renderPeer(userPeer(userId)), action };
  if (peer.kind === 'channel') return { _: 'updateChannelUserTyping', channel_id: peer.id, ...from };
  if (peer.kind === 'group') return { _: 'updateChatUserTyping', chat_id: peer.id, ...from };
  return { _: 'updateUserTyping', user_id: userId, action };
}

function renderReactionChange(
  world: World,
  viewerId: number,
  { peer, messageId }: Extract<Notice, { type: 'reactions' }>,
  cast: Cast,
): TlObject | undefined {
  const box = peer.kind === 'channel' ? world.chats.findChannel(peer.id)?.box : world.posting.box(viewerId);
  const copy = box?.messages.get(messageId);
  if (!copy) return undefined;
  cast.addMessages([copy]);
  const reactions = renderReactions(viewerId, copy.content);
  return { _: 'updateMessageReactions', peer: renderPeer(peer), msg_id: messageId, reactions };
}
