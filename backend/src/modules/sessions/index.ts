export { SessionEntity } from './session.entity.js';
export { requireMethodClass } from './method-access.js';
export { OpenSessions } from './open-sessions.js';
export type { SessionKind } from './session.dto.js';
export { SessionRoutes } from './session-routes.js';
export { SendOutcomes } from './sends/send-outcomes.js';
export { SendEntity } from './sends/send.entity.js';
export { SessionsModule } from './sessions.module.js';
