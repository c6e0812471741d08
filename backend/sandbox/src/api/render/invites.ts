import type { TlObject } from '../../schema/tl-object.js';
import type { Channel, Group } from '../../world/chats.js';
import { currentMembers, isChannel } from '../../world/chats.js';

/** A chat's permanent link, in the form clients open (https://core.telegram.org/api/links#chat-invite-links). */
export function inviteLink({ inviteHash }: Group | Channel): string {
  return `https://t.me/+${inviteHash}`;
}

/** `chatInviteExported` of the permanent link. */
export function renderInvite(chat: Group | Channel): TlObject {
  return {
    _: 'chatInviteExported',
    permanent: true,
    link: inviteLink(chat),
    admin_id: chat.creatorId,
    date: chat.date,
  };
}

/** What somebody who is not in the chat sees behind a link. */
export function renderInvitePreview(chat: Group | Channel): TlObject {
  const channel = isChannel(chat) ? chat : undefined;
  return {
    _: 'chatInvite',
    ...(channel && { channel: true }),
    ...(channel && (channel.megagroup ? { megagroup: true } : { broadcast: true })),
    ...(channel?.username !== undefined && { public: true }),
    title: chat.title,
    photo: { _: 'photoEmpty', id: 0n },
    participants_count: channel ? currentMembers(channel).length : chat.members.size,
    color: 0,
  };
}
