export { copyDatabase } from './database-copy.js';
export { type SaveOccasion, SessionStates } from './session-states.js';
export { packFolder, unpackFolder } from './snapshot.js';
export { StatesModule } from './states.module.js';
export { openSnapshot, putSnapshot } from './stored-snapshots.js';
