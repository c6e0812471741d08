import { RpcError } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import type { Account } from './accounts.js';
import type { BoxEvent } from './boxes.js';
import { copiesOf, record, removeCopies } from './boxes.js';
import type { Channel, Chats } from './chats.js';
import { hasRight, isMember } from './chats.js';
import type { VirtualClock } from './clock.js';
import { withFoundEntities } from './entities.js';
import type { Origin, WorldListener } from './listener.js';
import type { Content, Media, MessageCopy } from './messages.js';
import type { PeerRef } from './peer.js';
import { userPeer } from './peer.js';
import type { Posted, Posting } from './posting.js';

/** New contents of a message; what is absent stays. */
export interface Revision {
  readonly text?: string | undefined;
  readonly entities?: readonly TlObject[] | undefined;
  readonly media?: Media | undefined;
  /** Taken as it is, also when undefined: Telegram drops the buttons of an edit without them. */
  readonly replyMarkup: TlObject | undefined;
}

/** Users may edit, and bots may delete, for 48 hours (https://core.telegram.org/bots/api#deletemessage). */
const REVISION_SECONDS = 48 * 3600;

/** Edits, deletes and marks as read, in every box that has a copy. */
export class Revising {
  constructor(
    private readonly chats: Chats,
    private readonly posting: Posting,
    private readonly clock: VirtualClock,
    private readonly listener: () => WorldListener,
  ) {}

  /** @throws RpcError when the message does not exist, is not the editor's, is too old, or would not change. */
  edit(editor: Account, peer: PeerRef, id: number, revision: Revision, origin?: Origin): Posted {
    const copy = this.copy(editor.id, peer, id);
    const { content } = copy;
    this.assertMayEdit(editor, peer, content);
    const next = revised(content, revision);
    if (next.text === '' && !next.media) throw new RpcError(400, 'MESSAGE_EMPTY');
    if (unchanged(content, next)) throw new RpcError(400, 'MESSAGE_NOT_MODIFIED');
    Object.assign(content, next, { editDate: this.clock.seconds() });
    return this.announceEdit(editor.id, copy, origin);
  }

  /** Tells everybody who has a copy that it changed. @returns the event for `ownerId`. */
  announceEdit(ownerId: number, copy: MessageCopy, origin?: Origin): Posted {
    if (copy.peer.kind === 'channel') {
      const channel = this.chats.channel(copy.peer.id);
      const event = record(channel.box, this.clock.seconds(), { type: 'edit', id: copy.id });
      this.listener().channelChanged(channel, event, origin);
      return { copy, event, channel };
    }
    const own = this.recordEdit(ownerId, copy, origin);
    for (const [otherId, other] of this.otherCopies(ownerId, copy)) this.recordEdit(otherId, other, undefined);
    return { copy, event: own, channel: undefined };
  }

  /**
   * Deletes from the account's own box, and from the others' when `revoke` is set.
   * @returns the events of the own box.
   * @throws RpcError `400 MESSAGE_DELETE_FORBIDDEN` for a bot and an old message.
   */
  delete(account: Account, ids: readonly number[], revoke: boolean, origin?: Origin): BoxEvent | undefined {
    const box = this.posting.box(account.id);
    const copies = ids.flatMap((id) => box.messages.get(id) ?? []);
    for (const { content } of copies) this.assertMayStillDelete(account, content);
    if (revoke || account.kind === 'bot') this.revoke(account.id, copies);
    const removed = removeCopies(
      box,
      copies.map((copy) => copy.id),
    );
    return removed.length === 0 ? undefined : this.recordDelete(account.id, removed, origin);
  }

  /** @throws RpcError `403 MESSAGE_DELETE_FORBIDDEN` unless the messages are the account's own or it may delete any. */
  deleteFromChannel(account: Account, channel: Channel, ids: readonly number[], origin?: Origin): BoxEvent | undefined {
    const copies = ids.flatMap((id) => channel.box.messages.get(id) ?? []);
    const mayAll = hasRight(channel, account.id, 'delete_messages');
    for (const { content } of copies) {
      if (!mayAll && content.senderId !== account.id) throw new RpcError(403, 'MESSAGE_DELETE_FORBIDDEN');
      this.assertMayStillDelete(account, content);
    }
    return this.removeFromChannel(channel, ids, origin);
  }

