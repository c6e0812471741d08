export { SessionEntity } from './session.entity.js';
export { SessionsModule } from './sessions.module.js';
