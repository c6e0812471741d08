import { Injectable } from '@nestjs/common';
import { WorkerClient } from '../../common/cluster/index.js';
import { messageOf, WorkerUnreachableError } from '../../common/errors/index.js';
import { WorkerLease } from '../workers/index.js';
import { SessionRoutes } from '../sessions/index.js';
import { SendError, type StoredPart } from './dispatcher/part.js';
import { absenceOf, LocalPartSender } from './local-part-sender.js';
import type { FoundMessage, MessageSearch } from './message-search.js';
import { type BotMessage, type BotSend, PartSender, type PoolPart } from './pool-part.js';

/** The worker at the other end gives up on its own when nothing leaves. */
const SEND_TIMEOUT_MS = 60 * 60_000;
const TICK_MS = 10_000;

/** What a worker answers that another one has asked to send. */
export type RemoteSend =
  | { readonly stored: StoredPart }
  | { readonly message: string; readonly code?: number; readonly trouble?: NonNullable<SendError['trouble']> };

/** A send as it travels. */
export interface RemoteSendRequest {
  readonly chatId: number;
  readonly part: PoolPart;
}

/** Sends over the bots of all workers: those of this process here, others where they are held. */
@Injectable()
export class FleetPartSender extends PartSender {
  constructor(
    private readonly local: LocalPartSender,
    private readonly workers: WorkerClient,
    private readonly routes: SessionRoutes,
    private readonly lease: WorkerLease,
  ) {
    super();
  }

  override async erase(message: BotMessage): Promise<void> {
    const owner = await this.routes.ownerOf(message.botId, 'bot');
    if (owner.id === this.lease.workerId) await this.local.erase(message);
    else {
      const path = `/internal/pool-bots/${message.botId}/messages/${message.chatId}/${message.messageId}`;
      await this.workers.request(owner, { method: 'DELETE', path });
    }
  }

  override async find(botId: string, search: MessageSearch): Promise<readonly FoundMessage[]> {
    const owner = await this.routes.ownerOf(botId, 'bot');
    if (owner.id === this.lease.workerId) return this.local.find(botId, search);
    return this.workers.request(owner, { method: 'POST', path: `/internal/pool-bots/${botId}/find`, body: search });
  }

  override async send(send: BotSend): Promise<StoredPart> {
    const { botId } = send;
    const owner = await this.routes.ownerOf(botId, 'bot').catch((error: unknown) => {
      throw absenceOf(error);
    });
    return owner.id === this.lease.workerId ? this.local.send(send) : this.sendThere(send, owner);
  }

  private async sendThere(send: BotSend, owner: { id: string; addr: string }): Promise<StoredPart> {
    const { botId, chatId, part, signal, onProgress } = send;
    // Its progress stays with that worker, which watches it.
    let ticks = 0;
    const ticking = setInterval(() => onProgress((ticks += 1)), TICK_MS);
    let stop: () => void = () => undefined;
    try {
      const body: RemoteSendRequest = { chatId, part };
      const answer = await this.workers.request<RemoteSend>(owner, {
        method: 'POST',
        path: `/internal/pool-bots/${botId}/parts`,
        body,
        timeoutMs: SEND_TIMEOUT_MS,
        onAbort: (abort) => {
          stop = abort;
          signal.addEventListener('abort', abort);
        },
      });
      if ('stored' in answer) return answer.stored;
      throw new SendError(answer.message, answer.code, answer.trouble);
    } catch (error) {
      if (error instanceof SendError) throw error;
      this.routes.forget(botId);
      const nothing = error instanceof WorkerUnreachableError && error.neverReached;
      throw new SendError(messageOf(error), undefined, nothing ? 'connection' : 'answer_lost');
    } finally {
      clearInterval(ticking);
      signal.removeEventListener('abort', stop);
    }
  }
}
