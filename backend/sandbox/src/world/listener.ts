import type { BoxEvent } from './boxes.js';
import type { Channel } from './chats.js';
import type { PeerRef } from './peer.js';

/** The client whose call caused a change: its answer carries the change already. */
export interface Origin {
  readonly keyId: bigint;
  readonly sessionId: bigint;
}

/** News without a place in a sequence: missed by clients that are away, which read the state anew instead. */
export type Notice =
  | { readonly type: 'channel'; readonly channelId: number }
  | { readonly type: 'participants'; readonly groupId: number }
  | { readonly type: 'user'; readonly userId: number }
  | { readonly type: 'contacts' }
  | { readonly type: 'config' }
  | { readonly type: 'too-long' }
  | { readonly type: 'typing'; readonly peer: PeerRef; readonly userId: number }
  | { readonly type: 'channel-read'; readonly channelId: number; readonly maxId: number; readonly unread: number }
  | { readonly type: 'reactions'; readonly peer: PeerRef; readonly messageId: number }
  | { readonly type: 'scheduled'; readonly id: number }
  | {
      readonly type: 'scheduled-gone';
      readonly peer: PeerRef;
      readonly ids: readonly number[];
      readonly sentIds: readonly number[];
    }
  | {
      readonly type: 'new-authorization';
      readonly hash: bigint;
      readonly date: number;
      readonly device: string;
      readonly location: string;
    };

/** Who tells clients what happened in the world. */
export interface WorldListener {
  /** A change in an account's own box. */
  boxChanged(ownerId: number, event: BoxEvent, origin: Origin | undefined): void;
  /** A change in a channel's box, of interest to every member. */
  channelChanged(channel: Channel, event: BoxEvent, origin: Origin | undefined): void;
  notice(ownerId: number, notice: Notice, origin?: Origin): void;
}

/** For a world that nobody is connected to. */
export const SILENT_LISTENER: WorldListener = {
  boxChanged: () => undefined,
  channelChanged: () => undefined,
  notice: () => undefined,
};
