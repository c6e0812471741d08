import { namedIn, namesChat } from './named-chats.js';
import { readTdSchema } from './td-schema.js';

/**
 * Methods that a token of some chats may call although they name none: they compute, tell what is the same for everybody, or answer
 * a query by an id that only its receiver knows. Every other method without a chat in its own parameters may tell of all chats.
 */
export const METHODS_WITHOUT_CHATS: ReadonlySet<string> = new Set(
  `getMe getOption getTimeZones getCountries getCountryCode getPhoneNumberInfo getPhoneNumberInfoSync getApplicationConfig
  getPremiumLimit getPremiumFeatures
  getTextEntities parseTextEntities parseMarkdown getMarkdownText searchQuote searchStringsByPrefix translateText
  getCountryFlagEmoji getFileMimeType getFileExtension cleanFileName getJsonValue getJsonString getLanguagePackString
  getThemeParametersJsonString getChatFolderDefaultIconName checkQuickReplyShortcutName
  getEmojiReaction getCustomEmojiReactionAnimations getMessageEffect getForumTopicDefaultIcons getStickerSet
  getStickerSetName searchStickerSet searchStickers getStickerEmojis searchEmojis getKeywordEmojis getEmojiCategories
  getAnimatedEmoji getCustomEmojiStickers
  preliminaryUploadFile answerInlineQuery answerCallbackQuery answerShippingQuery answerPreCheckoutQuery`.split(/\s+/),
);

/**
 * Methods that name chats and act on more than these: on the account's lists and folders, or, as optimizeStorage, on all others.
 * For a token of some chats they are none of its business.
 */
const METHODS_ACROSS_CHATS: ReadonlySet<string> = new Set(
  `setPinnedChats optimizeStorage deleteChatFolder createChatFolderInviteLink editChatFolderInviteLink addChatFolderByInviteLink
  processChatFolderNewChats`.split(/\s+/),
);

/** Methods of which the users that they name are members of the chat in `chat_id`, or become it: their private chats are not touched. */
export const METHODS_ABOUT_MEMBERS: ReadonlySet<string> = new Set(
  `getChatMember setChatMemberStatus setChatMemberTag banChatMember addChatMember addChatMembers processChatJoinRequest
  searchChatMessages deleteChatMessagesBySender getChatEventLog getUserChatBoosts getChatInviteLinks
  deleteAllRevokedChatInviteLinks setGameScore getGameHighScores`.split(/\s+/),
);

/** By method, its own parameters that say which chat it is about; a method that has none is absent. */
type ChatParameters = ReadonlyMap<string, readonly string[]>;

let parameters: Promise<ChatParameters> | undefined;

async function read(): Promise<ChatParameters> {
  const { methods } = await readTdSchema();
  return new Map(
    methods.flatMap(({ name, parameters: all }) => {
      const chats = all.map((each) => each.name).filter(namesChat);
      return chats.length === 0 ? [] : [[name, chats] as const];
    }),
  );
}

/**
 * Whether a call stays within the chats that it names. What is named where the method does not look counts for nothing: TDLib takes
 * no notice of members that it does not know. The schema is read with the first question.
 */
export async function staysInNamedChats(method: string, params: Readonly<Record<string, unknown>>): Promise<boolean> {
  if (METHODS_WITHOUT_CHATS.has(method)) return true;
  if (METHODS_ACROSS_CHATS.has(method)) return false;
  parameters ??= read();
  const own = (await parameters).get(method) ?? [];
  return own.some((name) => {
    const { chatIds, userIds } = namedIn({ [name]: params[name] });
    return chatIds.size + userIds.size > 0;
  });
}

/** Whether the users that a call names are meant as members of the chat that it names in `chat_id`. */
export function namesMembers(method: string, params: Readonly<Record<string, unknown>>): boolean {
  return METHODS_ABOUT_MEMBERS.has(method) && namedIn({ chat_id: params['chat_id'] }).chatIds.size > 0;
}
