import { TdlibError } from '../common/errors/index.js';
import type { TdObject } from './td-object.js';

/** What a `chat_id` of the API stands for. */
export type ChatReference =
  /** A number as td_api has it; nothing to resolve. */
  | { readonly kind: 'id'; readonly chatId: number }
  /** A public chat's name, lower case (Telegram compares them so), to be resolved by searchPublicChat. */
  | { readonly kind: 'username'; readonly username: string };

const DIGITS = /^-?\d{1,16}$/;
const LINK = /^(?:https?:\/\/)?(?:www\.)?(?:t\.me|telegram\.me)\/(?:s\/)?([A-Za-z0-9_]+)\/?$/i;

/**
 * Reads the forms a `chat_id` may have beside a number: digits, `@name`, `t.me/name`, `https://t.me/name`, or a bare name.
 * @returns undefined when the text holds nothing to resolve; it then goes to TDLib as it is
 */
export function parseChatReference(text: string): ChatReference | undefined {
  const trimmed = text.trim();
  if (DIGITS.test(trimmed) && Number.isSafeInteger(Number(trimmed))) {
    return { kind: 'id', chatId: Number(trimmed) };
  }
  const name = LINK.exec(trimmed)?.[1] ?? trimmed.replace(/^@/, '');
  return name === '' ? undefined : { kind: 'username', username: name.toLowerCase() };
}

/** Supergroups and channels are below this, basic groups above (td_api's chat ids, td/telegram/DialogId.h). */
const SUPERGROUP_BASE = -1_000_000_000_000;
const SECRET_CHAT_BASE = -2_000_000_000_000;

/** The chat of a supergroup or channel. */
export const supergroupChatId = (supergroupId: number): number => SUPERGROUP_BASE - supergroupId;

/** The chat of a secret chat. */
export const secretChatId = (id: number): number => SECRET_CHAT_BASE + id;

/** The call that makes TDLib know a chat by its id, undefined for secret chats, which exist only where they were made. */
export function loadChatQuery(chatId: number): TdObject | undefined {
  if (chatId > 0) {
    return { '@type': 'createPrivateChat', user_id: chatId, force: true };
  }
  if (chatId <= SECRET_CHAT_BASE || chatId === 0) {
    return undefined;
  }
  if (chatId <= SUPERGROUP_BASE) {
    return { '@type': 'createSupergroupChat', supergroup_id: SUPERGROUP_BASE - chatId };
  }
  return { '@type': 'createBasicGroupChat', basic_group_id: -chatId };
}

/** TDLib's words for a chat that it has not loaded although the account may know it. */
const NOT_LOADED = ['Chat not found', 'Chat info not found', 'CHANNEL_INVALID'] as const;

/** Whether a refusal may be cured by loading the chat. "Not enough rights" is deliberately none of them. */
export function isChatNotLoaded(refusal: unknown): boolean {
  return refusal instanceof TdlibError && NOT_LOADED.some((text) => refusal.message.includes(text));
}
