import type { TlObject } from '../schema/tl-object.js';
import type { BoxEvent } from '../world/boxes.js';
import type { Channel } from '../world/chats.js';
import { userPeer } from '../world/peer.js';
import type { Posted } from '../world/posting.js';
import type { ScheduledMessage } from '../world/scheduled.js';
import type { Call } from './call.js';
import { Cast } from './render/cast.js';
import { renderScheduled } from './render/messages.js';
import { renderBoxEvent, renderChannelEvent, updatesOf } from './render/updates.js';

/** A message with the random id that its sender knows it by. */
export interface Sent {
  readonly posted: Posted;
  readonly randomId: bigint | undefined;
}

/** The answer of every method that sends: which random id became which message, and the messages. */
export function renderPosted(call: Call, sent: readonly Sent[], extra: readonly TlObject[] = []): TlObject {
  const cast = new Cast(call.world, call.account.id);
  const ids = sent.flatMap(({ posted, randomId }) =>
    randomId === undefined ? [] : [{ _: 'updateMessageID', id: posted.copy.id, random_id: randomId }],
  );
  const messages = sent.flatMap(({ posted }) => renderEventOf(call, posted, cast) ?? []);
  return updatesOf(call.world, [...ids, ...extra, ...messages], cast.render());
}

/** The answer to a message that will be sent later. */
export function renderScheduledAnswer(call: Call, randomId: bigint, message: ScheduledMessage): TlObject {
  const cast = new Cast(call.world, call.account.id).add(message.peer, userPeer(call.account.id));
  const updates = [
    { _: 'updateMessageID', id: message.id, random_id: randomId },
    { _: 'updateNewScheduledMessage', message: renderScheduled(call.world, message) },
  ];
  return updatesOf(call.world, updates, cast.render());
}

/** `messages.affectedMessages`: how far the counter went. */
export function renderAffected(pts: number, event: BoxEvent | undefined): TlObject {
  return { _: 'messages.affectedMessages', pts: event?.pts ?? pts, pts_count: event?.ptsCount ?? 0 };
}

function renderEventOf(call: Call, posted: { event: BoxEvent; channel: Channel | undefined }, cast: Cast) {
  const { world, account } = call;
  return posted.channel
    ? renderChannelEvent(world, account.id, posted.channel, posted.event, cast)
    : renderBoxEvent(world, account.id, world.posting.box(account.id), posted.event, cast);
}
