import type { Account, Accounts } from './accounts.js';
import type { Box, BoxEvent } from './boxes.js';
import { addCopy, copiesOf, dialogOf, emptyBox, record } from './boxes.js';
import type { Channel, Chats, Group } from './chats.js';
import type { VirtualClock } from './clock.js';
import { withFoundEntities } from './entities.js';
import type { Origin, WorldListener } from './listener.js';
import type { Content, Draft, MessageCopy } from './messages.js';
import type { PeerRef } from './peer.js';
import { channelPeer, groupPeer, userPeer } from './peer.js';
import { assertMayPost } from './posting-rights.js';

/** A message as its sender sees it, with the event that announces it. */
export interface Posted {
  readonly copy: MessageCopy;
  readonly event: BoxEvent;
  /** Set when the message is in a channel's box instead of the sender's. */
  readonly channel: Channel | undefined;
}

export interface PostingState {
  nextUid: number;
  readonly boxes: Map<number, Box>;
  /** What each account sent, by the random id it chose: a repeated call must not send twice. */
  readonly sent: Map<number, Map<bigint, Posted>>;
}

/** How the call that posts looks to the world. */
export interface PostOptions {
  readonly randomId?: bigint | undefined;
  readonly origin?: Origin | undefined;
  /** Unix seconds; now when absent. For tests that need old messages. */
  readonly date?: number | undefined;
}

/** Random ids kept per sender. TDLib repeats a query within minutes, so a few thousand sends are plenty. */
const MAX_RANDOM_IDS = 5_000;

/** Puts messages into boxes and says so. */
export class Posting {
  state: PostingState = Posting.emptyState();

  constructor(
    private readonly accounts: Accounts,
    private readonly chats: Chats,
    private readonly clock: VirtualClock,
    private readonly listener: () => WorldListener,
  ) {}

  static emptyState(): PostingState {
    return { nextUid: 1, boxes: new Map(), sent: new Map() };
  }

  /** The account's own box, made when missing. */
  box(accountId: number): Box {
    let box = this.state.boxes.get(accountId);
    if (!box) {
      box = emptyBox();
      this.state.boxes.set(accountId, box);
    }
    return box;
  }

  /** The message that this sender already posted with this random id. */
  repeated(senderId: number, randomId: bigint): Posted | undefined {
    return this.state.sent.get(senderId)?.get(randomId);
  }

  /**
   * Posts with all checks a server makes. The same random id again gives the first message.
   * @throws RpcError when the sender may not write there, or the message is not one.
   */
  send(sender: Account, peer: PeerRef, draft: Draft, options: PostOptions = {}): Posted {
    const earlier = options.randomId === undefined ? undefined : this.repeated(sender.id, options.randomId);
    if (earlier) return earlier;
    assertMayPost({ accounts: this.accounts, chats: this.chats, clock: this.clock }, sender, peer, draft);
    return this.post(sender, peer, draft, options);
  }

  /** Posts without checks: service messages, and whatever a test wants to have happened. */
  post(sender: Account, peer: PeerRef, draft: Draft, options: PostOptions = {}): Posted {
    const content = this.content(sender, peer, draft, options.date ?? this.clock.seconds());
    const posted = this.deliver(sender, peer, content, draft, options.origin);
    if (options.randomId !== undefined) this.remember(sender.id, options.randomId, posted);
    return posted;
  }

  private deliver(sender: Account, peer: PeerRef, content: Content, draft: Draft, origin: Origin | undefined): Posted {
    if (peer.kind === 'channel') return this.toChannel(this.chats.channel(peer.id), sender, content, draft, origin);
    if (peer.kind === 'group') return this.toGroup(this.chats.group(peer.id), sender, content, draft, origin);
    return this.toUser(this.accounts.get(peer.id), sender, content, draft, origin);
  }

