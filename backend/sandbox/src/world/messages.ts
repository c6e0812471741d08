import type { TlObject } from '../schema/tl-object.js';
import type { PeerRef } from './peer.js';

/** A file in the store, or a small TL object the sandbox keeps as it came (a place, a contact, a poll). */
export type Media =
  | { readonly kind: 'photo' | 'document'; readonly fileId: bigint; readonly spoiler: boolean }
  | { readonly kind: 'plain'; readonly media: TlObject };

/** Where a forwarded message came from. */
export interface Forward {
  readonly from: PeerRef;
  readonly date: number;
  /** Set when the origin is a channel post. */
  readonly channelPost: number | undefined;
}

/** One reaction of one account. */
export interface Reaction {
  readonly userId: number;
  readonly emoji: string;
  readonly date: number;
}

/**
 * What all copies of a message share. A private chat and a basic group keep a copy per participant, each with an id of
 * its own (https://core.telegram.org/api/updates#message-related-event-sequences); an edit changes them all.
 */
export interface Content {
  readonly uid: number;
  /** The account that wrote it. */
  readonly senderId: number;
  /** Who the chat shows as author: the account, or the channel for posts. */
  readonly author: PeerRef;
  /** Unix seconds. */
  readonly date: number;
  editDate: number | undefined;
  text: string;
  entities: readonly TlObject[];
  media: Media | undefined;
  replyMarkup: TlObject | undefined;
  readonly groupedId: bigint | undefined;
  readonly forward: Forward | undefined;
  /** A service message's action; such a message has no text. */
  readonly action: TlObject | undefined;
  readonly silent: boolean;
  readonly protected: boolean;
  readonly fromScheduled: boolean;
  views: number;
  pinned: boolean;
  reactions: Reaction[];
}

/** A message as one box holds it. */
export interface MessageCopy {
  readonly id: number;
  readonly content: Content;
  /** The chat, seen from the box: for a private chat the other account. */
  readonly peer: PeerRef;
  readonly out: boolean;
  /** Id, in this box, of the message replied to. */
  readonly replyToId: number | undefined;
}

/** A message that is about to be posted. */
export interface Draft {
  readonly text?: string | undefined;
  readonly entities?: readonly TlObject[] | undefined;
  readonly media?: Media | undefined;
  readonly replyMarkup?: TlObject | undefined;
  readonly groupedId?: bigint | undefined;
  readonly forward?: Forward | undefined;
  readonly action?: TlObject | undefined;
  readonly silent?: boolean | undefined;
  readonly protected?: boolean | undefined;
  readonly fromScheduled?: boolean | undefined;
  /** Id, in the sender's box or in the channel, of the message replied to. */
  readonly replyToId?: number | undefined;
}
