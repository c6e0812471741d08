/** Names of `chatAdminRights`' flags that the sandbox acts on (https://core.telegram.org/constructor/chatAdminRights). */
export const ADMIN_RIGHTS = [
  'change_info',
  'post_messages',
  'edit_messages',
  'delete_messages',
  'ban_users',
  'invite_users',
  'pin_messages',
  'add_admins',
  'anonymous',
  'manage_call',
  'other',
  'manage_topics',
  'post_stories',
  'edit_stories',
  'delete_stories',
] as const;
export type AdminRight = (typeof ADMIN_RIGHTS)[number];

/** Names of `chatBannedRights`' flags (https://core.telegram.org/constructor/chatBannedRights): set means forbidden. */
export const BANNED_RIGHTS = [
  'view_messages',
  'send_messages',
  'send_media',
  'send_stickers',
  'send_gifs',
  'send_games',
  'send_inline',
  'embed_links',
  'send_polls',
  'change_info',
  'invite_users',
  'pin_messages',
  'manage_topics',
  'send_photos',
  'send_videos',
  'send_roundvideos',
  'send_audios',
  'send_voices',
  'send_docs',
  'send_plain',
] as const;
export type BannedRight = (typeof BANNED_RIGHTS)[number];

/** What a member is forbidden; `untilDate` 0 is for ever. */
export interface Ban {
  readonly rights: readonly BannedRight[];
  readonly untilDate: number;
}

/** All rights but anonymity, which Telegram does not give unless asked. */
export const ALL_ADMIN_RIGHTS: readonly AdminRight[] = ADMIN_RIGHTS.filter((right) => right !== 'anonymous');

export function isAdminRight(name: string): name is AdminRight {
  return (ADMIN_RIGHTS as readonly string[]).includes(name);
}
