import type { TlObject } from '../../schema/tl-object.js';
import { numberOf, optionalNumberOf } from '../../schema/tl-object.js';
import type { Box, BoxEvent } from '../../world/boxes.js';
import { copiesOf, eventsAfter } from '../../world/boxes.js';
import type { Channel } from '../../world/chats.js';
import type { PeerRef } from '../../world/peer.js';
import { channelPeer } from '../../world/peer.js';
import type { Call, Methods } from '../call.js';
import { renderDialog } from '../dialogs.js';
import { assertMayRead, channelOf } from '../input.js';
import { Cast } from '../render/cast.js';
import { renderMessage } from '../render/messages.js';
import { renderBoxEvent, renderChannelEvent } from '../render/updates.js';

/** Events in one answer; more make the client ask again. */
const SLICE = 100;

/** Messages that come with `…TooLong`. */
const TOO_LONG_MESSAGES = 20;

/** https://core.telegram.org/api/updates */
export const updatesMethods: Methods = {
  'updates.getState': (call) => renderState(call),
  'updates.getDifference': (call, query) => difference(call, query),
  'updates.getChannelDifference': (call, query) => {
    const channel = channelOf(call, query);
    assertMayRead(call, channel);
    const limit = Math.min(Math.max(numberOf(query, 'limit'), 1), SLICE);
    return channelDifference(call, channel, numberOf(query, 'pts'), limit);
  },
};

/** `updates.state` of the caller's box. */
export function renderState({ world, account }: Call): TlObject {
  const box = world.posting.box(account.id);
  const unread = [...box.dialogs.values()].filter((dialog) => dialog.unread > 0).length;
  return stateAt(box.pts, world.clock.seconds(), unread);
}

function stateAt(pts: number, date: number, unread: number): TlObject {
  // There are no secret chats (qts) here, and nothing is numbered by seq.
  return { _: 'updates.state', pts, qts: 0, date, seq: 0, unread_count: unread };
}

function difference(call: Call, query: TlObject): TlObject {
  const { world, account } = call;
  const box = world.posting.box(account.id);
  const since = numberOf(query, 'date');
  const limit = Math.min(optionalNumberOf(query, 'pts_limit') ?? SLICE, SLICE);
  const events = eventsAfter(box, numberOf(query, 'pts'), limit + 1);
  if (!events) return { _: 'updates.differenceTooLong', pts: box.pts };
  const changed = changedChannels(call, since);
  if (events.length === 0 && changed.length === 0) {
    return { _: 'updates.differenceEmpty', date: world.clock.seconds(), seq: 0 };
  }
  const isLast = events.length <= limit;
  const shown = events.slice(0, limit);
  const contents = renderEvents(call, box, shown, isLast ? changed : []);
  if (isLast) return { _: 'updates.difference', ...contents, state: renderState(call) };
  const last = shown.at(-1);
  const state = stateAt(last?.pts ?? box.pts, last?.date ?? since, 0);
  return { _: 'updates.differenceSlice', ...contents, intermediate_state: state };
}

/** TDLib asks for a channel's difference at start only when it is told that the channel changed. */
function changedChannels({ world, account }: Call, since: number): Channel[] {
  return world.chats.channelsOf(account.id).filter(({ box }) => (box.events.at(-1)?.date ?? 0) >= since);
}

function renderEvents(
  { world, account }: Call,
  box: Box,
  events: readonly BoxEvent[],
  changed: readonly Channel[],
): Partial<TlObject> {
  const cast = new Cast(world, account.id).add(...changed.map(({ id }) => channelPeer(id)));
  const newMessages: TlObject[] = [];
  const otherUpdates: TlObject[] = [];
  for (const event of events) {
    const update = renderBoxEvent(world, account.id, box, event, cast);
    if (!update) continue;
    if (event.change.type === 'message') newMessages.push(update['message'] as TlObject);
    else otherUpdates.push(update);
  }
  for (const { id, box: channelBox } of changed) {
    otherUpdates.push({ _: 'updateChannelTooLong', channel_id: id, pts: channelBox.pts });
  }
  return {
    new_messages: newMessages,
    new_encrypted_messages: [],
    other_updates: otherUpdates,
    ...cast.render(),
  };
}

function channelDifference(call: Call, channel: Channel, pts: number, limit: number): TlObject {
  const { world, account } = call;
  const { box } = channel;
  if (pts >= box.pts) return { _: 'updates.channelDifferenceEmpty', final: true, pts: box.pts };
  const events = eventsAfter(box, pts, limit + 1);
  const peer = channelPeer(channel.id);
  const cast = new Cast(world, account.id).add(peer);
  if (!events) return channelTooLong(call, channel, peer, cast);
  const isLast = events.length <= limit;
  const shown = events.slice(0, limit);
  const newMessages: TlObject[] = [];
  const otherUpdates: TlObject[] = [];
  for (const event of shown) {
    const update = renderChannelEvent(world, account.id, channel, event, cast);
    if (!update) continue;
    if (event.change.type === 'message') newMessages.push(update['message'] as TlObject);
    else otherUpdates.push(update);
  }
  return {
    _: 'updates.channelDifference',
    ...(isLast && { final: true }),
    pts: isLast ? box.pts : (shown.at(-1)?.pts ?? box.pts),
    new_messages: newMessages,
    other_updates: otherUpdates,
    ...cast.render(),
  };
}

function channelTooLong(call: Call, channel: Channel, peer: PeerRef, cast: Cast): TlObject {
  const newest = copiesOf(channel.box, peer).slice(-TOO_LONG_MESSAGES).reverse();
  cast.addMessages(newest);
  return {
    _: 'updates.channelDifferenceTooLong',
    final: true,
    dialog: renderDialog(call, peer),
    messages: newest.map((copy) => renderMessage(call.world, call.account.id, copy)),
    ...cast.render(),
  };
}
