import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import {
  Access,
  ApiOperation,
  ApiParam,
  ApiTags,
  currentCaller,
  DeletedDto,
  Page,
  PageQueryDto,
  NoChange,
  Requires,
  Returns,
} from '../../common/http/index.js';
import type { SessionKind } from '../sessions/index.js';
import {
  CreateSubscriptionDto,
  FilterPreviewDto,
  PreviewFiltersDto,
  SubscriptionCreatedDto,
  SubscriptionDto,
  SubscriptionUpdatedDto,
  UpdateSubscriptionDto,
} from './subscription.dto.js';
import { toSubscriptionDto } from './subscription.mapping.js';
import { type SubscriptionMade, SubscriptionsService } from './subscriptions.service.js';

const KIND = { name: 'kind', enum: ['bot', 'user'] } as const;

/** Who gets the updates of a session. */
@ApiTags('updates')
@Controller('v1/:kind(bot|user)/:id/updates/subscriptions')
@Requires(Access.CoveredSession, ['read'])
export class SubscriptionsController {
  constructor(private readonly subscriptions: SubscriptionsService) {}

  @Post()
  @Returns(SubscriptionCreatedDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'createSubscription', summary: 'Have updates posted to a URL, or kept for a stream' })
  async create(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Body() dto: CreateSubscriptionDto,
  ): Promise<SubscriptionCreatedDto> {
    const { url, secret, order, max_connections: maxConnections } = dto;
    const draft = { kind: dto.kind ?? 'webhook', url, secret, order, maxConnections, filters: { ...dto.filters } };
    const { warnings, ...made } = await this.subscriptions.create({ kind, id }, draft, currentCaller());
    return { ...made, ...(warnings.length > 0 && { warnings }) };
  }

  @Get()
  @Returns(SubscriptionDto, { isArray: true })
  @ApiParam(KIND)
  @ApiOperation({
    operationId: 'listSubscriptions',
    summary: 'Subscriptions and how they go, oldest first; those of the token, or all for the master',
  })
  async list(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Query() query: PageQueryDto,
  ): Promise<Page<SubscriptionDto>> {
    const { items, nextCursor } = await this.subscriptions.list({ kind, id }, query.toRequest(), currentCaller());
    return new Page(items.map(toSubscriptionDto), nextCursor);
  }

  @Post('preview')
  @NoChange()
  @Returns(FilterPreviewDto)
  @ApiParam(KIND)
  @ApiOperation({
    operationId: 'previewFilters',
    summary: 'How many of the newest updates that are stored of the session filters would let pass',
  })
  preview(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Body() { filters }: PreviewFiltersDto,
  ): Promise<FilterPreviewDto> {
    return this.subscriptions.preview({ kind, id }, { ...filters }, currentCaller());
  }

  @Get(':sub')
  @Returns(SubscriptionDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'getSubscription', summary: 'A subscription and how it goes' })
  async get(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('sub') sub: string,
  ): Promise<SubscriptionDto> {
    return toSubscriptionDto(await this.subscriptions.get({ kind, id }, sub, currentCaller()));
  }

  @Patch(':sub')
  @Returns(SubscriptionUpdatedDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'updateSubscription', summary: 'Change a subscription, live' })
  async update(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('sub') sub: string,
    @Body() dto: UpdateSubscriptionDto,
  ): Promise<SubscriptionUpdatedDto> {
    const { url, enabled, order, max_connections: maxConnections, secret } = dto;
    const change = {
      ...{ url, enabled, order, maxConnections, secret },
      rotatesSecret: dto.rotate_secret === true,
      filters: dto.filters && { ...dto.filters },
    };
    const made: SubscriptionMade = await this.subscriptions.change({ kind, id }, sub, change, currentCaller());
    return {
      status: 'updated',
      ...(made.secret !== undefined && { secret: made.secret }),
      ...(made.warnings.length > 0 && { warnings: made.warnings }),
    };
  }

  @Delete(':sub')
  @Returns(DeletedDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'deleteSubscription', summary: 'End a subscription; what waits for it is removed' })
  async remove(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('sub') sub: string,
  ): Promise<DeletedDto> {
    await this.subscriptions.remove({ kind, id }, sub, currentCaller());
    return { status: 'deleted' };
  }
}
