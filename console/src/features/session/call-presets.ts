import type { SessionKind } from '@/lib/types';

/** A call to start from. */
export interface CallPreset {
  readonly name: string;
  readonly method: string;
  readonly params: string;
  /** It names a chat that nobody has, to be replaced. */
  readonly toFill?: true;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const textTo = (chatId: unknown): string =>
  json({
    chat_id: chatId,
    input_message_content: {
      '@type': 'inputMessageText',
      text: { '@type': 'formattedText', text: 'Hello from tgcontrol' },
    },
  });

/**
 * What people try first, in the shapes of the pinned TDLib: calls that this session can answer, and a few that need a chat.
 *
 * @param accountId the account's own id, whose private chat with itself is Saved Messages; undefined until it is known
 */
export function presetsFor(kind: SessionKind, accountId: number | undefined): readonly CallPreset[] {
  const ownProfile: readonly CallPreset[] =
    accountId === undefined
      ? []
      : [{ name: 'My full profile', method: 'getUserFullInfo', params: json({ user_id: accountId }) }];
  const saved: readonly CallPreset[] =
    accountId === undefined
      ? []
      : [
          { name: 'Write to Saved Messages', method: 'sendMessage', params: textTo(accountId) },
          {
            name: 'Read Saved Messages',
            method: 'getChatHistory',
            params: json({ chat_id: accountId, limit: 10 }),
          },
        ];
  const anybody: readonly CallPreset[] = [
    { name: 'Who am I', method: 'getMe', params: '' },
    ...ownProfile,
    {
      name: 'Formatting of a text',
      method: 'parseTextEntities',
      params: json({ text: 'Hello *world*', parse_mode: { '@type': 'textParseModeMarkdown', version: 2 } }),
    },
    { name: 'Which TDLib this is', method: 'getOption', params: json({ name: 'version' }) },
  ];
  const toFill: readonly CallPreset[] = [
    { name: 'Send a text', method: 'sendMessage', params: textTo('@username'), toFill: true },
    { name: 'Look at a chat', method: 'getChat', params: json({ chat_id: '@username' }), toFill: true },
  ];
  if (kind === 'bot') return [...anybody, ...toFill];
  return [
    ...anybody,
    { name: 'My chats', method: 'getChats', params: json({ limit: 20 }) },
    { name: 'My contacts', method: 'getContacts', params: '' },
    { name: 'Where I am signed in', method: 'getActiveSessions', params: '' },
    ...saved,
    ...toFill,
  ];
}

/** Names for completion: td_api methods that are often called. Any other one can be typed. */
export const METHOD_NAMES: readonly string[] = [
  'addChatMember',
  'createPrivateChat',
  'createSupergroupChat',
  'deleteMessages',
  'editMessageText',
  'forwardMessages',
  'getActiveSessions',
  'getBasicGroupFullInfo',
  'getChat',
  'getChatHistory',
  'getChatMember',
  'getChats',
  'getContacts',
  'getMe',
  'getMessage',
  'getMessageLink',
  'getOption',
  'getSupergroupFullInfo',
  'getSupergroupMembers',
  'getUser',
  'getUserFullInfo',
  'importContacts',
  'joinChat',
  'leaveChat',
  'loadChats',
  'pinChatMessage',
  'searchChatMessages',
  'searchPublicChat',
  'sendChatAction',
  'sendMessage',
  'sendMessageAlbum',
  'setChatTitle',
  'setCommands',
  'setMessageReaction',
  'viewMessages',
];
