/** Who or what a chat is with. `user` covers bots and private chats; `channel` covers channels and supergroups. */
export interface PeerRef {
  readonly kind: 'user' | 'group' | 'channel';
  readonly id: number;
}

/** Equal for equal peers, for use as a map key: `u7`, `g7`, `c7`. */
export type PeerKey = string;

export const userPeer = (id: number): PeerRef => ({ kind: 'user', id });
export const groupPeer = (id: number): PeerRef => ({ kind: 'group', id });
export const channelPeer = (id: number): PeerRef => ({ kind: 'channel', id });

export function peerKey(peer: PeerRef): PeerKey {
  return `${peer.kind.charAt(0)}${String(peer.id)}`;
}

export function samePeer(a: PeerRef, b: PeerRef): boolean {
  return a.kind === b.kind && a.id === b.id;
}

/** td_api writes channel 5 as -1000000000005 and basic group 5 as -5 (td/telegram/DialogId.h). */
const CHANNEL_BASE = -1_000_000_000_000;

/** The chat id that td_api and the Bot API use for this peer. */
export function toChatId(peer: PeerRef): number {
  if (peer.kind === 'user') return peer.id;
  return peer.kind === 'group' ? -peer.id : CHANNEL_BASE - peer.id;
}

/** The reverse of `toChatId`. Whether such a chat exists is not checked. */
export function fromChatId(chatId: number): PeerRef {
  if (chatId > 0) return userPeer(chatId);
  return chatId < CHANNEL_BASE ? channelPeer(CHANNEL_BASE - chatId) : groupPeer(-chatId);
}

/** td_api's id of a server message is the server's id shifted left by 20 bits (td/telegram/MessageId.h). */
const MESSAGE_ID_FACTOR = 1_048_576;

export function toTdMessageId(serverId: number): number {
  return serverId * MESSAGE_ID_FACTOR;
}

/** The server's id, also when the caller already passes one that is not shifted. */
export function fromTdMessageId(id: number): number {
  return id >= MESSAGE_ID_FACTOR && id % MESSAGE_ID_FACTOR === 0 ? id / MESSAGE_ID_FACTOR : id;
}
