import type { TlObject } from '../../schema/tl-object.js';
import type { Content, Forward, MessageCopy } from '../../world/messages.js';
import { samePeer, userPeer } from '../../world/peer.js';
import type { ScheduledMessage } from '../../world/scheduled.js';
import type { World } from '../../world/world.js';
import { renderMedia } from './media.js';
import { renderPeer } from './peers.js';

/** `Message` as `viewerId` sees it. */
export function renderMessage(world: World, viewerId: number, copy: MessageCopy): TlObject {
  const { content } = copy;
  const shared = {
    id: copy.id,
    peer_id: renderPeer(copy.peer),
    ...author(viewerId, copy),
    ...(isSaved(viewerId, copy) && { saved_peer_id: renderPeer(userPeer(viewerId)) }),
    ...(copy.replyToId !== undefined && {
      reply_to: { _: 'messageReplyHeader', reply_to_msg_id: copy.replyToId },
    }),
    ...(isPost(copy) && { post: true }),
    ...(content.silent && { silent: true }),
    ...(content.reactions.length > 0 && { reactions: renderReactions(viewerId, content) }),
    date: content.date,
  };
  if (content.action) return { _: 'messageService', ...shared, action: content.action };
  return {
    _: 'message',
    ...shared,
    message: content.text,
    ...(content.entities.length > 0 && { entities: content.entities }),
    ...(content.media && { media: renderMedia(world, viewerId, content.media) }),
    ...(content.replyMarkup && { reply_markup: content.replyMarkup }),
    ...(content.groupedId !== undefined && { grouped_id: content.groupedId }),
    ...(content.forward && { fwd_from: renderForward(content.forward) }),
    ...(content.editDate !== undefined && { edit_date: content.editDate }),
    ...(isPost(copy) && { views: content.views, forwards: 0 }),
    ...(content.protected && { noforwards: true }),
    ...(content.fromScheduled && { from_scheduled: true }),
    ...(content.pinned && { pinned: true }),
  };
}

/** A message that waits for its time, as the sender's "scheduled messages" show it. */
export function renderScheduled(world: World, message: ScheduledMessage): TlObject {
  const { id, senderId, peer, draft, date } = message;
  return {
    _: 'message',
    id,
    out: true,
    from_id: renderPeer(userPeer(senderId)),
    peer_id: renderPeer(peer),
    date,
    message: draft.text ?? '',
    ...(draft.entities && draft.entities.length > 0 && { entities: draft.entities }),
    ...(draft.media && { media: renderMedia(world, senderId, draft.media) }),
  };
}

/** `messageReactions`, with the viewer's own marked. */
export function renderReactions(viewerId: number, { reactions }: Content): TlObject {
  const counts = new Map<string, number>();
  for (const { emoji } of reactions) counts.set(emoji, (counts.get(emoji) ?? 0) + 1);
  const mine = reactions.filter((reaction) => reaction.userId === viewerId).map(({ emoji }) => emoji);
  return {
    _: 'messageReactions',
    can_see_list: true,
    results: [...counts].map(([emoji, count]) => ({
      _: 'reactionCount',
      reaction: { _: 'reactionEmoji', emoticon: emoji },
      count,
      ...(mine.includes(emoji) && { chosen_order: mine.indexOf(emoji) }),
    })),
    recent_reactions: reactions.slice(-3).map(({ userId, emoji, date }) => ({
      _: 'messagePeerReaction',
      peer_id: renderPeer(userPeer(userId)),
      date,
      reaction: { _: 'reactionEmoji', emoticon: emoji },
      ...(userId === viewerId && { my: true }),
    })),
  };
}

function renderForward({ from, date, channelPost }: Forward): TlObject {
  return {
    _: 'messageFwdHeader',
    from_id: renderPeer(from),
    date,
    ...(channelPost !== undefined && { channel_post: channelPost }),
  };
}

/** An incoming private message names no author: the chat does. A channel post names none either. */
function author(viewerId: number, copy: MessageCopy): Partial<TlObject> {
  const { content } = copy;
  if (copy.peer.kind === 'channel') {
    const mine = content.senderId === viewerId && { out: true };
    return isPost(copy) ? { ...mine } : { ...mine, from_id: renderPeer(content.author) };
  }
  if (copy.peer.kind === 'user' && !copy.out) return {};
  return { ...(copy.out && { out: true }), from_id: renderPeer(content.author) };
}

function isPost({ peer, content }: MessageCopy): boolean {
  return peer.kind === 'channel' && samePeer(content.author, peer);
}

function isSaved(viewerId: number, { peer }: MessageCopy): boolean {
  return peer.kind === 'user' && peer.id === viewerId;
}
