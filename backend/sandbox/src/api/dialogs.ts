import type { TlObject } from '../schema/tl-object.js';
import type { Dialog } from '../world/boxes.js';
import { dialogOf } from '../world/boxes.js';
import type { MessageCopy } from '../world/messages.js';
import type { PeerRef } from '../world/peer.js';
import { channelPeer } from '../world/peer.js';
import type { Call } from './call.js';
import { Cast } from './render/cast.js';
import { renderMessage } from './render/messages.js';
import { renderPeer } from './render/peers.js';

/** One entry of the chat list, with its newest message. */
export interface DialogEntry {
  readonly peer: PeerRef;
  readonly top: MessageCopy | undefined;
  readonly pinned: boolean;
}

/** The caller's chats, the newest first. */
export function dialogEntries({ world, account }: Call): DialogEntry[] {
  const box = world.posting.box(account.id);
  const own = [...box.dialogs.values()]
    .filter(({ topId }) => topId > 0)
    .map(({ peer, topId, pinned }) => ({ peer, top: box.messages.get(topId), pinned }));
  const channels = world.chats.channelsOf(account.id).map((channel) => {
    const { topId } = dialogOf(channel.box, channelPeer(channel.id));
    return { peer: channelPeer(channel.id), top: channel.box.messages.get(topId), pinned: false };
  });
  return [...own, ...channels].sort((a, b) => dateOf(b) - dateOf(a));
}

/** `dialog` for one chat, whether or not there is a message in it. */
export function renderDialog(call: Call, peer: PeerRef): TlObject {
  const state = peer.kind === 'channel' ? channelDialog(call, peer) : ownDialog(call, peer);
  return {
    _: 'dialog',
    peer: renderPeer(peer),
    top_message: state.topId,
    read_inbox_max_id: state.readInboxId,
    read_outbox_max_id: state.readOutboxId,
    unread_count: state.unread,
    unread_mentions_count: 0,
    unread_reactions_count: 0,
    notify_settings: { _: 'peerNotifySettings' },
    ...(state.pinned && { pinned: true }),
    ...(peer.kind === 'channel' && { pts: call.world.chats.channel(peer.id).box.pts }),
  };
}

/** The fields `dialogs`, `messages`, `chats` and `users` of `messages.dialogs` and its relatives. */
export function renderDialogs(call: Call, entries: readonly DialogEntry[]): Partial<TlObject> {
  const { world, account } = call;
  const tops = entries.flatMap(({ top }) => top ?? []);
  const cast = new Cast(world, account.id).add(...entries.map(({ peer }) => peer)).addMessages(tops);
  return {
    dialogs: entries.map(({ peer }) => renderDialog(call, peer)),
    messages: tops.map((copy) => renderMessage(world, account.id, copy)),
    ...cast.render(),
  };
}

/** The entry of one chat, for whoever asks for it by name. */
export function dialogEntry({ world, account }: Call, peer: PeerRef): DialogEntry {
  const box = peer.kind === 'channel' ? world.chats.channel(peer.id).box : world.posting.box(account.id);
  const { topId, pinned } = dialogOf(box, peer);
  return { peer, top: box.messages.get(topId), pinned };
}

function ownDialog({ world, account }: Call, peer: PeerRef): Dialog {
  return dialogOf(world.posting.box(account.id), peer);
}

function channelDialog({ world, account }: Call, peer: PeerRef): Dialog {
  const channel = world.chats.channel(peer.id);
  return {
    ...dialogOf(channel.box, peer),
    readInboxId: world.reading.readInboxOf(account.id, channel),
    readOutboxId: 0,
    unread: world.reading.unreadInChannel(account.id, channel),
  };
}

function dateOf({ top }: DialogEntry): number {
  return top?.content.date ?? 0;
}