  private toUser(
    recipient: Account,
    sender: Account,
    content: Content,
    draft: Draft,
    origin: Origin | undefined,
  ): Posted {
    const original = this.replied(sender.id, draft);
    const own = this.addToBox(sender.id, content, userPeer(recipient.id), true, draft.replyToId, origin);
    if (recipient.id !== sender.id && !recipient.blocked.has(sender.id)) {
      const peer = userPeer(sender.id);
      this.addToBox(recipient.id, content, peer, false, this.replyIdIn(recipient.id, peer, original), undefined);
    }
    return own;
  }

  private toGroup(group: Group, sender: Account, content: Content, draft: Draft, origin: Origin | undefined): Posted {
    const peer = groupPeer(group.id);
    const original = this.replied(sender.id, draft);
    const own = this.addToBox(sender.id, content, peer, true, draft.replyToId, origin);
    for (const { userId } of group.members.values()) {
      if (userId === sender.id) continue;
      this.addToBox(userId, content, peer, false, this.replyIdIn(userId, peer, original), undefined);
    }
    return own;
  }

  private toChannel(
    channel: Channel,
    sender: Account,
    content: Content,
    draft: Draft,
    origin: Origin | undefined,
  ): Posted {
    const { box } = channel;
    const peer = channelPeer(channel.id);
    const copy: MessageCopy = { id: box.nextId++, content, peer, out: false, replyToId: draft.replyToId };
    addCopy(box, copy);
    const event = record(box, this.clock.seconds(), { type: 'message', id: copy.id });
    channel.lastSent.set(sender.id, this.clock.seconds());
    channel.readInbox.set(sender.id, copy.id);
    this.listener().channelChanged(channel, event, origin);
    return { copy, event, channel };
  }

  private addToBox(
    ownerId: number,
    content: Content,
    peer: PeerRef,
    out: boolean,
    replyToId: number | undefined,
    origin: Origin | undefined,
  ): Posted {
    const box = this.box(ownerId);
    const copy: MessageCopy = { id: box.nextId++, content, peer, out, replyToId };
    const dialog = addCopy(box, copy);
    if (out) dialog.readInboxId = copy.id;
    else dialog.unread += 1;
    if (out && peer.kind === 'user' && peer.id === ownerId) dialogOf(box, peer).readOutboxId = copy.id;
    const event = record(box, this.clock.seconds(), { type: 'message', id: copy.id });
    this.listener().boxChanged(ownerId, event, origin);
    return { copy, event, channel: undefined };
  }

  private replied(senderId: number, draft: Draft): Content | undefined {
    return draft.replyToId === undefined ? undefined : this.box(senderId).messages.get(draft.replyToId)?.content;
  }

  /** The id that another box gave to the same message. */
  private replyIdIn(ownerId: number, peer: PeerRef, content: Content | undefined): number | undefined {
    if (!content) return undefined;
    return copiesOf(this.box(ownerId), peer).find((copy) => copy.content === content)?.id;
  }

  private content(sender: Account, peer: PeerRef, draft: Draft, date: number): Content {
    const text = draft.text ?? '';
    const isPost = peer.kind === 'channel' && !this.chats.channel(peer.id).megagroup;
    return {
      uid: this.state.nextUid++,
      senderId: sender.id,
      author: isPost ? peer : userPeer(sender.id),
      date,
      editDate: undefined,
      text,
      entities: withFoundEntities(text, draft.entities ?? []),
      media: draft.media,
      replyMarkup: draft.replyMarkup,
      groupedId: draft.groupedId,
      forward: draft.forward,
      action: draft.action,
      silent: draft.silent ?? false,
      protected: draft.protected ?? false,
      fromScheduled: draft.fromScheduled ?? false,
      views: isPost ? 1 : 0,
      pinned: false,
      reactions: [],
    };
  }

  private remember(senderId: number, randomId: bigint, posted: Posted): void {
    let sent = this.state.sent.get(senderId);
    if (!sent) {
      sent = new Map();
      this.state.sent.set(senderId, sent);
    }
    sent.set(randomId, posted);
    for (const oldest of sent.keys()) {
      if (sent.size <= MAX_RANDOM_IDS) break;
      sent.delete(oldest);
    }
  }
}
