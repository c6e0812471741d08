import { Injectable } from '@nestjs/common';
import { Page, type PageRequest } from '../../common/http/index.js';
import type { AuditEventDto } from './audit.dto.js';
import type { AuditEventEntity } from './audit-event.entity.js';
import { type AuditFilter, AuditRepository } from './audit.repository.js';

function toDto(event: AuditEventEntity): AuditEventDto {
  return {
    id: event.id,
    at: event.createdAt.toISOString(),
    actor: event.actor,
    ...(event.tokenId !== null && { token_id: event.tokenId }),
    ...(event.tokenName !== null && { token_name: event.tokenName }),
    address: event.address,
    request_id: event.requestId,
    action: event.action,
    ...(event.objectType !== null && { object_type: event.objectType }),
    ...(event.objectId !== null && { object_id: event.objectId }),
    ...(event.sessionId !== null && { session_id: event.sessionId }),
    status: event.status,
    ...(event.code !== null && { code: event.code }),
    details: event.details,
    count: event.count,
  };
}

/** The audit log as it is read. */
@Injectable()
export class AuditService {
  constructor(private readonly events: AuditRepository) {}

  /** Newest first. */
  async list(filter: AuditFilter, request: PageRequest): Promise<Page<AuditEventDto>> {
    return (await this.events.page(filter, request)).map(toDto);
  }
}
