import type { SessionKind } from '@/lib/types';

/** A call to start from. */
export interface CallPreset {
  readonly name: string;
  readonly method: string;
  readonly params: string;
  readonly only?: SessionKind;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** What people try first, in the shapes of the pinned TDLib. */
export const PRESETS: readonly CallPreset[] = [
  { name: 'Who am I', method: 'getMe', params: '' },
  {
    name: 'Send a text',
    method: 'sendMessage',
    params: json({
      chat_id: '@username',
      input_message_content: {
        '@type': 'inputMessageText',
        text: { '@type': 'formattedText', text: 'Hello from tgcontrol' },
      },
    }),
  },
  { name: 'Find a public chat', method: 'searchPublicChat', params: json({ username: 'telegram' }) },
  {
    name: 'Latest messages of a chat',
    method: 'getChatHistory',
    params: json({ chat_id: '@username', limit: 10 }),
    only: 'user',
  },
  { name: 'My chats', method: 'getChats', params: json({ limit: 20 }), only: 'user' },
  { name: 'Where I am signed in', method: 'getActiveSessions', params: '', only: 'user' },
  {
    name: 'Set the bot’s commands',
    method: 'setCommands',
    params: json({ commands: [{ '@type': 'botCommand', command: 'start', description: 'Begin' }] }),
    only: 'bot',
  },
];

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
