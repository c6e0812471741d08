import type { Account } from './accounts.js';
import type { BoxEvent } from './boxes.js';
import { copiesOf, dialogOf, record } from './boxes.js';
import type { Channel } from './chats.js';
import type { VirtualClock } from './clock.js';
import type { Origin, WorldListener } from './listener.js';
import type { MessageCopy } from './messages.js';
import type { PeerRef } from './peer.js';
import { userPeer } from './peer.js';
import type { Posting } from './posting.js';

/** Marks chats as read, and lets the writers know (https://core.telegram.org/api/read-receipts). */
export class Reading {
  constructor(
    private readonly posting: Posting,
    private readonly clock: VirtualClock,
    private readonly listener: () => WorldListener,
  ) {}

  /** @returns the event of the reader's own box, or undefined when all of that was read before. */
  read(reader: Account, peer: PeerRef, maxId: number, origin?: Origin): BoxEvent | undefined {
    const box = this.posting.box(reader.id);
    const dialog = dialogOf(box, peer);
    const newest = Math.min(maxId === 0 ? dialog.topId : maxId, dialog.topId);
    if (newest <= dialog.readInboxId) return undefined;
    const copies = copiesOf(box, peer);
    const justRead = copies.filter((copy) => !copy.out && copy.id > dialog.readInboxId && copy.id <= newest);
    dialog.readInboxId = newest;
    dialog.unread = copies.filter((copy) => !copy.out && copy.id > newest).length;
    const change = { type: 'read-inbox', peer, maxId: newest, unread: dialog.unread } as const;
    const event = record(box, this.clock.seconds(), change);
    this.listener().boxChanged(reader.id, event, origin);
    this.tellWriters(reader, peer, justRead);
    return event;
  }

  /** Channels have no read receipts; the reader's other clients learn of it. */
  readChannel(reader: Account, channel: Channel, maxId: number, origin?: Origin): void {
    const before = channel.readInbox.get(reader.id) ?? 0;
    if (maxId <= before) return;
    channel.readInbox.set(reader.id, maxId);
    const unread = this.unreadInChannel(reader.id, channel);
    this.listener().notice(reader.id, { type: 'channel-read', channelId: channel.id, maxId, unread }, origin);
  }

  /** Messages of others that came after the reader joined and after what was read. */
  unreadInChannel(readerId: number, channel: Channel): number {
    const from = this.readInboxOf(readerId, channel);
    let unread = 0;
    for (let id = channel.box.nextId - 1; id > from; id--) {
      const copy = channel.box.messages.get(id);
      if (copy && copy.content.senderId !== readerId) unread += 1;
    }
    return unread;
  }

  readInboxOf(readerId: number, channel: Channel): number {
    return Math.max(channel.readInbox.get(readerId) ?? 0, channel.joinedAtId.get(readerId) ?? 0);
  }

  private tellWriters(reader: Account, peer: PeerRef, copies: readonly MessageCopy[]): void {
    const newestOf = new Map<number, MessageCopy>();
    for (const copy of copies) newestOf.set(copy.content.senderId, copy);
    for (const [writerId, copy] of newestOf) {
      if (writerId === reader.id) continue;
      const box = this.posting.box(writerId);
      const theirs = peer.kind === 'user' ? userPeer(reader.id) : peer;
      const original = copiesOf(box, theirs).findLast((other) => other.content === copy.content);
      const dialog = dialogOf(box, theirs);
      if (!original || original.id <= dialog.readOutboxId) continue;
      dialog.readOutboxId = original.id;
      const change = { type: 'read-outbox', peer: theirs, maxId: original.id } as const;
      this.listener().boxChanged(writerId, record(box, this.clock.seconds(), change), undefined);
    }
  }
}
