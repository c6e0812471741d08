export { AuditEventEntity } from './audit-event.entity.js';
export { AuditLog } from './audit-log.js';
export { AuditModule } from './audit.module.js';
