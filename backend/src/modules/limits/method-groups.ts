/** Methods that Telegram counts together: what floods one of them is taken to flood all of its group. */
export const METHOD_GROUPS = {
  '@send': ['sendMessage', 'sendMessageAlbum', 'forwardMessages', 'resendMessages', 'sendInlineQueryResultMessage'],
  '@join': ['joinChat', 'joinChatByInviteLink'],
  '@invite': ['addChatMember', 'addChatMembers'],
  '@resolve': ['searchPublicChat', 'searchPublicChats', 'searchUserByPhoneNumber', 'checkChatInviteLink'],
  '@contacts': ['importContacts', 'addContact'],
  '@create': ['createNewSupergroupChat', 'createNewBasicGroupChat'],
  '@react': ['addMessageReaction', 'setMessageReactions'],
  '@view': ['viewMessages'],
  '@history': ['getChatHistory', 'searchChatMessages'],
  '@delete': ['deleteMessages', 'deleteChatHistory'],
  '@members': ['getSupergroupMembers', 'searchChatMembers'],
} as const satisfies Readonly<Record<`@${string}`, readonly string[]>>;

/** The name of a group of methods. */
export type MethodGroup = keyof typeof METHOD_GROUPS;

const GROUP_OF: ReadonlyMap<string, MethodGroup> = new Map(
  (Object.entries(METHOD_GROUPS) as [MethodGroup, readonly string[]][]).flatMap(([group, methods]) =>
    methods.map((method) => [method, group] as const),
  ),
);

/** What asks Telegram for a chat by its name, when a call names one. */
export const RESOLVING_METHOD = 'searchPublicChat';

const PACED: ReadonlySet<string> = new Set<MethodGroup>(['@send', '@join', '@invite', '@create', '@contacts']);

/** The group of a td_api method; undefined for one that stands alone. */
export function groupOf(method: string): MethodGroup | undefined {
  return GROUP_OF.get(method);
}

/** Whether this is the name of a group. */
export function isMethodGroup(name: string): boolean {
  return Object.hasOwn(METHOD_GROUPS, name);
}

/** What a flood of this method closes: its group, or the method alone. */
export function scopeOf(method: string): string {
  return groupOf(method) ?? method;
}

/** Whether calls of this method go at the session's pace. */
export function isPaced(method: string): boolean {
  return PACED.has(groupOf(method) ?? '');
}

/** Lists whose length is what a call of the method weighs. */
const WEIGHED_LISTS: Readonly<Record<string, string>> = {
  forwardMessages: 'message_ids',
  sendMessageAlbum: 'input_message_contents',
  addChatMembers: 'user_ids',
  importContacts: 'contacts',
};

/** Methods that do not ask Telegram when told so (td_api's parameter only_local). */
const LOCAL_READS: ReadonlySet<string> = new Set([
  'getChatHistory',
  'getStory',
  'searchUserByPhoneNumber',
  'getWebPageInstantView',
  'getLocalizationTargetInfo',
  'canSendMessageToUser',
]);

/** Whether a call answers from what TDLib has: it costs nothing. */
export function isLocalRead(method: string, params: Readonly<Record<string, unknown>>): boolean {
  return params['only_local'] === true && LOCAL_READS.has(method);
}

/** What a call counts for: messages, users or contacts where it takes several, else 1. A list that is wrong counts as one. */
export function weightOf(method: string, params: Readonly<Record<string, unknown>>): number {
  if (isLocalRead(method, params)) return 0;
  const list = Object.hasOwn(WEIGHED_LISTS, method) ? params[WEIGHED_LISTS[method] ?? ''] : undefined;
  return Array.isArray(list) ? Math.max(1, list.length) : 1;
}
