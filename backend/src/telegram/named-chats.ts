import { secretChatId, supergroupChatId } from './chat-id.js';

/** What the parameters of a call name, anywhere in them. */
export interface Named {
  readonly chatIds: ReadonlySet<number>;
  /** Users, each of whom stands for the private chat with it, unless the method is about members of a chat. */
  readonly userIds: ReadonlySet<number>;
  /** Whether a file is named by TDLib's number: these are counted over all chats, and tell nothing of whose they are. */
  readonly hasFileNumber: boolean;
}

/** Of a member's number the chat that it stands for; undefined for members that name none. */
function chatOf(member: string): ((id: number) => number) | undefined {
  if (member === 'basic_group_id') return (id) => -id;
  if (member === 'supergroup_id') return supergroupChatId;
  if (member === 'secret_chat_id') return secretChatId;
  return isChatMember(member) ? (id) => id : undefined;
}

const USER_MEMBER = /(?:^|_)user_ids?$/;

/** A topic of Saved Messages has the id of the chat that its messages came from (td/telegram/SavedMessagesTopicId.h). */
const CHAT_MEMBER = /(?:^|_)chat_ids?$|^saved_messages_topic_ids?$/;

/** Whether td_api means chats by what is in a member of this name. */
export function isChatMember(name: string): boolean {
  return CHAT_MEMBER.test(name);
}

/** Whether a parameter of this name says by itself, of a user by the private chat with it, which chat a method is about. */
export function namesChat(parameter: string): boolean {
  return chatOf(parameter) !== undefined || USER_MEMBER.test(parameter);
}

/** TDLib takes digits in a string for a number (tdutils: from_json of int53), and 0 for none. */
function numberOf(value: unknown): number {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' ? number : 0;
}

/** Every chat that these parameters name, at any depth. They have been inspected, so their depth has an end. */
export function namedIn(params: Readonly<Record<string, unknown>>): Named {
  const chatIds = new Set<number>();
  const userIds = new Set<number>();
  let hasFileNumber = false;
  const look = (object: Readonly<Record<string, unknown>>): void => {
    // Who is mentioned in a text is not written to.
    if (object['@type'] === 'textEntityTypeMentionName') return;
    if (object['@type'] === 'inputFileId') hasFileNumber = true;
    for (const [member, value] of Object.entries(object)) {
      const toChat = chatOf(member);
      const isUser = USER_MEMBER.test(member);
      const isFile = /(?:^|_)file_ids?$/.test(member);
      for (const item of Array.isArray(value) ? value.flat(Infinity) : [value]) {
        if (typeof item === 'object' && item !== null) look(item as Record<string, unknown>);
        else if (toChat && numberOf(item) !== 0) chatIds.add(toChat(numberOf(item)));
        else if (isUser && numberOf(item) !== 0) userIds.add(numberOf(item));
        else if (isFile && numberOf(item) !== 0) hasFileNumber = true;
      }
    }
  };
  look(params);
  return { chatIds, userIds, hasFileNumber };
}
