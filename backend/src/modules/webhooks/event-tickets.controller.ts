import { Controller, Post } from '@nestjs/common';
import { Access, ApiOperation, ApiTags, currentCaller, NoChange, Requires, Returns } from '../../common/http/index.js';
import { EventTickets } from '../tokens/index.js';
import { EventTicketDto } from './delivery.dto.js';

/** Tickets for readers that cannot send a header. */
@ApiTags('updates')
@Controller('v1/events')
@Requires(Access.AnyToken, ['read'])
export class EventTicketsController {
  constructor(private readonly tickets: EventTickets) {}

  @Post('ticket')
  @NoChange()
  @Returns(EventTicketDto)
  @ApiOperation({ operationId: 'createEventTicket', summary: 'A ticket that opens one stream in place of the token' })
  async create(): Promise<EventTicketDto> {
    const { ticket, expiresAt } = await this.tickets.issue(currentCaller());
    return { ticket, expires_at: expiresAt.toISOString() };
  }
}
