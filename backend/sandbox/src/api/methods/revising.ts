import type { TlObject } from '../../schema/tl-object.js';
import { arrayOf, flagOf, numberOf, optionalObjectOf, optionalStringOf } from '../../schema/tl-object.js';
import { copiesOf } from '../../world/boxes.js';
import type { PeerRef } from '../../world/peer.js';
import type { Call, Methods } from '../call.js';
import { readMedia } from '../input-media.js';
import { channelOf, peerOf } from '../input.js';
import { renderAffected, renderPosted } from '../posted.js';
import { renderNotice } from '../render/notices.js';
import { renderScheduled } from '../render/messages.js';
import { Cast } from '../render/cast.js';
import { updatesOf } from '../render/updates.js';
import { entitiesOf } from './sending.js';

/** Changing what was sent: edits, deletions, pins, scheduled messages. */
export const revisingMethods: Methods = {
  'messages.editMessage': async (call, query) => {
    const peer = peerOf(call, query);
    const input = optionalObjectOf(query, 'media');
    const posted = call.world.revising.edit(
      call.account,
      peer,
      numberOf(query, 'id'),
      {
        text: optionalStringOf(query, 'message'),
        entities: entitiesOf(query),
        media: input && (await readMedia(call, input)),
        replyMarkup: optionalObjectOf(query, 'reply_markup'),
      },
      call.origin,
    );
    return renderPosted(call, [{ posted, randomId: undefined }]);
  },
  'messages.deleteMessages': (call, query) => {
    const { world, account, origin } = call;
    const event = world.revising.delete(account, idsOf(query), flagOf(query, 'revoke'), origin);
    return renderAffected(world.posting.box(account.id).pts, event);
  },
  'channels.deleteMessages': (call, query) => {
    const channel = channelOf(call, query);
    const event = call.world.revising.deleteFromChannel(call.account, channel, idsOf(query), call.origin);
    return renderAffected(channel.box.pts, event);
  },
  'messages.deleteHistory': (call, query) => {
    const { world, account, origin } = call;
    const box = world.posting.box(account.id);
    const maxId = numberOf(query, 'max_id');
    const ids = copiesOf(box, peerOf(call, query)).flatMap(({ id }) => (maxId === 0 || id <= maxId ? [id] : []));
    const event = world.revising.delete(account, ids, flagOf(query, 'revoke'), origin);
    const pts = event?.pts ?? box.pts;
    return { _: 'messages.affectedHistory', pts, pts_count: event?.ptsCount ?? 0, offset: 0 };
  },
  'messages.updatePinnedMessage': (call, query) => pin(call, query),
  'messages.getScheduledHistory': (call, query) => {
    const waiting = call.world.scheduled.of(call.account.id, peerOf(call, query));
    const cast = new Cast(call.world, call.account.id).add(...waiting.map(({ peer }) => peer));
    const messages = waiting.map((message) => renderScheduled(call.world, message));
    return { _: 'messages.messages', messages, topics: [], ...cast.render() };
  },
  'messages.sendScheduledMessages': (call, query) => {
    const sent = call.world.scheduled.send(idsOf(query));
    return renderPosted(
      call,
      sent.map((posted) => ({ posted, randomId: undefined })),
    );
  },
  'messages.deleteScheduledMessages': (call, query) => {
    const { world, account } = call;
    const peer = peerOf(call, query);
    world.scheduled.remove(account.id, idsOf(query));
    const notice = { type: 'scheduled-gone', peer, ids: idsOf(query), sentIds: [] } as const;
    world.notify(account.id, notice, call.origin);
    return renderNotice(world, account.id, notice) ?? updatesOf(world, []);
  },
  'messages.setTyping': (call, query) => {
    const { world, account, origin } = call;
    const peer = peerOf(call, query);
    for (const [readerId, seen] of readersOf(call, peer)) {
      world.notify(readerId, { type: 'typing', peer: seen, userId: account.id }, origin);
    }
    return true;
  },
};

function idsOf(query: TlObject): number[] {
  return arrayOf(query, 'id').filter((id) => typeof id === 'number');
}

function pin(call: Call, query: TlObject): TlObject {
  const { world, account } = call;
  const copy = world.revising.copy(account.id, peerOf(call, query), numberOf(query, 'id'));
  copy.content.pinned = !flagOf(query, 'unpin');
  return renderPosted(call, [
    { posted: world.revising.announceEdit(account.id, copy, call.origin), randomId: undefined },
  ]);
}

/** Who would see the caller type, and in which chat of theirs. */
function readersOf({ world, account }: Call, peer: PeerRef): [number, PeerRef][] {
  if (peer.kind === 'user') return peer.id === account.id ? [] : [[peer.id, { kind: 'user', id: account.id }]];
  const members = peer.kind === 'group' ? world.chats.group(peer.id).members : world.chats.channel(peer.id).members;
  return [...members.keys()].filter((id) => id !== account.id).map((id) => [id, peer]);
}
