import type { TlObject } from '../../schema/tl-object.js';
import { arrayOf, numberOf, objectsOf, optionalObjectOf, stringOf } from '../../schema/tl-object.js';
import type { Box } from '../../world/boxes.js';
import { copiesOf } from '../../world/boxes.js';
import type { MessageCopy } from '../../world/messages.js';
import type { PeerRef } from '../../world/peer.js';
import type { Call, Methods } from '../call.js';
import { dialogEntries, dialogEntry, renderDialogs } from '../dialogs.js';
import { assertMayRead, channelOf, peerOf, readPeer } from '../input.js';
import { renderAffected } from '../posted.js';
import { Cast } from '../render/cast.js';
import { renderMessage } from '../render/messages.js';
import { renderState } from './updates.js';

/** Messages and chats in one answer. */
const MAX_LIMIT = 100;

/** Reading chats (https://core.telegram.org/api/offsets). */
export const historyMethods: Methods = {
  'messages.getHistory': (call, query) => {
    const peer = peerOf(call, query);
    return renderMessages(call, peer, page(copiesIn(call, peer), query), copiesIn(call, peer).length);
  },
  'messages.search': (call, query) => {
    const peer = peerOf(call, query);
    const found = copiesIn(call, peer).filter((copy) => matchesSearch(call, copy, query));
    return renderMessages(call, peer, page(found, query), found.length);
  },
  'messages.getMessages': (call, query) => {
    const box = call.world.posting.box(call.account.id);
    const copies = idsOf(query).flatMap((id) => box.messages.get(id) ?? []);
    return { _: 'messages.messages', ...contents(call, copies, idsOf(query)) };
  },
  'channels.getMessages': (call, query) => {
    const channel = channelOf(call, query);
    assertMayRead(call, channel);
    const copies = idsOf(query).flatMap((id) => channel.box.messages.get(id) ?? []);
    return {
      _: 'messages.channelMessages',
      pts: channel.box.pts,
      count: copies.length,
      ...contents(call, copies, idsOf(query)),
    };
  },
  'messages.readHistory': (call, query) => {
    const { world, account, origin } = call;
    const event = world.reading.read(account, peerOf(call, query), numberOf(query, 'max_id'), origin);
    return renderAffected(world.posting.box(account.id).pts, event);
  },
  'channels.readHistory': (call, query) => {
    const { world, account, origin } = call;
    const channel = channelOf(call, query);
    world.reading.readChannel(account, channel, numberOf(query, 'max_id'), origin);
    return true;
  },
  'messages.readMessageContents': ({ world, account }) => renderAffected(world.posting.box(account.id).pts, undefined),
  'channels.readMessageContents': () => true,
  'messages.receivedMessages': () => [],
  'messages.getDialogs': (call, query) => renderDialogPage(call, query),
  'messages.getPinnedDialogs': (call) => ({
    _: 'messages.peerDialogs',
    ...renderDialogs(
      call,
      dialogEntries(call).filter(({ pinned }) => pinned),
    ),
    state: renderState(call),
  }),
  'messages.getPeerDialogs': (call, query) => {
    const peers = objectsOf(query, 'peers').flatMap((input) => optionalObjectOf(input, 'peer') ?? []);
    const entries = peers.map((input) => dialogEntry(call, readPeer(call, input)));
    return { _: 'messages.peerDialogs', ...renderDialogs(call, entries), state: renderState(call) };
  },
  'messages.getDialogFilters': () => ({ _: 'messages.dialogFilters', filters: [{ _: 'dialogFilterDefault' }] }),
  'messages.getDialogUnreadMarks': () => [],
  'messages.getPeerSettings': () => ({
    _: 'messages.peerSettings',
    settings: { _: 'peerSettings' },
    chats: [],
    users: [],
  }),
  'messages.getMessagesViews': (call, query) => views(call, query),
};

function copiesIn(call: Call, peer: PeerRef): MessageCopy[] {
  return copiesOf(boxOf(call, peer), peer);
}

function boxOf(call: Call, peer: PeerRef): Box {
  if (peer.kind !== 'channel') return call.world.posting.box(call.account.id);
  const channel = call.world.chats.channel(peer.id);
  assertMayRead(call, channel);
  return channel.box;
}

/**
 * The window of https://core.telegram.org/api/offsets: newest first, `add_offset` moves it towards older messages when
 * positive and towards newer ones when negative.
 * @param ascending oldest first
 */
