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
  parameters ??= read();
  const own = (await parameters).get(method) ?? [];
  return own.some((name) => namedIn({ [name]: params[name] }).chatIds.size > 0);
}
