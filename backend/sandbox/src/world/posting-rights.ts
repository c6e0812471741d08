import { RpcError } from '../rpc.js';
import type { Account, Accounts } from './accounts.js';
import type { Chats } from './chats.js';
import { hasRight, isAdmin, isKicked, isMember } from './chats.js';
import type { VirtualClock } from './clock.js';
import type { Draft } from './messages.js';
import type { PeerRef } from './peer.js';
import { SERVICE_ACCOUNT_ID } from './accounts.js';

/** Limits of https://limits.tginfo.me; captions are four times as long for premium accounts. */
const MAX_TEXT = 4096;
const MAX_CAPTION = 1024;
const MAX_CAPTION_PREMIUM = 4096;

interface Scene {
  readonly accounts: Accounts;
  readonly chats: Chats;
  readonly clock: VirtualClock;
}

/**
 * What Telegram checks before it takes a message, with its own error texts
 * (https://core.telegram.org/method/messages.sendMessage#possible-errors).
 * @throws RpcError
 */
export function assertMayPost(scene: Scene, sender: Account, peer: PeerRef, draft: Draft): void {
  assertIsMessage(sender, draft);
  if (peer.kind === 'channel') assertMayPostToChannel(scene, sender, peer.id);
  else if (peer.kind === 'group') assertMayPostToGroup(scene, sender, peer.id);
  else assertMayWriteTo(sender, scene.accounts.get(peer.id));
}

function assertIsMessage(sender: Account, { text = '', media, action }: Draft): void {
  if (media) {
    const limit = sender.premium ? MAX_CAPTION_PREMIUM : MAX_CAPTION;
    if (text.length > limit) throw new RpcError(400, 'MEDIA_CAPTION_TOO_LONG');
    return;
  }
  if (action) return;
  if (text.trim() === '') throw new RpcError(400, 'MESSAGE_EMPTY');
  if (text.length > MAX_TEXT) throw new RpcError(400, 'MESSAGE_TOO_LONG');
}

function assertMayWriteTo(sender: Account, recipient: Account): void {
  if (recipient.id === SERVICE_ACCOUNT_ID) throw new RpcError(403, 'CHAT_WRITE_FORBIDDEN');
  if (recipient.banned) throw new RpcError(400, 'INPUT_USER_DEACTIVATED');
  if (sender.kind !== 'bot') return;
  if (recipient.kind === 'bot') throw new RpcError(400, 'USER_IS_BOT');
  if (recipient.blocked.has(sender.id)) throw new RpcError(400, 'USER_IS_BLOCKED');
}

function assertMayPostToGroup({ chats }: Scene, sender: Account, groupId: number): void {
  if (!chats.group(groupId).members.has(sender.id)) throw new RpcError(403, 'CHAT_WRITE_FORBIDDEN');
}

function assertMayPostToChannel({ chats, clock }: Scene, sender: Account, channelId: number): void {
  const channel = chats.channel(channelId);
  if (channel.deleted || isKicked(channel, sender.id)) throw new RpcError(400, 'CHANNEL_PRIVATE');
  if (!isMember(channel, sender.id)) throw new RpcError(403, 'CHAT_WRITE_FORBIDDEN');
  if (!channel.megagroup) {
    if (!hasRight(channel, sender.id, 'post_messages')) throw new RpcError(403, 'CHAT_WRITE_FORBIDDEN');
    return;
  }
  if (isAdmin(channel, sender.id)) return;
  const ban = channel.members.get(sender.id)?.ban;
  const inForce = ban !== undefined && (ban.untilDate === 0 || ban.untilDate > clock.seconds());
  if (inForce && ban.rights.includes('send_messages')) throw new RpcError(400, 'USER_BANNED_IN_CHANNEL');
  const next = (channel.lastSent.get(sender.id) ?? 0) + channel.slowmodeSeconds;
  const wait = next - clock.seconds();
  if (channel.slowmodeSeconds > 0 && wait > 0) throw new RpcError(420, `SLOWMODE_WAIT_${String(wait)}`);
}
