export { SessionEntity } from './session.entity.js';
export { SendEntity } from './sends/send.entity.js';
export { SessionsModule } from './sessions.module.js';
