export { SessionEntity } from './session.entity.js';
export { SendOutcomes } from './sends/send-outcomes.js';
export { SendEntity } from './sends/send.entity.js';
export { SessionsModule } from './sessions.module.js';
