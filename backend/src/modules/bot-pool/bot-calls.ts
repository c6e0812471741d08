import { Injectable } from '@nestjs/common';
import { messageOf } from '../../common/errors/index.js';
import { RawJson } from '../../common/http/index.js';
import { numberMember, objectMember, type TdObject } from '../../telegram/index.js';
import { SessionHost, type SessionKind } from '../sessions/index.js';

const NO_ADMINISTRATOR = 'it is no administrator of the chat';
const MAY_NOT_DELETE = 'it may not delete messages of the chat';
/** What TDLib says of a message that is not there. Of a chat that a bot was thrown out of it says something else. */
const GONE = /^(?:message )?not found$/i;

/** Whether a failed getMessage means that the message is not in its chat any more. */
export function isGone(error: unknown): boolean {
  return GONE.test(messageOf(error));
}

/** The bots, this one first where it is among them. */
export function startingWith(bots: readonly string[], first: string): readonly string[] {
  return bots.includes(first) ? [first, ...bots.filter((bot) => bot !== first)] : bots;
}

/** What a pool asks of its bots beside sending, wherever they are. */
@Injectable()
export class BotCalls {
  constructor(private readonly host: SessionHost) {}

  /** @throws as SessionHost.call */
  call(botId: string, method: string, params: Readonly<Record<string, unknown>>): Promise<TdObject> {
    return this.callAs('bot', botId, method, params);
  }

  /** Also of the user that a pool has as its janitor. @throws as SessionHost.call */
  async callAs(
    kind: SessionKind,
    id: string,
    method: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<TdObject> {
    const answer = await this.host.call(kind, id, { method, params });
    const value: unknown = JSON.parse(answer.text);
    return (answer instanceof RawJson ? value : (value as { readonly result: unknown }).result) as TdObject;
  }

  /**
   * Why a bot cannot store in a chat; undefined when it can. TDLib tells of the bot's own membership only what Telegram has.
   * @throws as SessionHost.call when the bot itself could not be asked
   */
  async unfitFor(botId: string, chatId: number): Promise<string | undefined> {
    const type = objectMember(await this.call(botId, 'getChat', { chat_id: chatId }), 'type');
    if (type?.['@type'] !== 'chatTypeSupergroup') return 'the chat is no channel or supergroup';
    const status = await this.statusOf('bot', botId, chatId);
    if (status?.['@type'] !== 'chatMemberStatusAdministrator') return NO_ADMINISTRATOR;
    const rights = objectMember(status, 'rights');
    if (type['is_channel'] === true && rights?.['can_post_messages'] !== true) return 'it may not post in the chat';
    return rights?.['can_delete_messages'] === true ? undefined : MAY_NOT_DELETE;
  }

  /** Why a user cannot delete what others have posted in a chat; undefined when they can. @throws as SessionHost.call */
  async unfitToClean(userId: string, chatId: number): Promise<string | undefined> {
    await this.callAs('user', userId, 'getChat', { chat_id: chatId });
    const status = await this.statusOf('user', userId, chatId);
    if (status?.['@type'] === 'chatMemberStatusCreator') return undefined;
    if (status?.['@type'] !== 'chatMemberStatusAdministrator') return NO_ADMINISTRATOR;
    return objectMember(status, 'rights')?.['can_delete_messages'] === true ? undefined : MAY_NOT_DELETE;
  }

  private async statusOf(kind: SessionKind, id: string, chatId: number): Promise<TdObject | undefined> {
    const me = await this.callAs(kind, id, 'getMe', {});
    const member_id = { '@type': 'messageSenderUser', user_id: numberMember(me, 'id') };
    return objectMember(await this.callAs(kind, id, 'getChatMember', { chat_id: chatId, member_id }), 'status');
  }
}
