import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidationFailedError } from '../../common/errors/index.js';
import {
  Access,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
  currentCaller,
  HeldRequests,
  NoEnvelope,
  Requires,
  successEnvelope,
  TakesTicket,
} from '../../common/http/index.js';
import { departureOf, type SessionKind } from '../sessions/index.js';
import { EventDto, EventsQueryDto, ofCursor } from './delivery.dto.js';
import { EventReader, pollAnswer } from './event-reader.js';
import { streamEvents } from './event-stream.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { viewOfCaller } from './visible-update.js';

const DEFAULT_LIMIT = 100;
/** A stream takes its events in portions of its own. */
const STREAM_PORTION = 500;

/** Events that are asked for, by polling or as a stream. */
@ApiTags('updates')
@Controller('v1/:kind(bot|user)/:id/updates/subscriptions/:sub')
@Requires(Access.CoveredSession, ['read'])
export class EventsController {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly reader: EventReader,
    private readonly held: HeldRequests,
  ) {}

  @Get('events')
  @NoEnvelope()
  @TakesTicket()
  @ApiParam({ name: 'kind', enum: ['bot', 'user'] })
  @ApiHeader({ name: 'Accept', required: false, description: 'text/event-stream for a stream of them' })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'of a stream: goes on after this cursor' })
  @ApiOperation({ operationId: 'readEvents', summary: 'The events of a subscription, of any kind, in their order' })
  @ApiExtraModels(EventDto)
  @ApiResponse({
    status: 200,
    description: 'what came after the cursor, or a stream of it',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['ok', 'result', 'next_cursor'],
          properties: {
            ok: { type: 'boolean', enum: [true] },
            result: { type: 'array', items: { $ref: '#/components/schemas/EventDto' } },
            next_cursor: { type: 'string', description: 'always present: to ask for what comes next' },
          },
        },
      },
      'text/event-stream': { schema: { type: 'string' } },
    },
  })
  async read(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('sub') sub: string,
    @Query() query: EventsQueryDto,
  ): Promise<void> {
    const caller = departureOf(reply);
    const reader = currentCaller();
    const view = viewOfCaller(reader);
    const { id: subscriptionId } = await this.subscriptions.existing({ kind, id }, sub, reader);
    if (request.headers.accept?.includes('text/event-stream') === true) {
      this.held.hold(reply);
      const after = resumed(request.headers['last-event-id']) ?? query.position;
      await streamEvents(reply, this.reader, { subscriptionId, after, limit: STREAM_PORTION, caller, view });
      return;
    }
    const { limit = DEFAULT_LIMIT, timeout = 0 } = query;
    if (timeout > 0) this.held.hold(reply);
    const wanted = { subscriptionId, after: query.position, limit, waitMs: timeout * 1_000, caller, view };
    const answer = pollAnswer(await this.reader.read(wanted));
    await reply.type('application/json; charset=utf-8').send(successEnvelope(answer));
  }
}

/** @throws ValidationFailedError */
function resumed(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  const position = typeof header === 'string' ? ofCursor(header) : undefined;
  if (position !== undefined) return position;
  throw new ValidationFailedError([{ path: 'Last-Event-ID', message: 'is no cursor of ours' }]);
}
