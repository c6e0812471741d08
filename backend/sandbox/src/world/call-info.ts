import type { RpcContext } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import { isTlObject } from '../schema/tl-object.js';
import { channelPeer, groupPeer, toChatId } from './peer.js';

/** What faults, rules and the journal need to know of a call. */
export interface CallInfo {
  readonly method: string;
  /** The account logged in, or the one whose password is being asked for. */
  readonly accountId: number | undefined;
  /** Digits, of calls that name a number before there is a login. */
  readonly phone: string | undefined;
  /** td_api's id of the chat the call is about. */
  readonly chatId: number | undefined;
}

/** Calls that send messages, for rules and faults that mean them all. */
const SENDS: readonly string[] = [
  'messages.sendMessage',
  'messages.sendMedia',
  'messages.sendMultiMedia',
  'messages.forwardMessages',
];

/** Where a call names its chat, in the order in which the fields are looked at: a forward counts for its target. */
const PEER_FIELDS = ['to_peer', 'peer', 'channel'] as const;

export function callInfo(context: RpcContext, query: TlObject): CallInfo {
  const accountId = context.key.ownerId ?? context.key.pendingUserId;
  const phone = query['phone_number'];
  return {
    method: query._,
    accountId,
    phone: typeof phone === 'string' ? phone.replace(/\D/g, '') : undefined,
    chatId: chatIdOf(query, accountId),
  };
}

/** `pattern` is a method's name, a prefix that ends in `*`, or `send` for every method that sends messages. */
export function methodMatches(pattern: string, method: string): boolean {
  if (pattern === 'send') return SENDS.includes(method);
  return pattern.endsWith('*') ? method.startsWith(pattern.slice(0, -1)) : method === pattern;
}

function chatIdOf(query: TlObject, accountId: number | undefined): number | undefined {
  for (const field of PEER_FIELDS) {
    const peer = query[field];
    if (isTlObject(peer)) return chatIdOfInput(peer, accountId);
  }
  const groupId = query['chat_id'];
  return typeof groupId === 'number' ? toChatId(groupPeer(groupId)) : undefined;
}

function chatIdOfInput(input: TlObject, accountId: number | undefined): number | undefined {
  if (input._ === 'inputPeerSelf') return accountId;
  const { user_id: userId, chat_id: groupId, channel_id: channelId } = input;
  if (typeof channelId === 'number') return toChatId(channelPeer(channelId));
  if (typeof groupId === 'number') return toChatId(groupPeer(groupId));
  return typeof userId === 'number' ? userId : undefined;
}
