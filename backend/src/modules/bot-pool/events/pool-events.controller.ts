import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ValidationFailedError } from '../../../common/errors/index.js';
import {
  Access,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  currentCaller,
  NoEnvelope,
  Requires,
  sendEvents,
  TakesTicket,
} from '../../../common/http/index.js';
import { departureOf } from '../../sessions/index.js';
import { BucketsService } from '../buckets.service.js';
import { PoolEventStream } from './pool-event-stream.js';

/** What happens in a pool, as it happens. */
@ApiTags('pools')
@Controller('v1/pools/:pool/events')
@Requires(Access.CoveredPool, 'read')
export class PoolEventsController {
  constructor(
    private readonly buckets: BucketsService,
    private readonly stream: PoolEventStream,
  ) {}

  @Get()
  @NoEnvelope()
  @TakesTicket()
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'goes on after this event; absent: from now on' })
  @ApiOperation({
    operationId: 'readPoolEvents',
    summary: 'A stream of what happens in a pool: its state, and then each object, upload and bot, and chunks together',
  })
  @ApiResponse({
    status: 200,
    description: 'server-sent events: snapshot, chunks, bot, object.stored, object.deleted, upload.begun and so on',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  async read(@Param('pool') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const caller = currentCaller();
    const departure = departureOf(reply);
    const { poolId } = await this.buckets.ofPool(name);
    const from = placeOf(request.headers['last-event-id']) ?? (await this.stream.end(poolId));
    await sendEvents(reply, String(from), this.stream.portions(poolId, from, caller, departure));
  }
}

/** @throws ValidationFailedError */
function placeOf(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header);
  throw new ValidationFailedError([{ path: 'Last-Event-ID', message: 'must be the id of an event of this pool' }]);
}
