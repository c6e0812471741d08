import { TdlibError } from '../../common/errors/index.js';
import { numberMember, objectMember, parseTdObject, type TdClient, type TdObject } from '../../telegram/index.js';
import { COMMON, isNumberedAlone, type NewestSeen } from './seen-messages.js';

/** Where messages may be missing. */
export interface Gap {
  readonly client: TdClient;
  readonly kind: 'bot' | 'user';
  /** Up to where they were handed over before the kill. */
  readonly seen: NewestSeen;
  /** Unix seconds: nobody wants older ones. */
  readonly since: number;
  /** The newest message of a sequence that came since; 0 for none. */
  readonly newest: (sequence: number) => number;
  /** The chats that TDLib has told of since it was started, in that order. */
  readonly announced: () => Iterable<number>;
}

/** A message of td_api as TDLib wrote it. */
export interface FoundMessage {
  readonly text: string;
  readonly isOutgoing: boolean;
  readonly date: number;
}

/** The server's number of a message stands above this bit of td_api's (MessageId::SERVER_ID_SHIFT). */
const NUMBER = 2 ** 20;
/** As many messages as one request may name (messages.getMessages). */
const PORTION = 100;
/** More were never handed over by one process that was killed, but for one that was catching up. */
const MAX_PORTIONS = 100;
/** Chats with a sequence of their own that are asked for what came after the last message seen, the latest active ones. */
const MAX_CHATS = 20;
/** How many chats of a user's list are looked at. */
const LISTED = 100;

const REFUSALS: ReadonlySet<number> = new Set([400, 403, 404, 406]);

interface ListedChat {
  readonly id: number;
  readonly newest: number;
  readonly date: number;
}

/**
 * Finds the messages that Telegram has sent and TDLib had not handed over when its process was killed. They follow the last ones
 * seen in number, and messages can be asked for by number, by bots as well. Of a private chat or a basic group the number does
 * not tell the chat: TDLib takes what the server answers to whichever chat it is of, and tells of that chat when it is new to it.
 *
 * Where a bot has seen nothing at all yet, the numbers from 1 on are looked at: that finds the first messages of a new bot or a
 * new chat, not those of an old one. Of chats with a sequence of their own the latest 20 are looked at, and what a user's list
 * shows to have moved.
 * @throws Error when it could not be looked for now; to be repeated then
 */
export async function findMissed(gap: Gap, take: (message: FoundMessage) => void): Promise<void> {
  const isBot = gap.kind === 'bot';
  const listed = isBot ? [] : await listedChats(gap.client);
  if (isBot || gap.seen.has(COMMON)) await findCommon(gap, take);
  const alone = [...gap.seen.keys(), ...(isBot ? gap.announced() : [])].filter(isNumberedAlone);
  const moved = listed.filter(({ id, newest }) => newest > (gap.seen.get(id) ?? newest));
  const chats = new Set([...alone.slice(-MAX_CHATS), ...moved.map(({ id }) => id).filter(isNumberedAlone)]);
  for (const chatId of chats) {
    // A chat that TDLib had not yet written to its own database it asks Telegram for, for a bot.
    await unlessRefused(gap.client.request({ '@type': 'getChat', chat_id: chatId }));
    await findAfter(gap, chatId, gap.seen.get(chatId), (ids) => messagesOf(gap.client, chatId, ids), take);
  }
  for (const chat of listed) {
    const hasSeen = gap.seen.has(isNumberedAlone(chat.id) ? chat.id : COMMON);
    if (!hasSeen && chat.date >= gap.since) await findNewest(gap, chat, take);
  }
}

async function findCommon(gap: Gap, take: (message: FoundMessage) => void): Promise<void> {
  const { client } = gap;
  // Any chat without a sequence of its own serves to ask for all of them; this one everybody has.
  const { id: anchor } = await client.request({ '@type': 'getMe' });
  await client.request({ '@type': 'createPrivateChat', user_id: anchor, force: true });
  const near = { chatId: Number(anchor) };
  const load = async (ids: readonly number[]): Promise<readonly FoundMessage[]> => {
    await ask(client, Number(anchor), ids);
    const chats = [...gap.announced()].filter((id) => !isNumberedAlone(id)).reverse();
    const found: FoundMessage[] = [];
    for (const id of ids) {
      const message = await locate(client, near, chats, id);
      if (message !== undefined) found.push(message);
    }
    return found;
  };
  await findAfter(gap, COMMON, gap.seen.get(COMMON), load, take);
}

