import { ScopeDeniedError } from '../../common/errors/index.js';
import { currentContext, type TokenRights } from '../../common/http/index.js';
import {
  type ChatView,
  classOf,
  namedIn,
  namesMembers,
  parseChatReference,
  staysInNamedChats,
  viewOf,
} from '../../telegram/index.js';

/** The rights of the token that asks; undefined for the master, and for what the product does by itself: these may do all. */
function limits(): TokenRights | undefined {
  const caller = currentContext()?.caller;
  return caller?.kind === 'token' ? caller.rights : undefined;
}

/**
 * Refuses a method that the caller's token may not call.
 * @throws ScopeDeniedError naming the class that it lacks
 */
export function requireMethod(method: string): void {
  const rights = limits();
  if (rights === undefined) return;
  const methodClass = classOf(method);
  if (!rights.classes.includes(methodClass)) {
    throw new ScopeDeniedError(`the token may not call methods of the class ${methodClass}: ${method}`, {
      details: { method, class: methodClass },
    });
  }
  if (rights.methods?.includes(method) === false) {
    throw new ScopeDeniedError(`the token may not call ${method}`, { details: { method } });
  }
}

/** @throws ScopeDeniedError for a chat that the caller's token may not see and name */
export function requireChat(chatId: number): void {
  if (currentView()?.has(chatId) === false) {
    throw new ScopeDeniedError(`the token is not permitted for the chat ${chatId}`, { details: { chat_id: chatId } });
  }
}

/**
 * Refuses a name in place of a chat's id to a token of some chats: Telegram would be asked for whatever it names, at the account's
 * expense, and the refusal afterwards would tell what it means.
 * @throws ScopeDeniedError
 */
export function requireNoName({ chat_id: given }: Readonly<Record<string, unknown>>): void {
  if (limits()?.chats === undefined || typeof given !== 'string') return;
  if (parseChatReference(given)?.kind === 'username') {
    throw new ScopeDeniedError('the token is limited to some chats: these are named by their ids', {
      details: { chat_id: given.slice(0, 100) },
    });
  }
}

/** The chats that the caller's token is limited to; undefined for all. */
export function listedChats(): readonly number[] | undefined {
  return limits()?.chats;
}

/**
 * Refuses a call that leaves the chats of the caller's token: by naming another one anywhere in its parameters, by naming none
 * where the method then tells of all, or by naming a file by its number.
 * @param params with names already made ids
 * @throws ScopeDeniedError naming the chat
 */
export async function requireChats(method: string, params: Readonly<Record<string, unknown>>): Promise<void> {
  const rights = limits();
  if (rights === undefined) return;
  const { chatIds, userIds, hasFileNumber } = namedIn(params);
  for (const chatId of chatIds) requireChat(chatId);
  const areMembers = namesMembers(method, params);
  for (const userId of userIds) {
    if (!areMembers || currentView()?.hasMember(userId) === false) requireChat(userId);
  }
  if (rights.chats === undefined) return;
  if (hasFileNumber) {
    throw new ScopeDeniedError('the token is limited to some chats, and the number of a file does not tell its chat', {
      details: { method },
    });
  }
  if (!(await staysInNamedChats(method, params))) {
    throw new ScopeDeniedError(`the token is limited to some chats, and ${method} is not about them alone here`, {
      details: { method },
    });
  }
}

/** What of the account's chats the caller's token may see; undefined for who sees everything. */
export function currentView(): ChatView | undefined {
  const rights = limits();
  return rights && viewOf(rights);
}

/**
 * TDLib's answer as somebody with this view may have it.
 * @throws ScopeDeniedError when it is about a chat that is not in the view
 */
export function visibleAnswer(view: ChatView | undefined, text: string): string {
  const visible = view === undefined ? text : view.textOf(text);
  if (visible === undefined)
    throw new ScopeDeniedError('the answer is about a chat that the token is not permitted for');
  return visible;
}
