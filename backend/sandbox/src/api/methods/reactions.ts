import { RpcError } from '../../rpc.js';
import type { TlObject } from '../../schema/tl-object.js';
import { numberOf, objectsOf, optionalStringOf } from '../../schema/tl-object.js';
import type { MessageCopy } from '../../world/messages.js';
import type { Call, Methods } from '../call.js';
import { peerOf } from '../input.js';
import { dcOf } from '../render/media.js';
import { renderNotice } from '../render/notices.js';
import { updatesOf } from '../render/updates.js';

/** The emoji that may be chosen, with their names. */
const REACTIONS: readonly (readonly [string, string])[] = [
  ['👍', 'Thumbs Up'],
  ['👎', 'Thumbs Down'],
  ['❤', 'Red Heart'],
  ['🔥', 'Fire'],
  ['🎉', 'Party Popper'],
  ['😁', 'Beaming Face'],
  ['😢', 'Crying Face'],
  ['👀', 'Eyes'],
];

/** Any number but 0 that stays the same serves as the list's hash. */
const REACTIONS_HASH = 1;

/** https://core.telegram.org/api/reactions */
export const reactionsMethods: Methods = {
  'messages.getAvailableReactions': (call, query) => {
    if (numberOf(query, 'hash') === REACTIONS_HASH) return { _: 'messages.availableReactionsNotModified' };
    const reactions = REACTIONS.map(([emoji, title], index) => renderReaction(call, emoji, title, index));
    return { _: 'messages.availableReactions', hash: REACTIONS_HASH, reactions };
  },
  'messages.sendReaction': (call, query) => react(call, query),
};

/** An empty list takes the account's reactions back. */
function react(call: Call, query: TlObject): TlObject {
  const { world, account, origin } = call;
  const peer = peerOf(call, query);
  const copy = world.revising.copy(account.id, peer, numberOf(query, 'msg_id'));
  const chosen = query['reaction'] === undefined ? [] : objectsOf(query, 'reaction');
  const date = world.clock.seconds();
  const mine = chosen.map((reaction) => ({ userId: account.id, emoji: emojiOf(reaction), date }));
  copy.content.reactions = [...copy.content.reactions.filter(({ userId }) => userId !== account.id), ...mine];
  for (const [ownerId, other] of copiesWithOwners(call, copy)) {
    world.notify(ownerId, { type: 'reactions', peer: other.peer, messageId: other.id }, origin);
  }
  const own = { type: 'reactions', peer, messageId: copy.id } as const;
  return renderNotice(world, account.id, own) ?? updatesOf(world, []);
}

function emojiOf(reaction: TlObject): string {
  const emoji = optionalStringOf(reaction, 'emoticon');
  if (emoji === undefined) throw new RpcError(400, 'REACTION_INVALID');
  return emoji;
}

/** Everybody who has the message, with the copy they have. */
function copiesWithOwners({ world, account }: Call, copy: MessageCopy): [number, MessageCopy][] {
  if (copy.peer.kind === 'channel') {
    return [...world.chats.channel(copy.peer.id).members.keys()].map((id) => [id, copy]);
  }
  return [[account.id, copy], ...world.revising.otherCopies(account.id, copy)];
}

/** TDLib takes a reaction only with all its pictures. They are never asked for here, so they have no bytes. */
function renderReaction({ world, account }: Call, emoji: string, title: string, index: number): TlObject {
  const sticker = (part: number): TlObject => ({
    _: 'document',
    id: BigInt(1 + index * 5 + part),
    access_hash: 1n,
    file_reference: world.files.reference(),
    date: 0,
    mime_type: part === 0 ? 'image/webp' : 'application/x-tgsticker',
    size: 1,
    dc_id: dcOf(world, account.id),
    attributes: [
      { _: 'documentAttributeImageSize', w: 512, h: 512 },
      { _: 'documentAttributeSticker', alt: emoji, stickerset: { _: 'inputStickerSetEmpty' } },
    ],
  });
  return {
    _: 'availableReaction',
    reaction: emoji,
    title,
    static_icon: sticker(0),
    appear_animation: sticker(1),
    select_animation: sticker(2),
    activate_animation: sticker(3),
    effect_animation: sticker(4),
  };
}
