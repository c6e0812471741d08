import type { TlObject } from '../../schema/tl-object.js';
import type { PeerRef } from '../../world/peer.js';

/** `Peer` of the API. */
export function renderPeer({ kind, id }: PeerRef): TlObject {
  if (kind === 'user') return { _: 'peerUser', user_id: id };
  return kind === 'group' ? { _: 'peerChat', chat_id: id } : { _: 'peerChannel', channel_id: id };
}
