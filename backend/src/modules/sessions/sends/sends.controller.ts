import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  Access,
  ApiExtraModels,
  ApiHiddenController,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
  existingId,
  HeldRequests,
  type Page,
  type RawEnvelope,
  Requires,
} from '../../../common/http/index.js';
import { listedChats, requireChat } from '../method-access.js';
import type { SessionKind } from '../session.dto.js';
import { SendDto, SendListItemDto, SendsQueryDto } from './send.dto.js';
import { Sends } from './sends.js';

type SendsAnswer = SendDto | Page<SendListItemDto> | RawEnvelope;

function answer(sends: Sends, kind: SessionKind, id: string, query: SendsQueryDto): Promise<SendsAnswer> {
  const session = { kind, id: existingId('session', id) };
  const message = query.toName();
  if (message === undefined) {
    return sends.list(session, { ...query.toListRequest(), chats: listedChats() }, query.waitMs);
  }
  requireChat(message.chatId);
  return sends.find(session, message, query.waitMs);
}

/** What became of the messages that calls have sent. */
@ApiTags('sends')
@Controller('v1')
export class SendsController {
  constructor(
    private readonly sends: Sends,
    private readonly held: HeldRequests,
  ) {}

  @Get(':kind(bot|user)/:id/sends')
  @Requires(Access.CoveredSession, ['read', 'send'])
  @ApiParam({ name: 'kind', enum: ['bot', 'user'] })
  @ApiOperation({ operationId: 'getSends', summary: 'What became of a message by its ids, or of the newest' })
  @ApiExtraModels(SendDto, SendListItemDto)
  @ApiResponse({
    status: 200,
    description: 'with ids one send, without them the newest first',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['ok', 'result'],
          properties: {
            ok: { type: 'boolean', enum: [true] },
            result: {
              oneOf: [
                { $ref: '#/components/schemas/SendDto' },
                { type: 'array', items: { $ref: '#/components/schemas/SendListItemDto' } },
              ],
            },
            next_cursor: { type: 'string', description: 'present when more follow' },
          },
        },
      },
    },
  })
  async find(
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Query() query: SendsQueryDto,
  ): Promise<SendsAnswer> {
    if (query.waitMs > 0) this.held.hold(reply);
    return answer(this.sends, kind, id, query);
  }
}

/** The same for gateways. */
@ApiHiddenController()
@Controller('internal/sessions')
@Requires(Access.Cluster)
export class SendsInternalController {
  constructor(private readonly sends: Sends) {}

  @Get(':kind/:id/sends')
  find(@Param('kind') kind: SessionKind, @Param('id') id: string, @Query() query: SendsQueryDto): Promise<SendsAnswer> {
    return answer(this.sends, kind, id, query);
  }
}
