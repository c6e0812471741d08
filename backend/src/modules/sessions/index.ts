export { SessionEntity, SESSION_STATUSES, type SessionStatus } from './session.entity.js';
export { SessionHost } from './session-host.js';
export { SessionsModule } from './sessions.module.js';
export { SessionsService } from './sessions.service.js';
