import type { TdField, TdMethod, TdType } from '@/lib/types';

const field = (name: string, type: string, description = ''): TdField => ({ name, type, description });
const method = (name: string, parameters: TdField[] = [], changes: Partial<TdMethod> = {}): TdMethod => ({
  name,
  class: 'read',
  reserved: false,
  description: `What ${name} does. And more of it`,
  parameters,
  returns: 'Ok',
  synchronous: false,
  bots_only: false,
  ...changes,
});

/** A few methods of td_api, in the shapes that the server tells. */
export const someMethods: TdMethod[] = [
  method('getMe', [], { returns: 'User' }),
  method('getChat', [field('chat_id', 'number', 'Chat identifier')], { returns: 'Chat' }),
  method('getChatHistory', [
    field('chat_id', 'number', 'Chat identifier'),
    field('from_message_id', 'number', 'Identifier of the message; use 0 to get results from the last message'),
    field('limit', 'number', 'The maximum number of messages'),
    field('only_local', 'boolean', 'Pass true to get only messages that are available'),
  ]),
  method('getOption', [field('name', 'string', 'The name of the option')], { synchronous: true }),
  method('searchPublicChat', [field('username', 'string', 'Username to be resolved')], { returns: 'Chat' }),
  method(
    'sendMessage',
    [
      field('chat_id', 'number', 'Target chat'),
      field('reply_to', 'InputMessageReplyTo', 'Information about the message; pass null if none'),
      field('input_message_content', 'InputMessageContent', 'The content of the message to be sent'),
    ],
    { class: 'send', returns: 'Message' },
  ),
  method('setCommands', [field('commands', 'vector<botCommand>', 'List of the commands')], {
    class: 'manage',
    bots_only: true,
  }),
  method('setPassword', [field('old_password', 'string'), field('new_password', 'string')], { class: 'account' }),
  method('close', [], { class: 'account', reserved: true }),
];

/** The types that those methods need. */
export const someTypes: TdType[] = [
  {
    name: 'InputMessageContent',
    description: 'The content of a message to send',
    one_of: ['inputMessageText', 'inputMessageDice'],
  },
  {
    name: 'inputMessageText',
    description: 'A text message',
    fields: [field('text', 'formattedText', 'Formatted text to be sent'), field('clear_draft', 'boolean')],
  },
  { name: 'inputMessageDice', description: 'A dice message', fields: [field('emoji', 'string', 'Emoji')] },
  {
    name: 'formattedText',
    description: 'A text with some entities',
    fields: [field('text', 'string', 'The text'), field('entities', 'vector<textEntity>', 'Entities')],
  },
  {
    name: 'textEntity',
    description: 'A part of the text',
    fields: [field('offset', 'number'), field('length', 'number')],
  },
  {
    name: 'InputMessageReplyTo',
    description: 'What is replied to',
    one_of: ['inputMessageReplyToMessage', 'inputMessageReplyToStory'],
  },
  { name: 'inputMessageReplyToMessage', description: 'A message', fields: [field('message_id', 'number')] },
  { name: 'inputMessageReplyToStory', description: 'A story', fields: [field('story_id', 'number')] },
  {
    name: 'botCommand',
    description: 'A command',
    fields: [field('command', 'string', 'Text of the command'), field('description', 'string', 'What it does')],
  },
];