function page(ascending: readonly MessageCopy[], query: TlObject): MessageCopy[] {
  const [offsetId, addOffset, maxId, minId] = ['offset_id', 'add_offset', 'max_id', 'min_id'].map((field) =>
    numberOf(query, field),
  ) as [number, number, number, number];
  const limit = Math.min(Math.max(numberOf(query, 'limit'), 0), MAX_LIMIT);
  const newestFirst = ascending.toReversed();
  const start = offsetId === 0 ? 0 : newestFirst.findIndex((copy) => copy.id < offsetId);
  const from = (start < 0 ? newestFirst.length : start) + addOffset;
  return newestFirst
    .slice(Math.max(from, 0), Math.max(from + limit, 0))
    .filter(({ id }) => (maxId === 0 || id < maxId) && id > minId);
}

function matchesSearch(call: Call, { content }: MessageCopy, query: TlObject): boolean {
  const text = stringOf(query, 'q').toLowerCase();
  const from = optionalObjectOf(query, 'from_id');
  if (from && readPeer(call, from).id !== content.senderId) return false;
  return content.text.toLowerCase().includes(text) && matchesFilter(content.media?.kind, query);
}

function matchesFilter(kind: string | undefined, query: TlObject): boolean {
  switch (optionalObjectOf(query, 'filter')?._) {
    case 'inputMessagesFilterPhotos':
      return kind === 'photo';
    case 'inputMessagesFilterDocument':
      return kind === 'document';
    case 'inputMessagesFilterPhotoVideo':
      return kind === 'photo' || kind === 'document';
    case 'inputMessagesFilterPinned':
      return false;
    default:
      return true;
  }
}

function renderMessages(call: Call, peer: PeerRef, copies: readonly MessageCopy[], count: number): TlObject {
  const rendered = contents(call, copies);
  if (peer.kind === 'channel') {
    return { _: 'messages.channelMessages', pts: call.world.chats.channel(peer.id).box.pts, count, ...rendered };
  }
  if (copies.length === count) return { _: 'messages.messages', ...rendered };
  return { _: 'messages.messagesSlice', count, ...rendered };
}

/** @param wanted ids to answer in this order, those that do not exist as `messageEmpty` */
function contents({ world, account }: Call, copies: readonly MessageCopy[], wanted?: readonly number[]) {
  const byId = new Map(copies.map((copy) => [copy.id, renderMessage(world, account.id, copy)]));
  const messages = wanted ? wanted.map((id) => byId.get(id) ?? { _: 'messageEmpty', id }) : [...byId.values()];
  return { messages, topics: [], ...new Cast(world, account.id).addMessages(copies).render() };
}

function idsOf(query: TlObject): number[] {
  return objectsOf(query, 'id').flatMap((input) => (input._ === 'inputMessageID' ? [numberOf(input, 'id')] : []));
}

function renderDialogPage(call: Call, query: TlObject): TlObject {
  const all = dialogEntries(call);
  const offsetDate = numberOf(query, 'offset_date');
  const offsetId = numberOf(query, 'offset_id');
  const rest =
    offsetDate === 0
      ? all
      : all.filter(({ top }) => {
          const date = top?.content.date ?? 0;
          return date < offsetDate || (date === offsetDate && (top?.id ?? 0) < offsetId);
        });
  const limit = Math.min(Math.max(numberOf(query, 'limit'), 1), MAX_LIMIT);
  // Only the main list: there is no archive here.
  if (query['folder_id'] !== undefined && numberOf(query, 'folder_id') !== 0) {
    return { _: 'messages.dialogs', dialogs: [], messages: [], chats: [], users: [] };
  }
  const shown = rest.slice(0, limit);
  if (shown.length === all.length) return { _: 'messages.dialogs', ...renderDialogs(call, shown) };
  return { _: 'messages.dialogsSlice', count: all.length, ...renderDialogs(call, shown) };
}

function views(call: Call, query: TlObject): TlObject {
  const box = boxOf(call, peerOf(call, query));
  const counted = arrayOf(query, 'id').map((id) => {
    const copy = box.messages.get(Number(id));
    if (copy && query['increment'] === true && copy.content.views > 0) copy.content.views += 1;
    return { _: 'messageViews', ...(copy && copy.content.views > 0 && { views: copy.content.views, forwards: 0 }) };
  });
  return { _: 'messages.messageViews', views: counted, chats: [], users: [] };
}
