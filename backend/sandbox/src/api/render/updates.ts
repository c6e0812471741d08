import type { TlObject } from '../../schema/tl-object.js';
import type { Box, BoxEvent } from '../../world/boxes.js';
import type { Channel } from '../../world/chats.js';
import type { World } from '../../world/world.js';
import type { CastFields } from './cast.js';
import { Cast } from './cast.js';
import { renderMessage } from './messages.js';
import { renderPeer } from './peers.js';

/**
 * `updates` with the given contents. `seq` 0 tells the client not to check that sequence
 * (https://core.telegram.org/api/updates#updates-sequence).
 */
export function updatesOf(world: World, updates: readonly TlObject[], cast?: CastFields): TlObject {
  const { users, chats } = cast ?? { users: [], chats: [] };
  return { _: 'updates', updates, users, chats, date: world.clock.seconds(), seq: 0 };
}

/** One update that needs no objects around it; TDLib takes some updates only in this form before a login. */
export function updateShort(world: World, update: TlObject): TlObject {
  return { _: 'updateShort', update, date: world.clock.seconds() };
}

/** The update for an event of the viewer's own box; undefined when its message is gone again. */
export function renderBoxEvent(
  world: World,
  viewerId: number,
  box: Box,
  { pts, ptsCount, change }: BoxEvent,
  cast: Cast,
): TlObject | undefined {
  const counters = { pts, pts_count: ptsCount };
  switch (change.type) {
    case 'message':
    case 'edit': {
      const copy = box.messages.get(change.id);
      if (!copy) return undefined;
      cast.addMessages([copy]);
      const name = change.type === 'message' ? 'updateNewMessage' : 'updateEditMessage';
      return { _: name, message: renderMessage(world, viewerId, copy), ...counters };
    }
    case 'delete':
      return { _: 'updateDeleteMessages', messages: change.ids, ...counters };
    case 'read-inbox': {
      const { peer, maxId, unread } = change;
      cast.add(peer);
      return {
        _: 'updateReadHistoryInbox',
        peer: renderPeer(peer),
        max_id: maxId,
        still_unread_count: unread,
        ...counters,
      };
    }
    case 'read-outbox':
      cast.add(change.peer);
      return { _: 'updateReadHistoryOutbox', peer: renderPeer(change.peer), max_id: change.maxId, ...counters };
  }
}

/** The update for an event of a channel's box; undefined when its message is gone again. */
export function renderChannelEvent(
  world: World,
  viewerId: number,
  channel: Channel,
  { pts, ptsCount, change }: BoxEvent,
  cast: Cast,
): TlObject | undefined {
  const counters = { pts, pts_count: ptsCount };
  if (change.type === 'delete') {
    return { _: 'updateDeleteChannelMessages', channel_id: channel.id, messages: change.ids, ...counters };
  }
  if (change.type !== 'message' && change.type !== 'edit') return undefined;
  const copy = channel.box.messages.get(change.id);
  if (!copy) return undefined;
  cast.addMessages([copy]);
  const name = change.type === 'message' ? 'updateNewChannelMessage' : 'updateEditChannelMessage';
  return { _: name, message: renderMessage(world, viewerId, copy), ...counters };
}

/** The updates for one event, with everybody it mentions. */
export function renderEvent(
  world: World,
  viewerId: number,
  source: Box | Channel,
  event: BoxEvent,
  extra: readonly TlObject[] = [],
): TlObject {
  const cast = new Cast(world, viewerId);
  const update =
    'box' in source
      ? renderChannelEvent(world, viewerId, source, event, cast)
      : renderBoxEvent(world, viewerId, source, event, cast);
  return updatesOf(world, update ? [...extra, update] : extra, cast.render());
}
