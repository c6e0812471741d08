import type { MessageCopy } from './messages.js';
import type { PeerKey, PeerRef } from './peer.js';
import { peerKey } from './peer.js';

/** What happened to a box. */
export type Change =
  | { readonly type: 'message'; readonly id: number }
  | { readonly type: 'edit'; readonly id: number }
  | { readonly type: 'delete'; readonly ids: readonly number[] }
  | { readonly type: 'read-inbox'; readonly peer: PeerRef; readonly maxId: number; readonly unread: number }
  | { readonly type: 'read-outbox'; readonly peer: PeerRef; readonly maxId: number };

/** A change with its place in the sequence: `pts` is the counter after it, `ptsCount` what it added. */
export interface BoxEvent {
  readonly pts: number;
  readonly ptsCount: number;
  readonly date: number;
  readonly change: Change;
}

/** The state of one chat in an account's list. */
export interface Dialog {
  readonly peer: PeerRef;
  /** Newest message, 0 when there is none left. */
  topId: number;
  readInboxId: number;
  readOutboxId: number;
  unread: number;
  pinned: boolean;
}

/** Messages and their event sequence: one per account for private chats and basic groups, one per channel. */
export interface Box {
  /** Starts at 1 (https://core.telegram.org/api/updates#fetching-state). */
  pts: number;
  nextId: number;
  /** Events up to and including this pts are forgotten. */
  forgottenPts: number;
  readonly messages: Map<number, MessageCopy>;
  /** Ids by chat, ascending. */
  readonly byPeer: Map<PeerKey, number[]>;
  readonly dialogs: Map<PeerKey, Dialog>;
  events: BoxEvent[];
}

/** Events kept for getDifference; a client further behind gets `…TooLong`, as with the real server. */
const MAX_EVENTS = 10_000;
const TRIM_SLACK = 2_000;

export function emptyBox(): Box {
  return {
    pts: 1,
    nextId: 1,
    forgottenPts: 1,
    messages: new Map(),
    byPeer: new Map(),
    dialogs: new Map(),
    events: [],
  };
}

/** Appends an event and moves the counter. */
export function record(box: Box, date: number, change: Change): BoxEvent {
  const ptsCount = change.type === 'delete' ? change.ids.length : 1;
  box.pts += ptsCount;
  const event: BoxEvent = { pts: box.pts, ptsCount, date, change };
  box.events.push(event);
  if (box.events.length > MAX_EVENTS + TRIM_SLACK) {
    const forgotten = box.events.splice(0, box.events.length - MAX_EVENTS);
    box.forgottenPts = forgotten.at(-1)?.pts ?? box.forgottenPts;
  }
  return event;
}

/** Drops the event log, so that the next difference is too long. */
export function forgetEvents(box: Box): void {
  box.events = [];
  box.forgottenPts = box.pts;
}

/** Events after `pts`, oldest first, or undefined when some of them are forgotten. */
export function eventsAfter(box: Box, pts: number, limit: number): readonly BoxEvent[] | undefined {
  if (pts < box.forgottenPts) return undefined;
  const events = box.events;
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.pts ?? 0) <= pts) low = middle + 1;
    else high = middle;
  }
  return events.slice(low, low + limit);
}

/** Stores a copy and makes it the newest of its chat. */
export function addCopy(box: Box, copy: MessageCopy): Dialog {
  const key = peerKey(copy.peer);
  box.messages.set(copy.id, copy);
  const ids = box.byPeer.get(key);
  if (ids) ids.push(copy.id);
  else box.byPeer.set(key, [copy.id]);
  const dialog = dialogOf(box, copy.peer);
  dialog.topId = copy.id;
  return dialog;
}

/** Removes the copies that exist; ids without one are ignored. @returns the ids removed. */
export function removeCopies(box: Box, ids: readonly number[]): number[] {
  const removed: number[] = [];
  for (const id of ids) {
    const copy = box.messages.get(id);
    if (!copy) continue;
    box.messages.delete(id);
    removed.push(id);
    const key = peerKey(copy.peer);
    const rest = (box.byPeer.get(key) ?? []).filter((other) => other !== id);
    box.byPeer.set(key, rest);
    const dialog = dialogOf(box, copy.peer);
    dialog.topId = rest.at(-1) ?? 0;
    if (!copy.out && id > dialog.readInboxId) dialog.unread = Math.max(0, dialog.unread - 1);
  }
  return removed;
}

/** The chat's entry, made when missing. */
export function dialogOf(box: Box, peer: PeerRef): Dialog {
  const key = peerKey(peer);
  let dialog = box.dialogs.get(key);
  if (!dialog) {
    dialog = { peer, topId: 0, readInboxId: 0, readOutboxId: 0, unread: 0, pinned: false };
    box.dialogs.set(key, dialog);
  }
  return dialog;
}

/** The chat's messages, oldest first. */
export function copiesOf(box: Box, peer: PeerRef): MessageCopy[] {
  return (box.byPeer.get(peerKey(peer)) ?? []).flatMap((id) => box.messages.get(id) ?? []);
}
