import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import {
  Access,
  ApiOperation,
  ApiParam,
  ApiTags,
  currentCaller,
  Page,
  RawJson,
  Requires,
  Returns,
} from '../../common/http/index.js';
import type { SessionKind } from '../sessions/index.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveriesQueryDto, DeliveryDetailDto, DeliveryDto } from './delivery.dto.js';
import { QueuedDeliveryDto, RecoverDto, RecoveredDto } from './subscription.dto.js';
import { toDeliveryDto } from './subscription.mapping.js';

const KIND = { name: 'kind', enum: ['bot', 'user'] } as const;

/** What became of a subscription's deliveries. */
@ApiTags('updates')
@Controller('v1/:kind(bot|user)/:id/updates/subscriptions/:sub')
@Requires(Access.CoveredSession, ['read'])
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get('deliveries')
  @Returns(DeliveryDto, { isArray: true })
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'listDeliveries', summary: 'The log of the last 24 hours, newest first' })
  async list(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('sub') sub: string,
    @Query() query: DeliveriesQueryDto,
  ): Promise<Page<DeliveryDto>> {
    const { items, nextCursor } = await this.deliveries.list({ kind, id }, sub, query, currentCaller());
    return new Page(items.map(toDeliveryDto), nextCursor);
  }

  @Get('deliveries/:delivery')
  @Returns(DeliveryDetailDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'getDelivery', summary: 'One delivery with its update and its attempts' })
  async get(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('sub') sub: string,
    @Param('delivery') delivery: string,
  ): Promise<RawJson> {
    const { payload, ...row } = await this.deliveries.get({ kind, id }, sub, delivery, currentCaller());
    const members = JSON.stringify({ ...toDeliveryDto(row), log: row.log });
    return new RawJson(`${members.slice(0, -1)},"update":${payload}}`);
  }

  @Post('deliveries/:delivery/retry')
  @Returns(QueuedDeliveryDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'retryDelivery', summary: 'Try one again from the first attempt on' })
  async retry(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('sub') sub: string,
    @Param('delivery') delivery: string,
  ): Promise<QueuedDeliveryDto> {
    return { id: await this.deliveries.retry({ kind, id }, sub, delivery, currentCaller()) };
  }

  @Post('recover')
  @Returns(RecoveredDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'recoverDeliveries', summary: 'Try all again that were given up since then' })
  async recover(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('sub') sub: string,
    @Body() { since }: RecoverDto,
  ): Promise<RecoveredDto> {
    return { requeued: await this.deliveries.recover({ kind, id }, sub, new Date(since), currentCaller()) };
  }

  @Post('test')
  @Returns(QueuedDeliveryDto)
  @ApiParam(KIND)
  @ApiOperation({ operationId: 'testSubscription', summary: 'Deliver an event of the type tgcontrol.test' })
  async test(
    @Param('kind') kind: SessionKind,
    @Param('id') id: string,
    @Param('sub') sub: string,
  ): Promise<QueuedDeliveryDto> {
    return { id: await this.deliveries.test({ kind, id }, sub, currentCaller()) };
  }
}
