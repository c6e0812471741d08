import type { TokenRights } from '../common/http/index.js';
import { isChatMember } from './named-chats.js';
import { parseTdObject, type TdObject } from './td-object.js';

/** The chat in which Telegram sends login codes: who reads it can take the account over. */
const SERVICE_CHAT = 777_000;
const SERVICE_MARK = String(SERVICE_CHAT);

/**
 * Answers that count over all chats, as TDLib begins them: their total tells of what is hidden also where that is on another page, so
 * that a search would tell a login code digit by digit.
 */
const COUNTS_ACROSS_CHATS = ['{"@type":"chats"', '{"@type":"foundMessages"'];
/** Says that a total is not known, in td_api's foundMessages and foundChatMessages. */
const UNKNOWN_TOTAL = -1;

/** Stands for what must not be seen. */
const HIDDEN = Symbol('hidden');

/**
 * What of an account's chats the holder of a token may see and name: not the chat of the login codes without the class account, and
 * only those of its list, if it has one.
 */
export class ChatView {
  private readonly seesServiceChat: boolean;
  private readonly chats: ReadonlySet<number> | undefined;

  constructor({ classes, chats }: Pick<TokenRights, 'classes' | 'chats'>) {
    this.seesServiceChat = classes.includes('account');
    this.chats = chats === undefined ? undefined : new Set(chats);
  }

  /** Whether it has some chats only. */
  get isLimited(): boolean {
    return this.chats !== undefined;
  }

  has(chatId: number): boolean {
    return (this.seesServiceChat || chatId !== SERVICE_CHAT) && (this.chats?.has(chatId) ?? true);
  }

  /** Whether it may name a user as somebody in a chat. */
  hasMember(userId: number): boolean {
    return this.seesServiceChat || userId !== SERVICE_CHAT;
  }

  /**
   * TDLib's object as its holder may have it: lists lose the elements that are about hidden chats, and totals do not count these. Costs
   * a search in the text where all chats but one may be seen, nearly always.
   * @returns undefined when nothing is left to tell; the text itself when nothing is hidden
   */
  textOf(text: string): string | undefined {
    if (!this.isLimited && (this.seesServiceChat || !mayTellOfServiceChat(text))) return text;
    const reduction = new Reduction(this);
    const reduced = reduction.of(parseTdObject(text));
    if (reduced === HIDDEN) return undefined;
    return reduction.hasHidden ? JSON.stringify(reduced) : text;
  }
}

function mayTellOfServiceChat(text: string): boolean {
  return text.includes(SERVICE_MARK) || COUNTS_ACROSS_CHATS.some((beginning) => text.startsWith(beginning));
}

/** Takes elements that are about hidden chats out of an object, from the innermost outwards. */
class Reduction {
  hasHidden = false;

  constructor(private readonly view: ChatView) {}

  /** An object that is about a hidden chat itself, or by a member that is no list, is hidden as a whole. */
  of(object: TdObject): TdObject | typeof HIDDEN {
    if (this.isAboutHidden(object)) return HIDDEN;
    const members: [string, unknown][] = [];
    let lost = 0;
    for (const [name, member] of Object.entries(object)) {
      const reduced = this.member(name, member);
      if (reduced === HIDDEN) return HIDDEN;
      if (Array.isArray(member) && Array.isArray(reduced)) lost += member.length - reduced.length;
      members.push([name, reduced]);
    }
    const reduced = Object.fromEntries(members) as TdObject;
    const total = totalOf(reduced, lost);
    if (total === reduced['total_count']) return reduced;
    this.hasHidden = true;
    return { ...reduced, total_count: total };
  }

  private member(name: string, member: unknown): unknown {
    if (Array.isArray(member)) return this.elements(name, member);
    return typeof member === 'object' && member !== null ? this.of(member as TdObject) : member;
  }

  private elements(name: string, list: readonly unknown[]): readonly unknown[] {
    const areChats = isChatMember(name);
    const left = list
      .map((item) => (areChats && typeof item === 'number' && !this.view.has(item) ? HIDDEN : this.member(name, item)))
      .filter((item) => item !== HIDDEN);
    if (left.length < list.length) this.hasHidden = true;
    return left;
  }

  /**
   * With a list of chats only messages and chats are looked at: a message of a listed chat may tell of others, as by what it
   * answers or where it was forwarded from.
   */
  private isAboutHidden(object: TdObject): boolean {
    const { id, chat_id: chatId } = object;
    const type = object['@type'];
    if (type === 'chat' && typeof id === 'number') return !this.view.has(id);
    if (this.view.isLimited && type === 'message' && typeof chatId === 'number' && !this.view.has(chatId)) return true;
    return Object.entries(object).some(
      ([name, member]) => member === SERVICE_CHAT && isChatMember(name) && !this.view.has(SERVICE_CHAT),
    );
  }
}

/** What a list may say of its length: what it has lost is not counted. */
function totalOf(list: TdObject, lost: number): unknown {
  const { total_count: total, chat_ids: chatIds } = list;
  if (typeof total !== 'number') return total;
  switch (list['@type']) {
    case 'chats':
      return Array.isArray(chatIds) ? chatIds.length : total;
    case 'foundMessages':
      return UNKNOWN_TOTAL;
    case 'foundChatMessages':
      return lost > 0 ? UNKNOWN_TOTAL : total;
    default:
      return Math.max(0, total - lost);
  }
}

const views = new WeakMap<TokenRights, ChatView>();

/** The view that goes with some rights; made once for each. */
export function viewOf(rights: TokenRights): ChatView {
  let view = views.get(rights);
  if (view === undefined) {
    view = new ChatView(rights);
    views.set(rights, view);
  }
  return view;
}
