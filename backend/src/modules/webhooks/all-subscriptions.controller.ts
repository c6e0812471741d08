import { Controller, Get, Query } from '@nestjs/common';
import { Access, ApiOperation, ApiTags, Page, PageQueryDto, Requires, Returns } from '../../common/http/index.js';
import { SessionSubscriptionDto } from './subscription.dto.js';
import { toSessionSubscriptionDto } from './subscription.mapping.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** Who gets the updates of any session. */
@ApiTags('updates')
@Controller('v1/subscriptions')
@Requires(Access.Master)
export class AllSubscriptionsController {
  constructor(private readonly subscriptions: SubscriptionsService) {}

  @Get()
  @Returns(SessionSubscriptionDto, { isArray: true })
  @ApiOperation({
    operationId: 'listAllSubscriptions',
    summary: 'The subscriptions of all sessions and how they go, oldest first',
  })
  async list(@Query() query: PageQueryDto): Promise<Page<SessionSubscriptionDto>> {
    const { items, nextCursor } = await this.subscriptions.listAll(query.toRequest());
    return new Page(items.map(toSessionSubscriptionDto), nextCursor);
  }
}
