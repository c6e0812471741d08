import { Injectable } from '@nestjs/common';
import { RawJson } from '../../common/http/index.js';
import { numberMember, objectMember, type TdObject } from '../../telegram/index.js';
import { SessionHost } from '../sessions/index.js';

/** What a pool asks of its bots beside sending, wherever they are. */
@Injectable()
export class BotCalls {
  constructor(private readonly host: SessionHost) {}

  /** @throws as SessionHost.call */
  async call(botId: string, method: string, params: Readonly<Record<string, unknown>>): Promise<TdObject> {
    const answer = await this.host.call('bot', botId, { method, params });
    const value: unknown = JSON.parse(answer.text);
    return (answer instanceof RawJson ? value : (value as { readonly result: unknown }).result) as TdObject;
  }

  /**
   * Why a bot cannot store in a chat; undefined when it can. TDLib tells of the bot's own membership only what Telegram has.
   * @throws as SessionHost.call when the bot itself could not be asked
   */
  async unfitFor(botId: string, chatId: number): Promise<string | undefined> {
    const me = await this.call(botId, 'getMe', {});
    const chat = await this.call(botId, 'getChat', { chat_id: chatId });
    const type = objectMember(chat, 'type');
    if (type?.['@type'] !== 'chatTypeSupergroup') return 'the chat is no channel or supergroup';
    const member = await this.call(botId, 'getChatMember', {
      chat_id: chatId,
      member_id: { '@type': 'messageSenderUser', user_id: numberMember(me, 'id') },
    });
    const status = objectMember(member, 'status');
    const rights = status && objectMember(status, 'rights');
    if (status?.['@type'] !== 'chatMemberStatusAdministrator') return 'it is no administrator of the chat';
    if (type['is_channel'] === true && rights?.['can_post_messages'] !== true) return 'it may not post in the chat';
    return rights?.['can_delete_messages'] === true ? undefined : 'it may not delete messages of the chat';
  }
}
