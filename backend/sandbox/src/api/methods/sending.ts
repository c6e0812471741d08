import { RpcError } from '../../rpc.js';
import type { TlObject } from '../../schema/tl-object.js';
import {
  arrayOf,
  bigintOf,
  flagOf,
  objectOf,
  objectsOf,
  optionalNumberOf,
  optionalObjectOf,
  stringOf,
} from '../../schema/tl-object.js';
import type { Draft, MessageCopy } from '../../world/messages.js';
import type { PeerRef } from '../../world/peer.js';
import type { Posted } from '../../world/posting.js';
import { randomLong } from '../../world/random.js';
import type { Call, Methods } from '../call.js';
import { findFile, readMedia } from '../input-media.js';
import { peerOf } from '../input.js';
import { renderPosted, renderScheduledAnswer } from '../posted.js';
import { renderMedia } from '../render/media.js';

const MAX_ALBUM = 10;

/** Sending, forwarding and albums (https://core.telegram.org/method/messages.sendMessage and neighbours). */
export const sendingMethods: Methods = {
  'messages.sendMessage': (call, query) => {
    const peer = peerOf(call, query);
    return sendOne(call, peer, query, draftOf(query));
  },
  'messages.sendMedia': async (call, query) => {
    const peer = peerOf(call, query);
    // Asked before the upload is taken: the parts of a repeated call are gone.
    const earlier = call.world.posting.repeated(call.account.id, bigintOf(query, 'random_id'));
    if (earlier) return renderPosted(call, [{ posted: earlier, randomId: bigintOf(query, 'random_id') }]);
    const media = await readMedia(call, objectOf(query, 'media'));
    return sendOne(call, peer, query, { ...draftOf(query), media });
  },
  'messages.uploadMedia': async (call, query) => {
    peerOf(call, query);
    const media = await readMedia(call, objectOf(query, 'media'));
    return renderMedia(call.world, call.account.id, media);
  },
  'messages.sendMultiMedia': (call, query) => sendAlbum(call, query),
  'messages.forwardMessages': (call, query) => forward(call, query),
};

function sendOne(call: Call, peer: PeerRef, query: TlObject, draft: Draft): TlObject {
  const { world, account, origin } = call;
  const randomId = bigintOf(query, 'random_id');
  const scheduleDate = optionalNumberOf(query, 'schedule_date');
  if (scheduleDate !== undefined && scheduleDate > world.clock.seconds()) {
    return renderScheduledAnswer(call, randomId, world.scheduled.add(account.id, peer, draft, scheduleDate));
  }
  const posted = world.posting.send(account, peer, draft, { randomId, origin });
  return renderPosted(call, [{ posted, randomId }]);
}

function draftOf(query: TlObject): Draft {
  return {
    text: stringOf(query, 'message'),
    entities: entitiesOf(query),
    replyMarkup: optionalObjectOf(query, 'reply_markup'),
    silent: flagOf(query, 'silent'),
    protected: flagOf(query, 'noforwards'),
    replyToId: replyToOf(query),
  };
}

/** Entities as they are stored: a mention by `InputUser` becomes one by id. */
export function entitiesOf(query: TlObject): readonly TlObject[] | undefined {
  if (query['entities'] === undefined) return undefined;
  return objectsOf(query, 'entities').map((entity) =>
    entity._ === 'inputMessageEntityMentionName'
      ? { ...entity, _: 'messageEntityMentionName', user_id: objectOf(entity, 'user_id')['user_id'] }
      : entity,
  );
}

function replyToOf(query: TlObject): number | undefined {
  const replyTo = optionalObjectOf(query, 'reply_to');
  return replyTo && optionalNumberOf(replyTo, 'reply_to_msg_id');
}

/** One refusal refuses the whole album. */
function sendAlbum(call: Call, query: TlObject): TlObject {
  const { world, account, origin } = call;
  const peer = peerOf(call, query);
  const items = objectsOf(query, 'multi_media');
  if (items.length === 0 || items.length > MAX_ALBUM) throw new RpcError(400, 'MULTI_MEDIA_TOO_LONG');
  const groupedId = randomLong();
  const drafts = items.map((item, index) => {
    const media = albumMedia(call, objectOf(item, 'media'), index);
    const draft: Draft = {
      text: stringOf(item, 'message'),
      entities: entitiesOf(item),
      media,
      groupedId,
      silent: flagOf(query, 'silent'),
      protected: flagOf(query, 'noforwards'),
      replyToId: replyToOf(query),
    };
    return { draft, randomId: bigintOf(item, 'random_id') };
  });
  const sent = drafts.map(({ draft, randomId }) => ({
    posted: world.posting.send(account, peer, draft, { randomId, origin }),
    randomId,
  }));
  return renderPosted(call, sent);
}

/** Items are uploaded before. An expired reference names its place, so that the client renews the right one. */
function albumMedia(call: Call, input: TlObject, index: number) {
  try {
    const file = findFile(call, objectOf(input, 'id'));
    return { kind: file.kind, fileId: file.id, spoiler: flagOf(input, 'spoiler') };
  } catch (error) {
    if (error instanceof RpcError && error.text === 'FILE_REFERENCE_EXPIRED') {
      throw new RpcError(400, `FILE_REFERENCE_${String(index)}_EXPIRED`);
    }
    throw error;
  }
}

function forward(call: Call, query: TlObject): TlObject {
  const { world, account, origin } = call;
  const from = peerOf(call, query, 'from_peer');
  const to = peerOf(call, query, 'to_peer');
  const ids = numbersOf(query, 'id');
  const randomIds = bigintsOf(query, 'random_id');
  if (ids.length !== randomIds.length) throw new RpcError(400, 'RANDOM_ID_INVALID');
  const keepAuthor = !flagOf(query, 'drop_author');
  const sent = ids.map((id, index) => {
    const copy = world.revising.copy(account.id, from, id);
    if (copy.content.protected) throw new RpcError(400, 'CHAT_FORWARDS_RESTRICTED');
    const randomId = randomIds[index] ?? 0n;
    return { posted: forwardOne(copy, randomId), randomId };
  });
  return renderPosted(call, sent);

  function forwardOne(copy: MessageCopy, randomId: bigint): Posted {
    const { content } = copy;
    const draft: Draft = {
      text: flagOf(query, 'drop_media_captions') && content.media ? '' : content.text,
      entities: content.entities,
      media: content.media,
      groupedId: content.groupedId,
      silent: flagOf(query, 'silent'),
      forward: keepAuthor ? forwardOf(copy) : undefined,
    };
    return world.posting.send(account, to, draft, { randomId, origin });
  }
}

/** A message that was forwarded before keeps its first origin. */
function forwardOf({ id, peer, content }: MessageCopy) {
  if (content.forward) return content.forward;
  const channelPost = content.author.kind === 'channel' && peer.kind === 'channel' ? id : undefined;
  return { from: content.author, date: content.date, channelPost };
}

function numbersOf(query: TlObject, field: string): number[] {
  return arrayOf(query, field).filter((id) => typeof id === 'number');
}

function bigintsOf(query: TlObject, field: string): bigint[] {
  return arrayOf(query, field).filter((id) => typeof id === 'bigint');
}