  /** Without checks. @returns undefined when none of the messages existed. */
  removeFromChannel(channel: Channel, ids: readonly number[], origin?: Origin): BoxEvent | undefined {
    const removed = removeCopies(channel.box, ids);
    if (removed.length === 0) return undefined;
    const event = record(channel.box, this.clock.seconds(), { type: 'delete', ids: removed });
    this.listener().channelChanged(channel, event, origin);
    return event;
  }

  /** @throws RpcError `400 MESSAGE_ID_INVALID` */
  copy(ownerId: number, peer: PeerRef, id: number): MessageCopy {
    const box = peer.kind === 'channel' ? this.chats.channel(peer.id).box : this.posting.box(ownerId);
    const copy = box.messages.get(id);
    if (!copy) throw new RpcError(400, 'MESSAGE_ID_INVALID');
    return copy;
  }

  /** The copies of the same message in other accounts' boxes. */
  otherCopies(ownerId: number, copy: MessageCopy): [number, MessageCopy][] {
    return this.holders(copy.peer).flatMap((holderId) => {
      if (holderId === ownerId) return [];
      const peer = copy.peer.kind === 'user' ? userPeer(ownerId) : copy.peer;
      const found = copiesOf(this.posting.box(holderId), peer).find((other) => other.content === copy.content);
      return found ? [[holderId, found] satisfies [number, MessageCopy]] : [];
    });
  }

  private holders(peer: PeerRef): number[] {
    if (peer.kind === 'user') return [peer.id];
    return peer.kind === 'group' ? [...this.posting.state.boxes.keys()] : [];
  }

  private revoke(ownerId: number, copies: readonly MessageCopy[]): void {
    const removals = new Map<number, number[]>();
    for (const copy of copies) {
      for (const [otherId, other] of this.otherCopies(ownerId, copy)) {
        removals.set(otherId, [...(removals.get(otherId) ?? []), other.id]);
      }
    }
    for (const [otherId, ids] of removals) {
      removeCopies(this.posting.box(otherId), ids);
      this.recordDelete(otherId, ids, undefined);
    }
  }

  private recordEdit(ownerId: number, copy: MessageCopy, origin: Origin | undefined): BoxEvent {
    const event = record(this.posting.box(ownerId), this.clock.seconds(), { type: 'edit', id: copy.id });
    this.listener().boxChanged(ownerId, event, origin);
    return event;
  }

  private recordDelete(ownerId: number, ids: readonly number[], origin: Origin | undefined): BoxEvent {
    const event = record(this.posting.box(ownerId), this.clock.seconds(), { type: 'delete', ids });
    this.listener().boxChanged(ownerId, event, origin);
    return event;
  }

  private assertMayEdit(editor: Account, peer: PeerRef, content: Content): void {
    if (content.action) throw new RpcError(400, 'MESSAGE_ID_INVALID');
    const age = this.clock.seconds() - content.date;
    if (peer.kind === 'channel') {
      const channel = this.chats.channel(peer.id);
      if (!isMember(channel, editor.id)) throw new RpcError(400, 'CHANNEL_PRIVATE');
      if (!channel.megagroup && hasRight(channel, editor.id, 'edit_messages')) return;
    }
    if (content.senderId !== editor.id || content.forward) throw new RpcError(403, 'MESSAGE_AUTHOR_REQUIRED');
    if (editor.kind === 'user' && age > REVISION_SECONDS) throw new RpcError(400, 'MESSAGE_EDIT_TIME_EXPIRED');
  }

  private assertMayStillDelete(account: Account, content: Content): void {
    const age = this.clock.seconds() - content.date;
    if (account.kind === 'bot' && age > REVISION_SECONDS) throw new RpcError(400, 'MESSAGE_DELETE_FORBIDDEN');
  }
}

type Revised = Pick<Content, 'text' | 'entities' | 'media' | 'replyMarkup'>;

function revised(content: Content, revision: Revision): Revised {
  const text = revision.text ?? content.text;
  const entities = revision.text === undefined ? content.entities : withFoundEntities(text, revision.entities ?? []);
  return { text, entities, media: revision.media ?? content.media, replyMarkup: revision.replyMarkup };
}

function unchanged(content: Content, next: Revised): boolean {
  const shape = ({ text, entities, media, replyMarkup }: Revised): string =>
    JSON.stringify([text, entities, media, replyMarkup], (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  return shape(content) === shape(next);
}
