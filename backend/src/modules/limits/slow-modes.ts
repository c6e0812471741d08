import { numberMember, objectMember, parseTdObject, stringMember, supergroupChatId } from '../../telegram/index.js';

/** The longest delay that Telegram lets a group have, in seconds. */
const LONGEST_SECONDS = 3_600;
const MARK = '"is_slow_mode_enabled":true';
/** Those to whom slow mode does not apply. */
const EXEMPT: ReadonlySet<string> = new Set(['chatMemberStatusCreator', 'chatMemberStatusAdministrator']);

/**
 * The groups in which an account may write only now and then. TDLib makes the same 429 of SLOWMODE_WAIT and FLOOD_WAIT, so that only
 * the group tells which of them a wait is. TDLib tells of a supergroup before it tells of its chat.
 */
export class SlowModes {
  private readonly chats = new Set<number>();

  /** Takes an update of the client. */
  receive(type: string, text: string): void {
    if (type !== 'updateSupergroup') return;
    // Nearly all have none.
    if (!text.includes(MARK) && this.chats.size === 0) return;
    const supergroup = objectMember(parseTdObject(text), 'supergroup');
    if (supergroup === undefined) return;
    const status = objectMember(supergroup, 'status');
    const binds =
      supergroup['is_slow_mode_enabled'] === true && !EXEMPT.has(status ? stringMember(status, '@type') : '');
    const chatId = supergroupChatId(numberMember(supergroup, 'id'));
    if (binds) this.chats.add(chatId);
    else this.chats.delete(chatId);
  }

  /** Whether a wait that was asked for in a chat may be its slow mode. @param seconds of the wait */
  explains(chatId: number, seconds: number): boolean {
    return seconds <= LONGEST_SECONDS && this.chats.has(chatId);
  }
}
