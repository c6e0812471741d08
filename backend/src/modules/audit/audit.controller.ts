import { Controller, Get, Query } from '@nestjs/common';
import { Access, ApiOperation, ApiTags, type Page, Requires, Returns } from '../../common/http/index.js';
import { AuditEventDto, AuditQueryDto } from './audit.dto.js';
import { AuditService } from './audit.service.js';

/** Who did what. */
@ApiTags('audit')
@Controller('v1/audit')
@Requires(Access.Master)
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Returns(AuditEventDto, { isArray: true })
  @ApiOperation({ operationId: 'listAuditEvents', summary: 'What was changed and what was refused, newest first' })
  async list(@Query() query: AuditQueryDto): Promise<Page<AuditEventDto>> {
    const { actor, action, object, from, to, request_id: requestId } = query;
    const filter = {
      actor,
      action,
      object: object?.toLowerCase(),
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : new Date(to),
      requestId,
    };
    return this.audit.list(filter, query.toRequest());
  }
}
