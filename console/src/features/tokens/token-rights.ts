import { METHOD_CLASS } from '@/components/call/method-class';
import type { MethodClass, TdMethod, Token } from '@/lib/types';

/** The classes of methods, from what hurts least to what hurts most. */
export const CLASSES = ['read', 'send', 'manage', 'account'] as const satisfies readonly MethodClass[];

/** What a token of each class can do, in words for whoever gives it out. */
export const CLASS_LETS: Record<MethodClass, string> = {
  read: 'Read chats and messages, receive updates, download files.',
  send: 'Send, forward and react: whatever other people get to see. Upload files.',
  manage: 'Change chats, contacts and settings, delete messages, join and leave.',
  account:
    'Change the password, end logins, delete the account, and see the login codes of Telegram’s service chat. For programs that you trust as yourself.',
};

/** Where a token is in its life. */
export type TokenState = 'enabled' | 'disabled' | 'expired';

/** @param now in milliseconds */
export function tokenState({ enabled, expires_at }: Pick<Token, 'enabled' | 'expires_at'>, now: number): TokenState {
  if (expires_at !== undefined && Date.parse(expires_at) <= now) return 'expired';
  return enabled ? 'enabled' : 'disabled';
}

const counted = (count: number, one: string): string => (count === 1 ? `1 ${one}` : `${count} ${one}s`);

/** What a token may do in the sessions that it reaches: "Read, send, manage; only 2 methods; only 1 chat". */
export function describeRights({ classes, methods, chats }: Pick<Token, 'classes' | 'methods' | 'chats'>): string {
  const words = CLASSES.filter((name) => classes.includes(name)).map((name) => METHOD_CLASS[name].word.toLowerCase());
  const acts = words.length === 0 ? 'no methods' : words.join(', ');
  return [
    acts.charAt(0).toUpperCase() + acts.slice(1),
    ...(methods === undefined ? [] : [`only ${counted(methods.length, 'method')}`]),
    ...(chats === undefined ? [] : [`only in ${counted(chats.length, 'chat')}`]),
  ].join('; ');
}

/** The methods that a token may call, chats aside: those of its classes, less those that nobody may call. */
export function allowedMethods(
  { classes, methods }: Pick<Token, 'classes' | 'methods'>,
  known: readonly TdMethod[],
): readonly TdMethod[] {
  return known.filter(
    (method) =>
      !method.reserved && classes.includes(method.class) && (methods === undefined || methods.includes(method.name)),
  );
}