/** Goes through the numbers of one sequence until nothing follows. */
async function findAfter(
  { since, newest }: Gap,
  sequence: number,
  seen: number | undefined,
  load: (ids: readonly number[]) => Promise<readonly FoundMessage[]>,
  take: (message: FoundMessage) => void,
): Promise<void> {
  for (let portion = 0; portion < MAX_PORTIONS; portion += 1) {
    const ids = idsAfter((seen ?? 0) + portion * PORTION * NUMBER);
    const found = await load(ids);
    for (const message of found) take(message);
    // Where nothing was seen, these may be years old.
    const isOld = seen === undefined && found.every(({ date }) => date < since);
    if (isOld || (found.length === 0 && (ids.at(-1) ?? 0) >= newest(sequence))) return;
  }
}

/** Most messages that follow each other are of the same chat. */
async function locate(
  client: TdClient,
  near: { chatId: number },
  chats: readonly number[],
  messageId: number,
): Promise<FoundMessage | undefined> {
  for (const chatId of [near.chatId, ...chats]) {
    const message = await messageIn(client, chatId, messageId);
    if (message !== undefined) {
      near.chatId = chatId;
      return message;
    }
  }
  return undefined;
}

/** Of a chat from which nothing was seen yet: what came since somebody wants it. */
async function findNewest(
  { client, since }: Gap,
  chat: ListedChat,
  take: (message: FoundMessage) => void,
): Promise<void> {
  const portions: FoundMessage[][] = [];
  for (let portion = 0; portion < MAX_PORTIONS; portion += 1) {
    const before = chat.newest - (portion + 1) * PORTION * NUMBER;
    const found = await messagesOf(
      client,
      chat.id,
      idsAfter(before).filter((id) => id > 0),
    );
    portions.push(found.filter(({ date }) => date >= since));
    if (found.length === 0 || found.some(({ date }) => date < since)) break;
  }
  for (const message of portions.reverse().flat()) take(message);
}

function idsAfter(messageId: number): readonly number[] {
  return Array.from({ length: PORTION }, (_, index) => messageId + (index + 1) * NUMBER);
}

async function messagesOf(client: TdClient, chatId: number, ids: readonly number[]): Promise<FoundMessage[]> {
  if (ids.length === 0 || !(await ask(client, chatId, ids))) return [];
  const found = await Promise.all(ids.map((id) => messageIn(client, chatId, id)));
  return found.filter((message) => message !== undefined);
}

/** Has TDLib load messages. @returns false when the chat refuses */
async function ask(client: TdClient, chatId: number, ids: readonly number[]): Promise<boolean> {
  const query = { '@type': 'getMessages', chat_id: chatId, message_ids: ids };
  return (await unlessRefused(client.request(query))) !== undefined;
}

/** One that TDLib has loaded, as it wrote it. */
async function messageIn(client: TdClient, chatId: number, messageId: number): Promise<FoundMessage | undefined> {
  const query = { '@type': 'getMessageLocally', chat_id: chatId, message_id: messageId };
  const text = await unlessRefused(client.invoke(JSON.stringify(query)));
  if (text === undefined) return undefined;
  const message = parseTdObject(text);
  return { text, isOutgoing: message['is_outgoing'] === true, date: numberMember(message, 'date') };
}

async function listedChats(client: TdClient): Promise<readonly ListedChat[]> {
  const lists = ['chatListMain', 'chatListArchive'].map((type) => ({ '@type': type }));
  const answers = await Promise.all(
    lists.map((list) => unlessRefused(client.request({ '@type': 'getChats', chat_list: list, limit: LISTED }))),
  );
  const ids = answers.flatMap((answer) => (answer?.['chat_ids'] ?? []) as readonly number[]);
  const chats = await Promise.all(ids.map((id) => unlessRefused(client.request({ '@type': 'getChat', chat_id: id }))));
  return chats.flatMap((chat) => (chat === undefined ? [] : (listedChat(chat) ?? [])));
}

function listedChat(chat: TdObject): ListedChat | undefined {
  const last = objectMember(chat, 'last_message');
  return last === undefined
    ? undefined
    : { id: numberMember(chat, 'id'), newest: numberMember(last, 'id'), date: numberMember(last, 'date') };
}

/** What TDLib or Telegram does not know, or does not let us see, is not there; a refusal for now is none. */
async function unlessRefused<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TdlibError && REFUSALS.has(error.tdCode)) return undefined;
    throw error;
  }
}
