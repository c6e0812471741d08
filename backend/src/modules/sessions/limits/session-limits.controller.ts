import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import {
  Access,
  ApiOperation,
  ApiParam,
  ApiTags,
  currentCaller,
  Page,
  PageQueryDto,
  Requires,
  Returns,
} from '../../../common/http/index.js';
import type { Flood } from '../../limits/index.js';
import type { SessionKind } from '../session.dto.js';
import {
  CooldownLiftedDto,
  FloodCountDto,
  FloodCountsQueryDto,
  FloodDto,
  FloodsQueryDto,
  LiftQueryDto,
  MyLimitsDto,
  SessionLimitsDto,
} from './session-limits.dto.js';
import { SessionLimitsService } from './session-limits.service.js';

const KIND = { name: 'kind', enum: ['bot', 'user'] } as const;

function toFloodDto({ id, at, origin, method, scope, chatId, code, message, retryAfter }: Flood): FloodDto {
  return {
    id,
    at: at.toISOString(),
    origin,
    ...(method !== undefined && { method }),
    scope,
    ...(chatId !== undefined && { chat_id: chatId }),
    code,
    message,
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  };
}

/** What sessions are kept from, and by what. */
@ApiTags('limits')
@Controller('v1')
export class SessionLimitsController {
  constructor(private readonly limits: SessionLimitsService) {}

  @Get('me/limits')
  @Returns(MyLimitsDto)
  @Requires(Access.AnyToken, 'any')
  @ApiOperation({
    operationId: 'getMyLimits',
    summary: 'The sessions that the token covers, with their cooldowns and the rules that bind its calls',
  })
  mine(@Query() query: PageQueryDto): Promise<MyLimitsDto> {
    return this.limits.mine(query.toRequest(), currentCaller());
  }

  @Get(':kind(bot|user)/:id/limits')
  @Returns(SessionLimitsDto)
  @Requires(Access.CoveredSession, 'any')
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'getSessionLimits', summary: 'What a session is kept from, its queue, and its rules' })
  get(@Param('kind') kind: SessionKind, @Param('id') id: string): Promise<SessionLimitsDto> {
    return this.limits.get(kind, id, currentCaller());
  }

  @Delete(':kind(bot|user)/:id/limits/cooldowns/:scope')
  @Returns(CooldownLiftedDto)
  @Requires(Access.Master)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'liftCooldown', summary: 'End a cooldown early' })
  async lift(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('scope') scope: string,
    @Query() { reason }: LiftQueryDto,
  ): Promise<CooldownLiftedDto> {
    await this.limits.lift(kind, id, scope, reason);
    return { status: 'lifted' };
  }

  @Get(':kind(bot|user)/:id/limits/floods')
  @Returns(FloodDto, { isArray: true })
  @Requires(Access.Master)
  @ApiParam(KIND)
  @ApiOperation({
    operationId: 'listFloods',
    summary: 'What Telegram refused a session for being too often, newest first',
  })
  async floods(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Query() query: FloodsQueryDto,
  ): Promise<Page<FloodDto>> {
    return (await this.limits.floodsOf(kind, id, query)).map(toFloodDto);
  }

  @Get(':kind(bot|user)/:id/limits/floods/counts')
  @Returns(FloodCountDto, { isArray: true })
  @Requires(Access.Master)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'countFloods', summary: 'How many floods there were in each hour or day, by scope' })
  async floodCounts(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Query() query: FloodCountsQueryDto,
  ): Promise<FloodCountDto[]> {
    const counts = await this.limits.floodCounts(kind, id, query.toRequest(), query.by ?? 'day');
    return counts.map(({ at, ...count }) => ({ ...count, at: at.toISOString() }));
  }
}
