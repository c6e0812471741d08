import { type DynamicModule, Module } from '@nestjs/common';
import { AuditController } from './audit.controller.js';
import { AuditLog } from './audit-log.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';
import { AuditSweep } from './audit-sweep.js';

/** What clients have changed and what they were refused. */
@Module({})
export class AuditModule {
  static forGateway(): DynamicModule {
    return {
      module: AuditModule,
      controllers: [AuditController],
      providers: [AuditRepository, AuditService, AuditLog, AuditSweep],
    };
  }
}
