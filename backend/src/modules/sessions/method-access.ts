import { ScopeDeniedError } from '../../common/errors/index.js';
import { currentContext, type TokenRights } from '../../common/http/index.js';
import { classOf, namedIn, staysInNamedChats, viewOf } from '../../telegram/index.js';

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

/** Whether the caller's token may see and name a chat. */
export function requireChat(chatId: number): void {
  const rights = limits();
  if (rights !== undefined && !viewOf(rights).has(chatId)) {
    throw new ScopeDeniedError(`the token is not permitted for the chat ${chatId}`, { details: { chat_id: chatId } });
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
  const { chatIds, hasFileNumber } = namedIn(params);
  for (const chatId of chatIds) requireChat(chatId);
  if (rights.chats === undefined) return;
  if (hasFileNumber) {
    throw new ScopeDeniedError('the token is limited to some chats, and the number of a file does not tell its chat', {
      details: { method },
    });
  }
  if (!(await staysInNamedChats(method, params))) {
    throw new ScopeDeniedError(`the token is limited to some chats, and ${method} names none here`, {
      details: { method },
    });
  }
}

/**
 * TDLib's answer as the caller may have it.
 * @throws ScopeDeniedError when it is about a chat that its token may not see
 */
export function visibleAnswer(text: string): string {
  const rights = limits();
  if (rights === undefined) return text;
  const visible = viewOf(rights).textOf(text);
  if (visible === undefined)
    throw new ScopeDeniedError('the answer is about a chat that the token is not permitted for');
  return visible;
}
