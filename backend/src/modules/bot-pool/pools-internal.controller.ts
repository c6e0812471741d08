import { Body, Controller, Delete, Get, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Access, ApiHiddenController, Requires } from '../../common/http/index.js';
import type { DispatcherStatus } from './dispatcher/dispatcher.js';
import { SendError } from './dispatcher/part.js';
import type { RemoteSend, RemoteSendRequest } from './fleet-part-sender.js';
import { LocalPartSender } from './local-part-sender.js';
import type { FoundMessage, MessageSearch } from './message-search.js';
import { type KeptPart, PoolHost } from './pool-host.js';
import type { PoolPart } from './pool-part.js';

/** What gateways, and workers that run pools, ask of a worker. */
@ApiHiddenController()
@Controller('internal')
@Requires(Access.Cluster)
export class PoolsInternalController {
  /** By part: what gives it up. */
  private readonly storing = new Map<string, AbortController>();

  constructor(
    private readonly host: PoolHost,
    private readonly sender: LocalPartSender,
  ) {}

  @Post('pools/:id/parts')
  async store(
    @Param('id') id: string,
    @Body() body: object,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeptPart> {
    const part = body as PoolPart;
    const left = untilLeft(reply);
    this.storing.set(part.id, left);
    try {
      return await this.host.store(id, part, left.signal);
    } finally {
      this.storing.delete(part.id);
    }
  }

  @Delete('pools/:id/parts/:part')
  cancel(@Param('part') part: string): null {
    this.storing.get(part)?.abort();
    return null;
  }

  @Post('pools/:id/admissions')
  async admit(@Param('id') id: string, @Body() body: object): Promise<null> {
    await this.host.admit(id, (body as { readonly maxWaitMs?: number }).maxWaitMs);
    return null;
  }

  @Delete('pools/:id/bots/:bot')
  async evict(@Param('id') id: string, @Param('bot') bot: string): Promise<null> {
    await this.host.evict(id, bot);
    return null;
  }

  @Get('pools/:id/key')
  async key(@Param('id') id: string): Promise<{ readonly key: string }> {
    return { key: (await this.host.key(id)).toString('base64') };
  }

  @Get('pools/:id/status')
  status(@Param('id') id: string): Promise<DispatcherStatus> {
    return this.host.status(id);
  }

  @Post('pool-bots/:id/parts')
  async send(
    @Param('id') id: string,
    @Body() body: object,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RemoteSend> {
    const { chatId, part } = body as RemoteSendRequest;
    const { signal } = untilLeft(reply);
    try {
      const stored = await this.sender.send({ botId: id, chatId, part, signal, onProgress: () => undefined });
      // Who has left learns of no message, and could not have it deleted.
      if (signal.aborted) await this.sender.erase(stored).catch(() => undefined);
      return { stored };
    } catch (error) {
      if (!(error instanceof SendError)) throw error;
      const { message, code, trouble } = error;
      return { message, ...(code !== undefined && { code }), ...(trouble !== undefined && { trouble }) };
    }
  }

  @Post('pool-bots/:id/find')
  find(@Param('id') botId: string, @Body() body: object): Promise<readonly FoundMessage[]> {
    return this.sender.find(botId, body as MessageSearch);
  }

  @Delete('pool-bots/:id/messages/:chat/:message')
  async erase(
    @Param('id') botId: string,
    @Param('chat') chat: string,
    @Param('message') message: string,
  ): Promise<null> {
    await this.sender.erase({ botId, chatId: Number(chat), messageId: Number(message) });
    return null;
  }
}

/** Aborted when whoever asked goes away. */
function untilLeft({ raw }: FastifyReply): AbortController {
  const left = new AbortController();
  raw.once('close', () => left.abort());
  return left;
}
