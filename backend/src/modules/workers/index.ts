export { GoneWorkers } from './gone-workers.js';
export { hasRoom, WorkerDirectory } from './worker-directory.js';
export { WorkerEntity } from './worker.entity.js';
export { WorkerLease } from './worker-lease.js';
export { WorkersModule } from './workers.module.js';
export type { WorkerRow } from './workers.repository.js';
