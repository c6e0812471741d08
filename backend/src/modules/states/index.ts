export { type SaveOccasion, SessionStates } from './session-states.js';
export { StatesModule } from './states.module.js';
